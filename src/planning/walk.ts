import { processingNodeName, type SiteName, unitName } from "../domain/names.ts";
import type { NodeResources, ProcessingNodePlan, UnitPlan } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";
import type { Counters } from "./facts.ts";
import type { LocationGroup } from "./locality.ts";
import type { Piece } from "./piece.ts";
import { seedMaker } from "./seeds.ts";
import { splitFiles } from "./split.ts";
import { splitGeneration } from "./split-events.ts";
import { BlockCutter, groupPieces, type UnitRule } from "./units.ts";

/** Everything decided before the first unit is made; walking it twice gives the same units. */
export interface Walk {
  readonly spec: RequestSpec;
  readonly next: Counters;
  readonly source: Source;
  readonly unitRule: UnitRule;
  readonly resources: NodeResources;
  readonly probe: NodeResources;
  readonly probeJobs: number;
  /** null: all there are. */
  readonly maxUnits: number | null;
}

export type Source =
  | { readonly kind: "files"; readonly groups: readonly LocationGroup[] }
  | { readonly kind: "generation"; readonly lastEvent: bigint; readonly sites: readonly SiteName[] };

interface PieceStream {
  readonly sites: readonly SiteName[];
  readonly attempted: boolean;
  readonly pieces: Iterable<Piece>;
}

/** The units of a round, one at a time: numbered, placed in a block, with all their nodes. */
export function* walkUnits(walk: Walk): Generator<UnitPlan> {
  const { spec, next, unitRule, maxUnits } = walk;
  const blocks = new BlockCutter(next.block, spec.unit);
  const seedOf = seedMaker(spec.name);
  const sharesLumi = spec.generation?.lumis === "per_work_unit";
  let unit = next.unit;
  let node = next.node;
  for (const { sites, attempted, pieces } of streams(walk)) {
    for (const group of groupPieces(pieces, unitRule)) {
      if (maxUnits !== null && unit - next.unit >= maxUnits) return;
      const block = blocks.place(group.expectedBytes, attempted);
      const unitLumi = sharesLumi ? next.firstLumi + BigInt(unit - next.unit) : null;
      const nodes = group.pieces.map((piece): ProcessingNodePlan => {
        const index = node++;
        return {
          name: processingNodeName(index),
          index,
          inputs: piece.files,
          firstEvent: piece.firstEvent,
          lastEvent: piece.lastEvent,
          firstLumi: unitLumi ?? piece.firstLumi,
          lastLumi: unitLumi ?? piece.lastLumi,
          runLumis: piece.runLumis,
          events: piece.events,
          resources: index - next.node < walk.probeJobs ? walk.probe : walk.resources,
          seed: seedOf(index),
        };
      });
      yield {
        name: unitName(unit),
        index: unit,
        block: block.index,
        sites,
        priority: block.priority,
        nodes,
        resources: walk.resources,
        expectedOutputBytes: group.expectedBytes,
      };
      unit += 1;
    }
  }
}

function* streams({ spec, next, source }: Walk): Generator<PieceStream> {
  if (source.kind === "generation") {
    const pieces = splitGeneration({
      firstEvent: next.firstEvent,
      lastEvent: source.lastEvent,
      firstLumi: next.firstLumi,
      eventsPerJob: spec.split.eventsPerJob,
      eventsPerLumi: spec.generation!.eventsPerLumi,
    });
    yield { sites: source.sites, attempted: false, pieces };
    return;
  }
  for (const { sites, attempted, files } of source.groups) yield { sites, attempted, pieces: splitFiles(spec, files) };
}
