import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { DagId, RequestName } from "../../src/core/names.ts";
import { USUAL_RECOVERY } from "../../src/core/recover.ts";
import { tempDir } from "../support/temp-dir.ts";
import { makeWorld } from "../support/world.ts";

/** Failed jobs of a graph run again beside their run (docs/adr/0020-side-runs.md), with a scripted engine and the real loop. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let name: RequestName;
let main: DagId;
const seen = { actor: "ann", dryRun: false, version: null };
const job = (index: number) => `job_00000${index}`;
const [A, B, SLOW, AFTER_A] = [job(0), job(1), job(2), job(3)] as const;

/** a and b fail, slow runs, and `after a` waits for a. */
beforeEach(async () => {
  world = await makeWorld();
  const run = ["/bin/true"];
  const jobs = [
    { name: "a", run },
    { name: "b", run },
    { name: "slow", run },
    { name: "after a", run, after: ["a"] },
  ];
  const document = { name: "g", kind: "graph", directory: tempDir("graph"), jobs, recovery: { max_rescues: 0 } };
  name = await world.submit(JSON.stringify(document));
  await passes(5);
  main = (await world.workflow(name)).currentDagId as DagId;
  for (const failed of [A, B]) world.engine.endJob(main, failed, false);
  await passes(2);
});
const passes = async (count: number) => {
  for (let pass = 0; pass < count; pass++) await world.pass();
};
const resubmit = (...nodes: string[]) =>
  world.commands.act(name, { action: "resubmit", reason: "fixed", nodes }, { ...seen });
const sides = () => world.store.dags.sidesOf([main]);
const theSide = async () => {
  const [side] = await sides();
  if (!side) throw new Error("there is no side run");
  return side;
};
const submitDir = async () => (await world.store.dags.get(main))?.submitDir ?? "";

test("only what was named runs beside the others; what waited for it follows, and nothing counts as failed twice", async () => {
  expect(await resubmit("a")).toMatchObject({
    kind: "done",
    reason: "resubmitted by hand beside the others: 1 job; none of 4 jobs is done yet; requested by ann",
  });
  await passes(2);
  const side = await theSide();
  expect(world.engine.submitted.at(-1)).toEqual({ dagId: side.id, toRun: [A] });
  const dag = readFileSync(join(side.submitDir, "workflow.dag"), "utf8");
  expect(dag).toMatch(/^JOB job_000000 \.\.\/job-0\.sub DIR \.\.\/part_000$/m);
  expect(dag).not.toMatch(/job_00000[123]|PARENT/);
  expect((await world.request(name)).waiting).toMatchObject({
    code: "running",
    reason: "1 failed job runs again beside the others",
  });
  expect(await resubmit("a")).toMatchObject({ problems: [{ message: `${A} runs again already` }] });

  world.engine.endJob(side.id, A, true);
  world.engine.endRun(side.id, "success");
  await passes(2);
  expect((await theSide()).status).toBe("completed");
  expect((await world.store.dags.get(main))?.units).toMatchObject({ done: 1, failed: 1 });

  world.engine.endJob(main, SLOW, true);
  world.engine.endRun(main, "failed");
  await passes(3);
  await world.expectStatus(name, "active");
  const rescue = (await world.workflow(name)).currentDagId as DagId;
  expect(await world.store.dags.get(rescue)).toMatchObject({ parentDagId: main, rescueKind: "stop" });
  expect(readFileSync(join(await submitDir(), "part_000", `${B}.stopped`), "utf8")).toMatch(/left out of this run/);
  expect((await world.request(name)).rescuesUsed).toBe(0);
  world.engine.endJob(rescue, AFTER_A, true);
  world.engine.runs.get(rescue)?.failed.add(B as never);
  world.engine.endRun(rescue, "failed");
  await passes(3);
  expect((await world.request(name)).hold?.message).toMatch(/^1 of 4 jobs failed/);
});

