import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { DagId, RequestName, UnitName } from "../../src/core/names.ts";
import { ask, running } from "../support/active-request.ts";
import { tempDir } from "../support/temp-dir.ts";
import { generation, makeWorld } from "../support/world.ts";

/** Nothing is completed while something that was planned is neither done nor left out by name, whatever became of its files. */
type World = Awaited<ReturnType<typeof makeWorld>>;
const job = (index: number) => `job_00000${index}` as UnitName;
const made = new Date("2026-01-01T01:00:00Z");

/** Nine jobs: a-1 … a-3, then b-1 … b-3, then c-1 … c-3, of which the a's are done. */
async function graph() {
  const world = await makeWorld();
  const directory = tempDir("graph");
  const run = ["/bin/true"];
  const jobs = [
    { name: "a-{i}", each: ["i"], run, makes: "a{i}" },
    { name: "b-{i}", each: ["i"], run, reads: "a{i}", makes: "b{i}" },
    { name: "c-{i}", each: ["i"], run, reads: "b{i}", makes: "c{i}" },
  ];
  const document = { name: "g", kind: "graph", directory, parameters: { i: [1, 2, 3] }, jobs };
  const name = await world.submit(JSON.stringify(document));
  await passes(world, 5);
  const dagId = (await world.workflow(name)).currentDagId as DagId;
  for (const index of [0, 1, 2]) world.engine.endJob(dagId, job(index), true);
  const make = (path: string) => {
    writeFileSync(join(directory, path), "made");
    utimesSync(join(directory, path), made, made);
  };
  for (const path of ["a1", "a2", "a3"]) make(path);
  await passes(world, 2);
  const submitDir = (await world.store.dags.get(dagId))?.submitDir ?? "";
  return { world, name, dagId, submitDir, make, directory };
}
const passes = async (world: World, count: number) => {
  for (let pass = 0; pass < count; pass++) await world.pass();
};
const finishJobs = async (world: World, name: RequestName, jobs: readonly UnitName[]) => {
  const dagId = (await world.workflow(name)).currentDagId as DagId;
  for (const each of jobs) world.engine.endJob(dagId, each, true);
  world.engine.endRun(dagId, "success");
  await passes(world, 3);
};

test("the submit directory of a running graph is lost: it is held, says how far it was, and a release plans the rest", async () => {
  const { world, name, dagId, submitDir } = await graph();
  rmSync(submitDir, { recursive: true });
  world.engine.lose(dagId);
  await passes(world, 3);
  await world.expectStatus(name, "held");
  const { hold } = await world.request(name);
  expect(hold).toMatchObject({ code: "submit-directory-gone", message: expect.stringContaining("3 of 9 jobs done") });
  expect((await world.store.dags.get(dagId))?.units).toMatchObject({ total: 9, done: 3 });

  const answer = await ask(world, name, { action: "release" });
  expect(answer).toMatchObject({
    reason:
      "released: 6 unfinished jobs planned again, what is done stays done; 3 of 9 jobs stay done; requested by ann",
  });
  await passes(world, 3);
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.at(-1)?.toRun).toEqual([3, 4, 5, 6, 7, 8].map(job));
  await finishJobs(world, name, [3, 4, 5, 6, 7, 8].map(job));
  await world.expectStatus(name, "completed");
  expect(await world.workflow(name)).toMatchObject({ round: 1, unitsPlanned: 9, unitsDone: 9 });
});

