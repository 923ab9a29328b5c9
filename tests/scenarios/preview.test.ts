import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { datasetName } from "../../src/core/output-names.ts";
import { OPERATOR_ACTIONS, type OperatorAction } from "../../src/recovery/round/actions.ts";
import { ask, running, type World } from "../support/active-request.ts";
import { generation, makeWorld } from "../support/world.ts";

/**
 * Preview is what happens: whatever state a request is in, an action that is done right after its preview does what that
 * said, or is refused because something changed, and says what.
 */
const UNITS = 4;
const NAME = "gen" as RequestName;

type Step =
  | { readonly do: "pass" | "draft" | "finish" | "fail" | "start"; readonly count: number }
  | { readonly do: "act"; readonly action: OperatorAction };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("pass" as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    do: fc.constantFrom("finish" as const, "fail" as const, "start" as const),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    do: fc.constant("act" as const),
    action: fc.constantFrom<OperatorAction>("stop", "hold", "requeue", "resume", "release", "rescue"),
  }),
);
const action = fc.constantFrom(...OPERATOR_ACTIONS);

const two = (value: number) => String(value).padStart(2, "0");
const localTime = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;

/** Logs of units whose job runs, with its id. */
type Running = Map<string, string>;

/** A job of a unit that is not done begins to run; its engine notes that in the unit's log. */
function start(world: World, count: number, running: Running = new Map()): void {
  const run = [...world.engine.runs.values()].findLast(({ ended }) => ended === null);
  const open = run?.units.filter((unit) => !run.done.has(unit) && !run.failed.has(unit)) ?? [];
  for (const [at, unit] of open.slice(0, count).entries()) {
    const log = join(run?.run.submitDir ?? "", unit, "group.log");
    const id = `${two(at + 1)}0.000.000`;
    appendFileSync(log, `001 (${id}) ${localTime(world.ports.clock.now())} Job executing on host: <here>\n...\n`);
    running.set(log, id);
  }
}

/** What ran in units that are over has ended, and their logs say so. */
function endJobs(world: World, running: Running): void {
  const over = [...world.engine.runs.values()].flatMap(({ run, done, failed }) =>
    [...done, ...failed].map((unit) => join(run.submitDir, unit, "group.log")),
  );
  for (const log of over.filter((log) => running.has(log))) {
    appendFileSync(log, `005 (${running.get(log)}) ${localTime(world.ports.clock.now())} Job terminated.\n...\n`);
    running.delete(log);
  }
}

async function perform(world: World, steps: readonly Step[]): Promise<void> {
  const running: Running = new Map();
  for (const each of steps) {
    if (each.do === "act") await ask(world, NAME, { action: each.action });
    else if (each.do === "pass") for (let i = 0; i < each.count; i += 1) await world.pass();
    else if (world.engine.runs.size > 0) {
      if (each.do === "finish") world.engine.finish(world.storageDir, each.count);
      if (each.do === "fail") world.engine.fail(each.count);
      if (each.do === "start") start(world, each.count, running);
      endJobs(world, running);
    }
    world.wait(600);
  }
}

const wanted = (word: OperatorAction) => ({ action: word, ...(word === "resubmit" && { nodes: "failed" as const }) });

/** Where a request is when what was asked for has been carried out. */
const LEADS: Readonly<Partial<Record<OperatorAction, string>>> = {
  stop: "held",
  hold: "held",
  abort: "aborted",
  fail: "failed",
};

async function checkDone(world: World, word: OperatorAction, before: number, kept: number): Promise<void> {
  for (let i = 0; i < 5; i += 1) await world.pass();
  const { status, wish, hold } = await world.request(NAME);
  const story = `${word}: ${world.moves.slice(before).join(", ")}; ${status} ${hold?.code ?? ""}`;
  if (LEADS[word]) expect(status, story).toBe(LEADS[word]);
  if (word === "requeue") expect(world.moves.slice(before), story).toContain("resubmitting → queued");
  if (word === "resume" || word === "release")
    expect(world.moves.slice(before)[0] ?? "", story).toMatch(/^(held|resubmitting) →/);
  if (word === "restart") expect(await world.store.requests.get("gen-v2" as RequestName), story).not.toBeNull();
  if (LEADS[word]) expect(wish, story).toBeNull();
  expect((await world.store.workflows.forRequest(NAME))?.unitsDone ?? 0, story).toBeGreaterThanOrEqual(kept);
}