describe("whatever happens on the way", () => {
  test("a lost answer is adopted, and a server that died goes on with it", async () => {
    await resubmit("a");
    world.engine.loseNextAnswer = true;
    await passes(1);
    expect(await theSide()).toMatchObject({ status: "ready", engineId: null });
    await world.restart();
    await passes(2);
    expect(await theSide()).toMatchObject({ status: "running" });
    expect(world.engine.submitted.filter(({ dagId }) => dagId !== main)).toHaveLength(1);
  });

  test("the run ends first: the round is not over before the jobs beside it are", async () => {
    await resubmit("a");
    await passes(2);
    world.engine.endJob(main, SLOW, true);
    world.engine.endRun(main, "failed");
    await passes(3);
    await world.expectStatus(name, "active");
    const side = await theSide();
    world.engine.endJob(side.id, A, false);
    world.engine.endRun(side.id, "failed");
    await passes(3);
    await world.expectStatus(name, "held");
    expect(await theSide()).toMatchObject({ status: "failed" });
  });

  test.each([["hold", "held", "stopped"] as const, ["abort", "aborted", "removed"] as const])(
    "a %s takes it out of the engine as well",
    async (action, status, ended) => {
      await resubmit("a");
      await passes(2);
      await world.commands.act(name, { action, reason: "enough" }, { ...seen });
      await passes(4);
      await world.expectStatus(name, status);
      expect([...world.engine.runs.values()].map(({ ended }) => ended?.verdict)).toEqual(["removed", "removed"]);
      expect((await theSide()).status).toBe(ended);
    },
  );

  test("a job that DAGMan takes for done, and the ledger does not, is a failure", async () => {
    await resubmit("a");
    await passes(2);
    const side = await theSide();
    world.engine.runs.get(side.id)?.done.add(A as never);
    world.engine.endRun(side.id, "success");
    await passes(2);
    expect((await theSide()).units).toMatchObject({ done: 0, failed: 1 });
    expect(await world.store.units.finishedNames((await world.workflow(name)).id)).toEqual(new Set());
    expect(await resubmit("a")).toMatchObject({ kind: "done" });
    await passes(2);
    expect(await sides()).toHaveLength(2);
  });
});

test("recover: of what failed so far only who lacked something runs again, with more, while the others go on", async () => {
  const oom = { cause: "oom", exitCode: 50660, memoryMb: 500, wallMinutes: 10, cores: 1 } as const;
  world.engine.endJob(main, SLOW, false, oom);
  await passes(1);
  const recover = (dryRun: boolean) =>
    world.commands.recover(name, { ...USUAL_RECOVERY, reason: "more" }, { ...seen, dryRun });
  const told = { job: "slow", unit: SLOW, action: "raise", changes: { memoryMb: 750 } };
  expect(await recover(true)).toMatchObject({
    kind: "would",
    recovery: { counts: { raise: 1, unknown: 2 }, nodes: [told, { job: "a" }, { job: "b" }] },
  });
  expect(await sides()).toEqual([]);
  expect(await recover(false)).toMatchObject({
    kind: "done",
    message: expect.stringMatching(/1 job with more memory; left alone: 2 for other reasons; .* beside the others$/),
  });
  await passes(2);
  const side = await theSide();
  expect(world.engine.submitted.at(-1)).toEqual({ dagId: side.id, toRun: [SLOW] });
  const include = readFileSync(join(await submitDir(), "part_000", "group.inc"), "utf8");
  expect(include).toContain(`${SLOW}_memory = 750\n`);
  expect(include).not.toMatch(/job_00000[013]_memory/);
  // Asked again, it is on its way: nothing runs twice.
  expect((await recover(false)).kind).toBe("nothing");
  await passes(2);
  expect(await sides()).toHaveLength(1);
  world.engine.endJob(side.id, SLOW, true);
  world.engine.endRun(side.id, "success");
  await passes(2);
  expect((await world.store.dags.get(main))?.units).toMatchObject({ done: 1, failed: 2 });
});

test("only the marks of the chosen job go: others of its folder keep theirs", async () => {
  const marks = async () =>
    readdirSync(join(await submitDir(), "part_000")).filter((file) => /stopped|wait|abort/.test(file));
  const mark = async (file: string) => writeFileSync(join(await submitDir(), "part_000", file), "why\n");
  for (const file of [`${A}.stopped`, `${A}.wait`, `${B}.stopped`, `${SLOW}.wait`, "run.abort"]) await mark(file);
  await resubmit("a");
  await passes(2);
  expect(existsSync((await theSide()).submitDir)).toBe(true);
  expect(await marks()).toEqual([`${B}.stopped`, `${SLOW}.wait`, "run.abort"]);
});

test("a name that nobody has is refused with the nearest; a group with a limit waits for the end of the run", async () => {
  expect(await resubmit("after b")).toMatchObject({ problems: [{ allowed: "did you mean after a?" }] });
  const dag = join(await submitDir(), "workflow.dag");
  writeFileSync(dag, `${readFileSync(dag, "utf8")}CATEGORY ${B} group_0\nMAXJOBS group_0 1\n`);
  expect(await resubmit("b")).toMatchObject({
    reason: expect.stringContaining("when the run has ended, since only so many"),
  });
  await passes(2);
  expect(await sides()).toEqual([]);
  expect((await world.request(name)).waiting?.details).toContain(
    "the resubmit that ann asked for follows when the run ends",
  );
});
