import { afterEach, expect, test, vi } from "vitest";
import type { JobSpec } from "../../dag/job-spec.ts";
import { findOverLimit } from "./limits.ts";

afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;
const spec = { cluster: 1, memoryAsked: false, memoryMb: 0, wallMinutes: 60 } as JobSpec;

test("a lid that was closed, or a clock that is set, takes nobody's time; time that passed does", () => {
  const job = { spec, begunAt: performance.now(), peakMb: null };
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * HOUR });
  expect(findOverLimit([job], () => null)).toEqual([]);
  vi.setSystemTime(0);
  expect(findOverLimit([job], () => null)).toEqual([]);
  const over = findOverLimit([job], () => null, job.begunAt + HOUR + 1);
  expect(over).toMatchObject([{ job, hold: { subcode: 50664, why: "WMS2 walltime" } }]);
});
