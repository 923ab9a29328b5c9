import { processingNodeName, unitName } from "../core/names.ts";
import type { ProcessingNodePlan, UnitPlan } from "../core/plan.ts";
import type { PlanFacts } from "./facts.ts";
import type { RoundLimits } from "./limits.ts";
import type { LocationGroup } from "./locality.ts";
import type { Piece } from "./piece.ts";
import type { SizedResources } from "./resources.ts";
import { seedMaker } from "./seeds.ts";
import { BlockCutter, FIRST_LOOK_JOBS, groupPieces, MAX_JOBS_PER_UNIT } from "./units.ts";

/** What there is to do, cut into jobs by its kind. `streams` gives the same each time it is asked. */
export interface PieceSource {
  streams(): Iterable<PieceStream>;
  /** Share of the events that outlive the payload's own filter. */
  readonly survival: number;
  /** The jobs of a unit share one lumi. */
  readonly sharesLumi: boolean;
}
/** Pieces that may be read at the same sites; a unit never mixes streams. */
type PieceStream = Pick<LocationGroup, "sites" | "attempted"> & { readonly pieces: Iterable<Piece> };

/** Everything decided before the first unit is made; walking it twice gives the same units. */
export interface Walk {
  readonly facts: PlanFacts;
  readonly source: PieceSource;
  /** null: the walk only counts. */
  readonly sized: SizedResources | null;
  readonly most: RoundLimits;
}

/** Jobs that try what later rounds may do: in the first one of an adaptive request, with the most memory there is. */
export const probesOf = ({ spec, round, policy }: PlanFacts): number =>
  spec.adaptive && round === 0 ? policy.probeJobs : 0;

const NOT_SIZED = { cores: 0, memoryMb: 0, diskMb: 0, wallMinutes: 0, gpus: 0 };

/** The units of a round, one at a time: numbered, placed in a block, with all their nodes. */
export function* walkUnits(walk: Walk): Generator<UnitPlan> {
  const { facts, source, sized, most } = walk;
  const { spec, next } = facts;
  const blocks = new BlockCutter(next.block, spec.unit);
  const seedOf = seedMaker(spec.name);
  const usual = sized?.byRole.processing ?? NOT_SIZED;
  const probe = sized?.probe ?? null;
  const probeJobs = probesOf(facts);
  const mostJobs = spec.adaptive && facts.round === 0 ? FIRST_LOOK_JOBS : MAX_JOBS_PER_UNIT;
  let unit = next.unit;
  let node = next.node;
  for (const { sites, attempted, pieces } of source.streams()) {
    for (const group of groupPieces(pieces, spec.unit, bytesPerEvent(walk), mostJobs)) {
      if (unit > next.unit && isFull(most, unit - next.unit, node - next.node, group.pieces.length)) return;
      const block = blocks.place(group.expectedBytes, attempted);
      const unitLumi = source.sharesLumi ? next.firstLumi + BigInt(unit - next.unit) : null;
      // Never all jobs of a round: what they do by half is to be compared.
      const probes = probe ? Math.min(probeJobs, most.leastNodes ? probeJobs : group.pieces.length - 1) : 0;
      const nodes = group.pieces.map((piece): ProcessingNodePlan => {
        const index = node++;
        const isProbe = index - next.node < probes;
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
          resources: isProbe && probe ? probe : usual,
          ...(isProbe && { isProbe }),
          seed: seedOf(index),
        };
      });
      yield {
        name: unitName(unit),
        index: unit,
        block,
        sites,
        // What is begun is finished first. Far below the differences between requests.
        priority: next.unit - unit,
        nodes,
        resources: usual,
        expectedOutputBytes: group.expectedBytes,
      };
      unit += 1;
    }
  }
}

/** With so many units and jobs before the next unit, and so many jobs in that. */
const isFull = (
  { units: most, nodes, leastNodes = 0 }: RoundLimits,
  units: number,
  jobs: number,
  more: number,
): boolean => (most !== null && units >= most && jobs >= leastNodes) || (nodes !== null && jobs + more > nodes);

/** Merged bytes per event read or generated. What was asked for counts events that survive; measurements, all. */
function bytesPerEvent({ facts: { spec, sizing }, source }: Walk): number | null {
  const measured = sizing?.mergedKbPerEvent ?? sizing?.kbPerEvent;
  if (measured) return measured * 1000;
  const { kbPerEvent } = spec.resources;
  return kbPerEvent === null ? null : kbPerEvent * 1000 * source.survival;
}
