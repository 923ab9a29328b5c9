import fc from "fast-check";
import { expect, test } from "vitest";
import { type Dag, type DagStatus, EMPTY_TALLY } from "../core/dag.ts";
import type { UnitName } from "../core/names.ts";
import { NO_WAITS, type RunObservation } from "../core/run.ts";
import { type SideRun, withSides } from "./with-sides.ts";

const TOTAL = 12;
const names = Array.from({ length: TOTAL }, (_, at) => `job_${String(at).padStart(6, "0")}` as UnitName);

const seen = (kind: "running" | "ended", done: readonly UnitName[], failed: readonly UnitName[]) => {
  const waiting = TOTAL - done.length - failed.length;
  const counts = { total: TOTAL, waiting, done: done.length, failed: failed.length };
  const common = { units: { ...counts, running: 0 }, nodes: { ...EMPTY_TALLY, ...counts } };
  const lists = { unitsDone: done, unitsFailed: failed };
  return kind === "running"
    ? { kind, ...common, ...lists, note: null, waits: NO_WAITS }
    : { kind, ...common, ...lists, verdict: "failed" as const, text: "", rescue: null };
};
const side = (status: DagStatus, jobs: number, observation: RunObservation | null): SideRun => {
  const counts = { total: jobs, waiting: jobs, done: 0, failed: 0 };
  const dag = { status, units: { ...counts, running: 0 }, nodes: { ...EMPTY_TALLY, ...counts } } as Dag;
  return { dag, submitIntent: null, observation };
};
const sideSeen = (kind: "running" | "ended", done: readonly UnitName[], jobs: number): RunObservation => {
  const whole = seen(kind, done, []);
  const counts = { total: jobs, waiting: jobs - done.length };
  return { ...whole, units: { ...whole.units, ...counts }, nodes: { ...whole.nodes, ...counts } };
};

/** How many jobs the run has done and given up; of these, how many are beside it, and how many of those are done. */
const arbStory = fc
  .tuple(fc.nat(6), fc.nat(6))
  .chain(([done, failed]) =>
    fc.record({ done: fc.constant(done), failed: fc.constant(failed), beside: fc.nat(failed) }),
  )
  .chain((story) => fc.record({ ...constants(story), did: fc.nat(story.beside) }));
const constants = <T extends Record<string, number>>(story: T) =>
  Object.fromEntries(Object.entries(story).map(([key, value]) => [key, fc.constant(value)])) as {
    [K in keyof T]: fc.Arbitrary<number>;
  };

test("law: every job is counted once, and the whole is over when all of it is", () => {
  fc.assert(
    fc.property(
      arbStory,
      fc.constantFrom("running" as const, "ended" as const),
      fc.constantFrom("running" as const, "ended" as const),
      ({ done, failed, beside, did }, run, besideRun) => {
        const failedNames = names.slice(done, done + failed);
        const main = seen(run, names.slice(0, done), failedNames);
        const sides = [side("running", beside, sideSeen(besideRun, failedNames.slice(0, did), beside))];
        const whole = withSides(main, beside > 0 ? sides : [], new Set());
        if (whole.kind === "unknown") throw new Error("both can be seen");
        for (const { total, waiting, done, failed, ...rest } of [whole.units, whole.nodes])
          expect(waiting + done + failed + ("running" in rest ? rest.running : rest.queued)).toBe(total);
        expect(whole.units.done).toBe(done + did);
        expect(whole.unitsDone).toHaveLength(done + did);
        expect(whole.unitsFailed).toHaveLength(failed - did);
        const isOver = run === "ended" && (beside === 0 || besideRun === "ended");
        expect(whole.kind).toBe(isOver ? "ended" : "running");
      },
    ),
  );
});

test("cannot tell is never rounded: of the run, or of what may be beside it", () => {
  const gone = { kind: "unknown", why: "the engine is away" } as const;
  const ended = seen("ended", [], names.slice(0, 1));
  expect(withSides(gone, [side("running", 1, gone)], new Set())).toBe(gone);
  expect(withSides(ended, [side("running", 1, gone)], new Set())).toMatchObject({ kind: "unknown" });
  const begun = { ...side("ready", 1, null), submitIntent: {} as SideRun["submitIntent"] };
  expect(withSides(ended, [begun], new Set())).toMatchObject({
    kind: "unknown",
    why: expect.stringContaining("being submitted"),
  });
  // Never handed over: nothing of it is in the engine.
  expect(withSides(ended, [side("ready", 1, null)], new Set())).toMatchObject({ kind: "ended" });
});