test("what is done by its outputs runs no second time, and is told by name; what may be half written runs again", async () => {
  const { world, name, dagId, submitDir, make } = await graph();
  // c-1 was being written: it would not have begun, had b-1 not ended well. Of b-2 nobody knows whether it had.
  for (const path of ["b1", "c1", "b2", "c3"]) make(path);
  rmSync(submitDir, { recursive: true });
  world.engine.lose(dagId);
  await passes(world, 3);
  // Nobody knows what c-3 was made of: b-3, before it, has not run.
  const answer = await ask(world, name, { action: "release" });
  expect(answer).toMatchObject({
    reason: expect.stringMatching(/^released: 5 unfinished jobs planned again/),
    warnings: [expect.stringMatching(/^1 job without a report is taken as done.*\(b-1\)/)],
  });
  await passes(world, 3);
  expect(world.engine.submitted.at(-1)?.toRun).toEqual([4, 5, 6, 7, 8].map(job));
  await finishJobs(world, name, [4, 5, 6, 7, 8].map(job));
  await world.expectStatus(name, "completed");
});

test.each(["release", "resume"] as const)(
  "the folder of its jobs is removed while it is stopped, then: %s",
  async (action) => {
    const { world, name, submitDir } = await graph();
    await ask(world, name, { action: "hold" });
    await passes(world, 3);
    rmSync(join(submitDir, "part_000"), { recursive: true });
    await ask(world, name, { action });
    await passes(world, 3);
    await world.expectStatus(name, "held");
    expect((await world.request(name)).hold?.code).toBe("unit-directory-damaged");
    expect(await ask(world, name, { action: "release" })).toMatchObject({ kind: "done" });
    await passes(world, 3);
    expect(world.engine.submitted.at(-1)?.toRun).toEqual([3, 4, 5, 6, 7, 8].map(job));
  },
);

test.each(["release", "resume"] as const)("all of it is removed while it is stopped, then: %s", async (action) => {
  const { world, name, submitDir } = await graph();
  await ask(world, name, { action: "hold" });
  await passes(world, 3);
  rmSync(dirname(submitDir), { recursive: true });
  await ask(world, name, { action });
  await passes(world, 3);
  if ((await world.request(name)).status === "held") await ask(world, name, { action: "release" });
  await passes(world, 3);
  await world.expectStatus(name, "active");
  await finishJobs(world, name, [3, 4, 5, 6, 7, 8].map(job));
  await world.expectStatus(name, "completed");
});

test("who asks for it leaves the rest out, and then it is left out by name", async () => {
  const { world, name, dagId, submitDir } = await graph();
  rmSync(submitDir, { recursive: true });
  world.engine.lose(dagId);
  await passes(world, 3);
  await ask(world, name, { action: "release", how: "next-round" });
  await passes(world, 3);
  await world.expectStatus(name, "completed");
  const { id } = await world.workflow(name);
  expect((await world.request(name)).waiting).toMatchObject({ code: "left-out", reason: "6 of 9 jobs left out" });
  expect([...(await world.store.units.abandonedNames(id))].sort()).toEqual([3, 4, 5, 6, 7, 8].map(job));
});

test("a directory that is lost before anything ran is planned again, with the same events and jobs", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 4));
  world.engine.refuses = "not now";
  await passes(world, 3);
  await world.expectStatus(name, "held");
  world.engine.refuses = null;
  const { currentDagId } = await world.workflow(name);
  rmSync((await world.store.dags.get(currentDagId as DagId))?.submitDir ?? "", { recursive: true });
  await ask(world, name, { action: "release" });
  await passes(world, 4);
  if ((await world.request(name)).status === "held") await ask(world, name, { action: "release", how: "next-round" });
  await passes(world, 4);
  world.engine.finish(world.storageDir);
  await passes(world, 3);
  await world.expectStatus(name, "completed");
  expect(await world.workflow(name)).toMatchObject({ unitsDone: 4, unitsPlanned: 4, abandonedEvents: 0n });
});

test("a run that says it succeeded, and left a unit without a trace, completes nothing", async () => {
  const { world, name } = await running(4);
  world.engine.finish(world.storageDir, 3);
  const run = [...world.engine.runs.values()].at(-1);
  if (run) run.ended = { verdict: "success", text: "" };
  await passes(world, 4);
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold?.code).toBe("units-unaccounted");
});
