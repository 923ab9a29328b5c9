import { SPLIT_ALGORITHMS, type SplitAlgorithm } from "../../src/core/work.ts";
import { checkPlan, inputFile, planRound, processSpec, sampleFacts } from "../../tests/support/sample-facts.ts";
import { peakRssMb, timed } from "./measure.ts";

const LUMIS_PER_FILE = 30;
const EVENTS_PER_LUMI = 100;
const FILES_PER_RUN = 1000;
/** Lumis a job is to have, as nearly as the algorithm can: from one to all of them. */
const JOB_SIZES = [1, 30, 3000, 100_000, 1e12];

/**
 * Plans and checks a dataset with many lumis, by every algorithm and for jobs of every size, without writing anything.
 * The peak is that of the whole process, so an upper bound for each case.
 */
export async function run({ files: count }: { files: number }) {
  const files = Array.from({ length: count }, (_, index) => {
    const first = 1 + (index % FILES_PER_RUN) * LUMIS_PER_FILE;
    const lumis = Array.from({ length: LUMIS_PER_FILE }, (_, at) => first + at);
    const lfn = `/store/data/Run2026A/Muons/RAW/v1/000/${String(index).padStart(8, "0")}.root`;
    const run = 1 + Math.floor(index / FILES_PER_RUN);
    return inputFile(lfn, { events: LUMIS_PER_FILE * EVENTS_PER_LUMI, sizeBytes: 2e9, lumis: [{ run, lumis }] });
  });
  let worst = { case: "", cpuSeconds: 0 };
  for (const algorithm of SPLIT_ALGORITHMS) {
    for (const lumis of JOB_SIZES) {
      const facts = sampleFacts(processSpec({ split: splitOf(algorithm, lumis) }), { files });
      const { value: jobs, cpuSeconds } = timed(() => {
        const outcome = planRound(facts);
        if (outcome.kind !== "planned") throw new Error(`not planned: ${outcome.kind}`);
        if (checkPlan(outcome.plan, facts).length > 0) throw new Error("the plan is not sound");
        return outcome.plan.summary.nodesByRole.processing;
      });
      if (cpuSeconds > worst.cpuSeconds) worst = { case: `${algorithm}, ${jobs} jobs`, cpuSeconds };
    }
  }
  return {
    files: count,
    lumisPerFile: LUMIS_PER_FILE,
    cases: SPLIT_ALGORITHMS.length * JOB_SIZES.length,
    worstCpuSeconds: worst.cpuSeconds,
    worstCase: worst.case,
    peakRssMb: peakRssMb(),
  };
}

const splitOf = (algorithm: SplitAlgorithm, lumis: number) => ({
  algorithm,
  filesPerJob: Math.ceil(lumis / LUMIS_PER_FILE),
  eventsPerJob: lumis * EVENTS_PER_LUMI,
  lumisPerJob: lumis,
  splitOnRun: false,
});
