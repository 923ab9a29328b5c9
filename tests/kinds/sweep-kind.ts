import type { CommonWork } from "../../src/core/work.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { PlanFacts } from "../../src/planning/facts.ts";
import { roundLimits } from "../../src/planning/limits.ts";
import { siteRules, sitesForAnything } from "../../src/planning/locality.ts";
import { type Piece, pieceOf } from "../../src/planning/piece.ts";
import { planUnits } from "../../src/planning/plan-round.ts";

/** A kind that WMS2 does not have: one job for each point from the first to the last. docs/guides/adding-a-kind.md */
export interface SweepWork extends CommonWork {
  readonly kind: "sweep";
  readonly from: bigint;
  readonly to: bigint;
}
declare module "../../src/core/work.ts" {
  interface Works {
    readonly sweep: SweepWork;
  }
}

const left = ({ spec: { work }, next }: PlanFacts<SweepWork>): bigint => work.to - next.firstEvent + 1n;

function* points(first: bigint, last: bigint): Generator<Piece> {
  for (let at = first; at <= last; at += 1n)
    yield pieceOf({
      files: [],
      firstEvent: at,
      lastEvent: at,
      firstLumi: at,
      lastLumi: at,
      events: 1,
      inputBytes: 0,
      run: null,
    });
}

export const sweepKind: Kind<SweepWork> = {
  name: "sweep",
  mainKeys: ["points"],
  keys: ["points"],
  commands: "steps",
  simulatorChain: ["GEN"],
  read: (top) =>
    top.within("points", (form) => {
      const from = form.needed("from")?.bigInteger(1n) ?? 1n;
      const to = form.needed("to")?.bigInteger(from) ?? from;
      return { kind: "sweep", from, to };
    }),
  extent: () => null,
  unitWord: "unit",
  describe: ({ from, to }) => `points ${from} to ${to}`,
  begin: ({ from }) => ({ unit: 0, node: 0, block: 0, firstEvent: from, firstLumi: from }),
  mostJobs: left,
  *plan(facts) {
    if (left(facts) <= 0n) return { kind: "nothing-left", unplanned: [] };
    const sites = sitesForAnything(siteRules(facts)) ?? [];
    const { next, spec } = facts;
    return yield* planUnits({
      facts,
      source: {
        streams: () => [{ sites, attempted: false, pieces: points(next.firstEvent, spec.work.to) }],
        survival: 1,
        sharesLumi: false,
      },
      most: roundLimits(facts, left(facts)),
      inputFiles: 0,
      unplanned: [],
      warnings: () => [],
    });
  },
  check({ next }, report) {
    let expected = next.firstEvent;
    return {
      unit({ nodes }) {
        for (const { name, firstEvent } of nodes) {
          if (firstEvent !== expected) report("point", `${name} is at ${firstEvent} instead of ${expected}`);
          expected += 1n;
        }
      },
      finish() {},
    };
  },
  remains: ({ work, workflow }) => workflow.nextFirstEvent <= work.to,
  sharePlanned: ({ work, workflow }) => Number(workflow.nextFirstEvent - work.from) / Number(work.to - work.from + 1n),
  releaseFields: [],
};
