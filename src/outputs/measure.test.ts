import { expect, test } from "vitest";
import type { OutputFile } from "../domain/workflow.ts";
import { measure, type SampledAttempt } from "./measure.ts";

const line = (
  node: string,
  wallSec: number | null,
  peakMemoryMb: number | null,
  decision = "done",
): SampledAttempt => ({ node, wallSec, peakMemoryMb, decision });
const output = (sizeBytes: number) => ({ sizeBytes }) as OutputFile;

test("peak memory is the highest, time and size are per event, and only attempts that succeeded count", () => {
  const measured = measure([
    {
      unit: { events: 100n, outputs: [output(100_000)] },
      attempts: [line("proc_000000", 30, 900), line("proc_000001", 20, 1100, "retry"), line("proc_000001", 20, 1000)],
    },
    {
      unit: { events: 100n, outputs: [output(100_000)] },
      attempts: [line("proc_000002", 50, null), line("merge", 9, 9000)],
    },
  ]);
  expect(measured).toMatchObject({ memoryMb: 1000, secondsPerEvent: 0.5, kbPerEvent: 1 });
  expect(measured?.stepProfile).toMatchObject({ jobs: 3, events: 200 });
});

test("nothing is made up: no attempts, no events", () => {
  expect(measure([])).toBeNull();
  expect(measure([{ unit: { events: 0n, outputs: [] }, attempts: [line("proc_000000", 5, 10)] }])).toMatchObject({
    secondsPerEvent: null,
    kbPerEvent: null,
  });
});
