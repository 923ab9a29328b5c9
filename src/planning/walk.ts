import { processingNodeName, type SiteName, unitName } from "../domain/names.ts";
import type { ProcessingNodePlan, UnitPlan } from "../domain/plan.ts";
import { splitFiles } from "../kinds/process/split.ts";
import { splitGeneration } from "../kinds/process/split-events.ts";
import type { FullPolicy, PlanFacts } from "./facts.ts";
import type { RoundLimits } from "./limits.ts";
import type { LocationGroup } from "./locality.ts";
import type { Piece } from "./piece.ts";
import type { SizedResources } from "./resources.ts";
import { seedMaker } from "./seeds.ts";
import { BlockCutter, groupPieces } from "./units.ts";

/** Everything decided before the first unit is made; walking it twice gives the same units. */
export interface Walk {
  readonly facts: PlanFacts;
  readonly policy: FullPolicy;
  readonly source: Source;
  /** null: the walk only counts. */
  readonly sized: SizedResources | null;
  readonly most: RoundLimits;
}

export type Source =
  | { readonly kind: "files"; readonly groups: readonly LocationGroup[] }
  | { readonly kind: "generation"; readonly lastEvent: bigint; readonly sites: readonly SiteName[] };

const NOT_SIZED = { cores: 0, memoryMb: 0, diskMb: 0, wallMinutes: 0, gpus: 0 };

/** The units of a round, one at a time: numbered, placed in a block, with all their nodes. */
export function* walkUnits(walk: Walk): Generator<UnitPlan> {
  const { facts, policy, sized, most } = walk;
  const { spec, next } = facts;
  const blocks = new BlockCutter(next.block, spec.unit);
  const seedOf = seedMaker(spec.name);
  const sharesLumi = spec.generation?.lumis === "per_work_unit";
  const usual = sized?.byRole.processing ?? NOT_SIZED;
  const probe = sized?.probe ?? usual;
  const probeJobs = spec.adaptive && facts.round === 0 ? policy.probeJobs : 0;
  let unit = next.unit;
  let node = next.node;
  for (const { sites, attempted, pieces } of streams(walk)) {
    for (const group of groupPieces(pieces, spec.unit, bytesPerEvent(facts))) {
      if (unit > next.unit && isFull(most, unit - next.unit, node - next.node + group.pieces.length)) return;
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
          resources: index - next.node < probeJobs ? probe : usual,
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
        resources: usual,
        expectedOutputBytes: group.expectedBytes,
      };
      unit += 1;
    }
  }
}

/** With so many units before the next one, and so many jobs with it. */
const isFull = (most: RoundLimits, units: number, jobs: number): boolean =>
  (most.units !== null && units >= most.units) || (most.nodes !== null && jobs > most.nodes);

/** Merged bytes per event read or generated. What was asked for counts events that survive; measurements, all. */
function bytesPerEvent({ spec: { resources, generation }, measured }: PlanFacts): number | null {
  if (measured?.kbPerEvent) return measured.kbPerEvent * 1000;
  return resources.kbPerEvent === null ? null : resources.kbPerEvent * 1000 * (generation?.filterEfficiency ?? 1);
}

type PieceStream = Pick<LocationGroup, "sites" | "attempted"> & { readonly pieces: Iterable<Piece> };

function* streams({ facts: { spec, next }, source }: Walk): Generator<PieceStream> {
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
