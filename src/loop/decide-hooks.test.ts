import { expect, test } from "vitest";
import { toEnd } from "../core/base/slices.ts";
import type { Hook } from "../core/graph.ts";
import type { RunObservation } from "../core/run.ts";
import { decideHooks } from "./decide-hooks.ts";

const hook = (on: Hook["on"], ...jobs: string[]): Hook => ({ on, jobs, argv: ["say", on] });
const hooks = [hook("start"), hook("jobs-ended", "fit-*"), hook("end")];
const seen = (kind: "running" | "ended", unitsDone: string[], unitsFailed: string[] = []) =>
  ({ kind, unitsDone, unitsFailed }) as unknown as RunObservation;
const jobs = new Map([
  ["fit-1", "job_000000"],
  ["fit-2", "job_000001"],
  ["plot", "job_000002"],
]);
const base = { hooks, isFirstRun: true, told: new Set<number>(), jobs, finished: new Set<string>() };

test.each<[string, Partial<Parameters<typeof decideHooks>[0]>, number[]]>([
  ["nothing was seen yet", { observation: null }, []],
  ["the engine has begun", { observation: seen("running", []) }, [0]],
  ["what was told is not told again", { observation: seen("running", []), told: new Set([0]) }, []],
  ["a rescue is no start", { observation: seen("running", []), isFirstRun: false }, []],
  ["some of the jobs have ended", { observation: seen("running", ["job_000000"]), told: new Set([0]) }, []],
  [
    "all of them have, one by failing",
    { observation: seen("running", ["job_000000"], ["job_000001"]), told: new Set([0]) },
    [1],
  ],
  [
    "one of them in an earlier run",
    { observation: seen("running", ["job_000000"]), finished: new Set(["job_000001"]), told: new Set([0]) },
    [1],
  ],
  ["the run is over", { observation: seen("ended", ["job_000000"]), told: new Set([0]) }, [1, 2]],
])("hooks: %s", (_, facts, due) => expect(toEnd(decideHooks({ ...base, observation: null, ...facts }))).toEqual(due));
