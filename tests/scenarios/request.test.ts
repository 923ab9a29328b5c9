import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorldError } from "../../src/core/base/errors.ts";
import type { RequestName } from "../../src/core/names.ts";
import { generation, makeWorld } from "../support/world.ts";

test("a request goes from submission to registered outputs", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 3));
  await world.pass();
  await world.expectStatus(name, "active");
  world.engine.finish(world.storageDir, 1);
  await world.pass();
  expect(await world.store.units.countByStatus((await world.workflow(name)).id)).toMatchObject({ registered: 1 });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
  expect(world.moves).toEqual(["submitted → queued", "queued → planning", "planning → active", "active → completed"]);
  expect(readFileSync(join(world.storageDir, "ledger.jsonl"), "utf8").trim().split("\n")).toHaveLength(3);
  expect(await world.workflow(name)).toMatchObject({
    unitsDone: 3,
    unitsPlanned: 3,
    status: "completed",
    eventsDone: 30n,
  });
});

test("an adaptive request runs a small round first and the rest after it, with numbers that run on", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 3, { adaptive: true }));
  await world.pass();
  expect((await world.workflow(name)).nextFirstEvent).toBe(21n);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "active");
  expect(await world.workflow(name)).toMatchObject({ round: 1, nextUnit: 3, nextFirstEvent: 61n });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "completed");
});

test("a bad request leaves nothing behind", async () => {
  const world = await makeWorld();
  const answer = await world.commands.submit({ text: '{"name":"../x","kind":"generate"}', format: "json" }, "ann");
  expect(answer.ok).toBe(false);
  expect((await world.store.requests.list({ limit: 10 })).items).toEqual([]);
});

test("the same name twice is refused", async () => {
  const world = await makeWorld();
  await world.submit(generation("gen", 1));
  const answer = await world.commands.submit({ text: generation("gen", 1), format: "json" }, "ann");
  expect(answer).toMatchObject({ ok: false, error: { kind: "name-taken" } });
});

test("a full house waits, says where, and moves up when a slot is free", async () => {
  const world = await makeWorld();
  await world.commands.setAdmission({ maxActive: 1 }, "ann");
  const first = await world.submit(generation("first", 1));
  await world.pass();
  world.wait(1);
  const second = await world.submit(generation("second", 1));
  world.wait(1);
  const urgent = await world.submit(generation("urgent", 1, { urgent: true }));
  await world.pass();
  expect((await world.request(second)).waiting).toMatchObject({
    ...{ code: "admission", who: "time", reason: "number 2 in the queue: 1 of 1 slots are taken" },
  });
  expect((await world.commands.queue()).entries.map((entry) => entry.requestName)).toEqual([urgent, second]);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(first, "completed");
  await world.expectStatus(urgent, "active");
  await world.expectStatus(second, "queued");
});

test.each([
  ["removed with units done is not a success", "removed", "took the run out of the queue", "held"],
  ["a DAG the engine cannot read is held with its words", "unreadable", "ERROR: line 3: unknown keyword", "held"],
] as const)("%s", async (_story, verdict, words, status) => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 3));
  await world.pass();
  world.engine.finish(world.storageDir, 1);
  world.engine.end(verdict, verdict === "removed" ? "" : words);
  await world.pass();
  await world.expectStatus(name, status);
  expect((await world.request(name)).hold?.message).toContain(words);
  expect((await world.workflow(name)).unitsDone).toBe(1);
});

test("the engine refuses: held with its own words, and nothing is submitted again", async () => {
  const world = await makeWorld();
  world.engine.refuses = "ERROR: something is wrong in line 7";
  const name = await world.submit(generation("gen", 1));
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({
    code: "engine-rejected",
    message: expect.stringContaining("line 7"),
  });
  expect(world.engine.calls.filter((call) => call === "submit")).toHaveLength(1);
});

test("the engine is away: the request waits with the reason and goes on when it is back", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  world.engine.away = true;
  for (let i = 0; i < 5; i += 1) await world.pass();
  await world.expectStatus(name, "planning");
  expect((await world.request(name)).error).toMatchObject({ code: "engine-unreachable", count: 5 });
  world.engine.away = false;
  world.wait(20);
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).error).toBeNull();
  world.engine.away = true;
  await world.pass();
  await world.expectStatus(name, "active");
});

test("the answer to a submission is lost: the run is found and adopted, never submitted twice", async () => {
  const world = await makeWorld();
  world.engine.loseNextAnswer = true;
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  await world.expectStatus(name, "planning");
  await world.restart();
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.calls.filter((call) => call === "submit")).toHaveLength(1);
});

test("an engine that cannot tell is not guessed at", async () => {
  const world = await makeWorld();
  world.engine.loseNextAnswer = true;
  const name = await world.submit(generation("gen", 2));
  await world.pass();
  await world.restart();
  world.engine.findAnswers = { kind: "unknown", why: "condor_q timed out" };
  await world.pass();
  await world.expectStatus(name, "planning");
  expect((await world.request(name)).waiting?.reason).toContain("condor_q timed out");
  expect(world.engine.calls.filter((call) => call === "submit")).toHaveLength(1);
});