test("law: what is done right after its preview is what the preview said", { timeout: 120_000 }, async () => {
  const runs = Number(process.env.WMS2_LAW_RUNS ?? 40);
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 7 }), action, async (isDraft, steps, word) => {
      const world = await makeWorld();
      const document = { text: generation(NAME, UNITS), format: "json" as const, ...(isDraft && { isDraft }) };
      await world.commands.submit(document, "ann");
      await perform(world, isDraft ? [] : steps);
      const foreseen = await ask(world, NAME, wanted(word), true);
      const { version } = await world.request(NAME);
      const before = world.moves.length;
      const stops = world.engine.calls.filter((call) => call === "stop").length;
      const by = { actor: "ann", version, dryRun: false };
      const done = await world.commands.act(NAME, { reason: "because", ...wanted(word) }, by);
      if (foreseen.kind !== "would") {
        expect(done.kind).toBe(foreseen.kind);
        expect((await world.request(NAME)).version).toBe(version);
        return;
      }
      if (done.kind !== "done") throw new Error(`${word} was foreseen and came to ${JSON.stringify(done)}`);
      expect([done.reason, done.effect, done.warnings]).toEqual([foreseen.reason, foreseen.effect, foreseen.warnings]);
      await checkDone(world, word, before, foreseen.effect.unitsKept);
      if (foreseen.effect.jobsKilled > 0)
        expect(world.engine.calls.filter((call) => call === "stop").length).toBeGreaterThan(stops);
    }),
    { numRuns: runs },
  );
});

test("a preview counts the jobs that run, what they have done so far, and whose it is", async () => {
  const { world, name } = await running(10);
  world.engine.finish(world.storageDir, 4);
  await world.pass();
  start(world, 3);
  world.wait(3000);
  const words =
    "3 running jobs are killed, 2.5 h of work is lost; 4 of 10 units stay done; 6 units left to run; it stays stopped until: wms2 resume gen; requested by ann";
  expect(await ask(world, name, { action: "stop" }, true)).toMatchObject({
    reason: `stops it; ${words}`,
    effect: { jobsKilled: 3, secondsLost: 9000, unitsKept: 4, unitsLeft: 6 },
  });
  const { choices } = (await world.commands.actionsOf(name))!;
  expect(choices.find((choice) => choice.action === "stop")?.answer).toMatchObject({ reason: `stops it; ${words}` });
  const by = { actor: "ann", dryRun: true };
  const many = await world.commands.actMany(
    { names: [name], filter: {}, limit: 9 },
    { action: "stop", reason: "x" },
    by,
  );
  expect(many.results[0]?.answer).toMatchObject({ reason: `stops it; ${words}` });
});

test("who reads what it makes is named", async () => {
  const { world, name } = await running(2);
  const { spec } = await world.request(name);
  const input = { from: "dataset", dataset: datasetName(spec, spec.outputs[0]!) };
  const skim = { ...spec, name: "skim" as RequestName, outputs: [], work: { ...spec.work, input } as never };
  await world.store.requests.create(skim, "submitted", [], "bob", world.ports.clock.now());
  expect(await ask(world, name, { action: "abort" }, true)).toMatchObject({
    reason: expect.stringMatching(/; skim reads what it makes$/),
    effect: { readers: ["skim"] },
  });
});

test("two operators: released, failed again within a second; the other one's older dialog is refused and told why", async () => {
  const { world, name } = await running(4);
  world.engine.fail(4, { category: "permanent", why: "row-stops" });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "held");
  const { version } = await world.request(name);
  const dry = { actor: "bob", dryRun: true };
  const release = { action: "release", reason: "fixed", how: "rescue" } as const;
  const shown = await world.commands.actMany({ names: [name], filter: {}, limit: 9 }, release, dry);
  expect(shown.results[0]?.answer).toMatchObject({ kind: "would", request: { version } });
  await ask(world, name, { action: "release", how: "rescue" });
  await world.pass();
  world.engine.fail(4, { category: "permanent", why: "row-stops" });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.expectStatus(name, "held");
  const why = /^it changed since it was shown: it is held now \(partial → held: permanent-failures/;
  expect(await world.commands.act(name, release, { actor: "bob", version, dryRun: false })).toMatchObject({
    kind: "stale",
    why: expect.stringMatching(why),
  });
  const seen = new Map([[name, version]]);
  const done = await world.commands.actMany({ names: [name], seen, filter: {}, limit: 9 }, release, {
    ...dry,
    dryRun: false,
  });
  expect(done.results[0]?.answer).toMatchObject({ kind: "stale", why: expect.stringMatching(why) });
  expect((await world.request(name)).wish).toBeNull();
});
