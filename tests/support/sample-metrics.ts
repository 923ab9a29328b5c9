import { invariant } from "../../src/core/base/errors.ts";
import type { WorkflowMetrics } from "../../src/core/metrics.ts";
import type { PlanFacts } from "../../src/planning/facts.ts";
import { askedOf, sizeRound } from "../../src/planning/size-round.ts";
import { tellRequested, tellRounds } from "../../src/planning/sizing/figures.ts";
import { type MeasuredJob, type MeasuredStep, summariseJobs } from "../../src/planning/sizing/metrics.ts";
import type { SizingFacts, SizingLimits } from "../../src/planning/sizing/size.ts";

export const SIZING_LIMITS: SizingLimits = {
  leastMemoryPerCoreMb: 500,
  maxMemoryPerCoreMb: 3000,
  maxMemoryMb: null,
  maxWallMinutes: 47 * 60,
  maxDiskMb: 100_000,
  targetWallMinutes: 480,
  minJobs: 5,
};

type Change = Partial<MeasuredStep & Pick<MeasuredJob, "outputBytes" | "diskMb">>;

/** Jobs of one step, 100 events in 100 s with 1000 MB, to be changed where a case needs it. */
export const sampleJobs = (count: number, change: (at: number) => Change = () => ({})): readonly MeasuredJob[] =>
  Array.from({ length: count }, (_, at) => {
    const { outputBytes = null, diskMb = null, ...own } = change(at);
    const step: MeasuredStep = { ...STEP, ...own };
    const { wallSec, memoryMb, events } = step;
    return { steps: [step], wallSec, memoryMb, events, diskMb, outputBytes };
  });
const STEP: MeasuredStep = {
  name: "select",
  wallSec: 100,
  cpuSec: 95,
  threads: 1,
  instances: 1,
  memoryMb: 1000,
  memorySource: "framework",
  events: 100,
  startSec: null,
};

/** The same round, after these jobs were measured in earlier ones. */
export function measuredFacts(
  facts: PlanFacts,
  jobs: readonly MeasuredJob[],
  known: Partial<SizingFacts> = {},
): PlanFacts {
  const sized = sizeRound(facts, {
    asked: askedOf(facts.spec),
    before: null,
    metrics: summariseJobs(jobs),
    killedAtMb: null,
    saidMb: null,
    isRoundOver: true,
    ...known,
  });
  invariant(sized.ok, "the sample cannot be sized");
  return sized.value;
}

/** Round 0 as the request said, and round 1 by what it showed. */
export function sampleMetrics(): WorkflowMetrics {
  const round0 = summariseJobs(
    sampleJobs(42, (at) => ({ name: "RECO", memoryMb: 2000 + at, threads: 4, cpuSec: 300 })),
  );
  const asked = { cores: 4, memoryMb: 8000, wallMinutes: 480, diskMb: 2000, eventsPerJob: 1000 };
  const first = tellRequested(null, 0, { ...asked, isMeasured: false, why: {} });
  const told = tellRounds(first, round0 ? [{ round: 0, metrics: round0 }] : []);
  const why = { memory: "measured 2021 MB median over 42 jobs (RECO, by framework) × 1.2" };
  return tellRequested(told, 1, { ...asked, memoryMb: 2426, isMeasured: true, why });
}