test("abort really stops the jobs, keeps finished outputs, and ends only when the engine let go", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 3));
  await world.pass();
  world.engine.finish(world.storageDir, 1);
  expect(
    await world.commands.act(
      name,
      { action: "abort", reason: "wrong events" },
      { actor: "ann", version: null, dryRun: false },
    ),
  ).toMatchObject({ kind: "done" });
  await world.pass();
  expect(world.engine.calls).toContain("stop");
  await world.pass();
  await world.expectStatus(name, "aborted");
  expect(await world.store.units.countByStatus((await world.workflow(name)).id)).toMatchObject({
    registered: 1,
    owed: 0,
  });
  const last = (await world.store.requests.transitions(name)).at(-1);
  expect(last).toMatchObject({ to: "aborted", reason: "aborted by ann: wrong events" });
});

test("abort before anything ran is immediate, and twice is once", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  await world.commands.act(name, { action: "abort", reason: "typo" }, { actor: "ann", version: null, dryRun: false });
  await world.commands.act(name, { action: "abort", reason: "typo" }, { actor: "ann", version: null, dryRun: false });
  await world.pass();
  await world.expectStatus(name, "aborted");
  expect(world.engine.calls).not.toContain("submit");
  expect(
    await world.commands.reprioritise(name, { priority: 5 }, { actor: "ann", version: null, dryRun: false }),
  ).toMatchObject({ kind: "not-allowed" });
});

test("a stale change is refused", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 1));
  const seen = (await world.request(name)).version;
  await world.commands.reprioritise(name, { priority: 7 }, { actor: "ann", version: seen, dryRun: false });
  expect(
    await world.commands.reprioritise(name, { priority: 8 }, { actor: "bob", version: seen, dryRun: false }),
  ).toMatchObject({ kind: "stale" });
  expect((await world.request(name)).priority).toBe(7);
});

test("a half-written submit directory is never submitted: a new one is made and the old one cleaned up", async () => {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", 2));
  const { spool } = world.ports;
  const write = spool.write;
  (world.ports as { spool: typeof spool }).spool = {
    ...spool,
    write: async () => {
      throw new WorldError("disk-unwritable", "/spool", "the disk is full: /spool");
    },
  };
  await world.pass();
  await world.expectStatus(name, "planning");
  expect((await world.request(name)).error).toMatchObject({ code: "disk-unwritable", count: 1 });
  (world.ports as { spool: typeof spool }).spool = { ...spool, write };
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await world.workflow(name)).nextUnit).toBe(2);
});

test("a dataset without files holds the request and names the pattern", async () => {
  const world = await makeWorld();
  const name = await world.submit(
    JSON.stringify({
      name: "empty",
      kind: "process",
      input: { files: join(world.dir, "none/*.csv") },
      split: { by: "files", files_per_job: 1 },
      steps: [{ name: "s", run: ["/bin/true"] }],
      outputs: [{ name: "o", file: "o.txt" }],
    }),
  );
  await world.pass();
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({
    code: "empty-dataset",
    message: expect.stringContaining("none/*.csv"),
  });
});

test("one broken request does not stop the others, and its error is on it", async () => {
  const world = await makeWorld();
  const broken = await world.submit(generation("broken", 1));
  const fine = await world.submit(generation("fine", 1));
  const files = world.store.requests.files;
  world.store.requests.files = async (name: RequestName) => {
    if (name === broken) throw new TypeError("undefined is not a function");
    return files.call(world.store.requests, name);
  };
  await world.pass();
  world.store.requests.files = files;
  await world.expectStatus(fine, "active");
  await world.expectStatus(broken, "held");
  expect((await world.request(broken)).hold).toMatchObject({
    ...{ code: "bug", message: "undefined is not a function" },
    evidence: {
      ...{ error: "TypeError", message: "undefined is not a function", correlation: expect.stringMatching(/./) },
      where: expect.stringMatching(/request\.test\.ts:\d+/),
    },
  });
});

test("a draft is the requestor's own until it is submitted: it may be written again, and the loop leaves it alone", async () => {
  const world = await makeWorld();
  const by = { actor: "ann", version: null, dryRun: false };
  const draft = async (units: number) =>
    world.commands.submit({ text: generation("gen", units), format: "json", isDraft: true }, "ann");
  expect(await draft(1)).toMatchObject({ ok: true, value: { request: { status: "new", version: 1 } } });
  await world.pass();
  const name = "gen" as RequestName;
  await world.expectStatus(name, "new");
  expect(await draft(3)).toMatchObject({ ok: true, value: { request: { status: "new", version: 2 } } });
  expect(await world.commands.act(name, { action: "submit", reason: "ready" }, by)).toMatchObject({ kind: "done" });
  expect(await draft(5)).toMatchObject({ ok: false, error: { kind: "name-taken" } });
  expect(await world.commands.act(name, { action: "submit", reason: "ready" }, by)).toMatchObject({ kind: "already" });
  await world.pass();
  await world.expectStatus(name, "active");
  expect(world.engine.submitted.at(-1)?.toRun).toHaveLength(3);
});

test("a draft that nobody wants any more is aborted", async () => {
  const world = await makeWorld();
  await world.commands.submit({ text: generation("gen", 1), format: "json", isDraft: true }, "ann");
  const name = "gen" as RequestName;
  await world.commands.act(name, { action: "abort", reason: "typo" }, { actor: "ann", version: null, dryRun: false });
  await world.pass();
  await world.expectStatus(name, "aborted");
});
