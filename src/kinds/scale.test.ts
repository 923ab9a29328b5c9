import { expect, it, vi } from "vitest";
import { checkPlan, inputFile, planRound, processSpec, sampleFacts } from "../../tests/support/sample-facts.ts";
import type { SplitAlgorithm } from "../core/work.ts";

vi.setConfig({ testTimeout: 60_000 });
const LUMIS = 7;
const SMALL = 2_000;
const TIMES = 4;

interface Shape {
  readonly algorithm: SplitAlgorithm;
  readonly perJob: number;
  readonly shared: boolean;
  readonly masked: boolean;
}

/** Each file has lumis of its own, or shares each of them with a neighbour; always in one run. */
function factsOf(count: number, { algorithm, perJob, shared, masked }: Shape) {
  const files = Array.from({ length: count }, (_, index) => {
    const first = 1 + (shared ? index >> 1 : index) * LUMIS;
    const lumis = Array.from({ length: LUMIS }, (_, at) => first + at);
    return inputFile(`/store/${String(index).padStart(8, "0")}.root`, { lumis: [{ run: 1, lumis }] });
  });
  const ranges = files.map(({ lumis }) => [lumis[0]!.lumis[1]!, lumis[0]!.lumis[5]!] as const);
  const mask = { runs: [], lumis: masked ? { "1": ranges } : null };
  const split = { algorithm, filesPerJob: perJob, eventsPerJob: perJob, lumisPerJob: perJob };
  return sampleFacts(processSpec({ split, input: { from: "list", path: "/data/files.json", mask } }), { files });
}

/** Of planning and checking, the best of three: what else the machine does can only add to it. */
function cpuSeconds(facts: ReturnType<typeof factsOf>): number {
  const tries = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    const outcome = planRound(facts);
    expect(outcome.kind).toBe("planned");
    if (outcome.kind === "planned") expect(checkPlan(outcome.plan, facts)).toEqual([]);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  });
  return Math.min(...tries);
}

it.each([
  { algorithm: "FileBased", perJob: 1e9, shared: false, masked: true },
  { algorithm: "EventBased", perJob: 1e9, shared: false, masked: false },
  { algorithm: "LumiBased", perJob: 1e9, shared: true, masked: false },
  { algorithm: "EventAwareLumiBased", perJob: 1e9, shared: false, masked: true },
  { algorithm: "EventAwareLumiBased", perJob: 5000, shared: true, masked: false },
] as const)("takes time in proportion to the files: %o", (shape) => {
  const small = cpuSeconds(factsOf(SMALL, shape));
  const large = cpuSeconds(factsOf(SMALL * TIMES, shape));
  // Four times the files: four times the time, or sixteen times if every file were held against every other.
  expect(large / Math.max(small, 0.01)).toBeLessThan(TIMES * 2.5);
});
