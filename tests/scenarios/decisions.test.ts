import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { RequestName, SiteName } from "../../src/core/names.ts";
import { watchFailures } from "../../src/operations/handlers/watch-failures.ts";
import { generation, makeWorld } from "../support/world.ts";

/** What people decide about failures, over a real store, real submit directories and the real loop. */
let world: Awaited<ReturnType<typeof makeWorld>>;
let name: RequestName;
const ann = { actor: "ann", version: null, dryRun: false };
const UNKNOWN = { cause: "exit", exitCode: 3, category: null, decision: "unclassified", why: "unclassified" } as const;

beforeEach(async () => {
  world = await makeWorld();
});
/** Three units, all of which fail as no rule knows. */
async function held(): Promise<void> {
  name = await world.submit(generation("r", 3));
  await passes();
  await ends(3);
}

async function passes(): Promise<void> {
  for (let pass = 0; pass < 5; pass += 1) await world.pass();
}
/** So many units fail as no rule knows, the others finish. */
async function ends(failed: number, how: Parameters<typeof world.engine.fail>[1] = UNKNOWN): Promise<void> {
  world.engine.fail(failed, how);
  world.engine.finish(world.storageDir);
  await passes();
  await world.expectStatus(name, "held");
}

/** How many wait for a decision, and what is advised, as each surface says it. */
async function told() {
  await watchFailures(world.ports);
  const { open } = (await world.commands.unclassified(name, { offset: 0, limit: 9 }))!;
  const { groups } = (await world.commands.failureGroups(name))!;
  const errors = (await world.commands.errors(name))!;
  const { causes } = await world.commands.causes({ limit: 10 });
  const { hold } = await world.request(name);
  const sum = (items: readonly { readonly unclassified: number }[]) =>
    items.reduce((all, { unclassified }) => all + unclassified, 0);
  return {
    open: [open, sum(groups), errors.unclassified, sum(causes)],
    advice: [hold?.code, errors.suggestion.action, causes[0]?.suggestion.action],
    groups,
  };
}

const classify = (action: "retry" | "fail", nodes: readonly string[], reason = "seen", by = "ann") =>
  world.commands.classify(
    name,
    nodes.map((node) => ({ node, action, changes: {}, reason })),
    { ...ann, actor: by },
  );
const NODES = ["mg_000000/proc_000000", "mg_000001/proc_000002", "mg_000002/proc_000004"];
const WAITS = ["unclassified-failures", "classify", "classify"];

describe("one count of what waits for a decision, wherever it is told", () => {
  beforeEach(held);

  test("of a decision made, until nothing waits", async () => {
    expect(await told()).toMatchObject({ open: [3, 3, 3, 3], advice: WAITS });
    await classify("fail", NODES.slice(0, 1));
    expect(await told()).toMatchObject({ open: [2, 2, 2, 2], advice: WAITS });
    await classify("retry", NODES.slice(1));
    await passes();
    await world.expectStatus(name, "active");
  });

  test("what was retried and fails again can be decided again", async () => {
    await classify("retry", NODES);
    await passes();
    await ends(3);
    const again = await told();
    expect(again).toMatchObject({ open: [3, 3, 3, 3], advice: WAITS });
    expect(again.groups).toMatchObject([{ failures: 3, unclassified: 3, whyNot: null }]);
    const items = [{ group: again.groups[0]!.key, action: "fail" as const, changes: {}, reason: "twice now" }];
    expect(await world.commands.classify(name, items, ann)).toMatchObject({ kind: "done", open: 0 });
  });

  test("all are given up: hold, errors and causes say so, and by whom", async () => {
    await classify("fail", NODES, "the geometry is wrong");
    const done = await told();
    expect(done).toMatchObject({ open: [0, 0, 0, 0], advice: ["permanent-failures", "release", "release"] });
    expect((await world.request(name)).hold?.message).toContain("the geometry is wrong");
    expect(done.groups).toMatchObject([{ whyNot: expect.stringContaining("ann gave them up: the geometry is wrong") }]);
    expect(JSON.stringify(done.groups)).not.toContain("rule knows");
  });

  test("what was given up, released and fails again is a new question", async () => {
    await classify("fail", NODES);
    expect(
      await world.commands.act(name, { action: "release", how: "rescue", reason: "the disk is back" }, ann),
    ).toMatchObject({ kind: "done" });
    await passes();
    await ends(3);
    expect(await told()).toMatchObject({ open: [3, 3, 3, 3], advice: WAITS });
    expect(await classify("fail", NODES)).toMatchObject({ kind: "done", open: 0 });
  });
});

test("each decision keeps its own reason, also where they are carried out together", async () => {
  await held();
  await classify("retry", NODES.slice(0, 1), "the licence server was down");
  await classify("retry", NODES.slice(1), "the disk was full", "bob");
  await passes();
  const { epochs = [] } = (await world.commands.attempts(name, { limit: 9 })) ?? {};
  expect(epochs.map(({ unit, record: { by, reason } }) => `${unit} ${by}: ${reason}`)).toEqual([
    "mg_000000 ann: the licence server was down",
    "mg_000001 bob: the disk was full",
    "mg_000002 bob: the disk was full",
  ]);
});

describe("a site is named where more fails there than elsewhere, by all alike", () => {
  const AWAY = { exitCode: 8020, cause: "exit", category: "infrastructure", rule: "open-input" } as const;

  /** Of each site so many units fail and so many end well; the request is held. */
  async function at(sites: Readonly<Record<string, { bad: number; good: number }>>): Promise<void> {
    const units = Object.values(sites).reduce((sum, { bad, good }) => sum + bad + good, 0);
    name = await world.submit(generation("away", units));
    await passes();
    const { submitDir } = [...world.engine.runs.values()].at(-1)!.run;
    let next = 0;
    for (const [site, { bad }] of Object.entries(sites)) {
      world.engine.fail(bad, { ...AWAY, site });
      next += bad;
    }
    for (const [site, { good }] of Object.entries(sites))
      for (let left = good; left > 0; left -= 1, next += 1) {
        const unit = `mg_${String(next).padStart(6, "0")}`;
        const line = { event: "attempt", at: "2026-01-01T00:00:00Z", node: "proc_x", cluster: 10_000 + next, site };
        appendFileSync(join(submitDir, unit, "ledger.jsonl"), `${JSON.stringify({ ...line, decision: "done" })}\n`);
      }
    world.engine.finish(world.storageDir);
    await passes();
    await world.expectStatus(name, "held");
    await watchFailures(world.ports);
  }
  const told = async () => {
    const errors = (await world.commands.errors(name))!;
    const { causes } = await world.commands.causes({ limit: 10 });
    return {
      named: [errors.suggestion.modifications.site_bans ?? [], causes.flatMap(({ site }) => site ?? [])],
      blamed: errors.sites.filter(({ blamed }) => blamed > 0).map(({ site }) => site),
      actions: [errors.suggestion.action, ...causes.map(({ suggestion }) => suggestion.action)],
      everybody: [errors.suggestion.everybodyCommand, causes[0]?.suggestion.everybodyCommand],
      causes: causes.length,
    };
  };

  test("8020 at two sites alike: it is neither, one cause, and nobody is banned", async () => {
    await at({ north: { bad: 6, good: 10 }, south: { bad: 6, good: 11 } });
    expect(await told()).toMatchObject({ named: [[], []], blamed: [], actions: ["rescue", "rescue"], causes: 1 });
    expect(await world.store.sites.activeBans(world.ports.clock.now())).toEqual([]);
  });

  test("one that fails beside one that works: it alone, for these requests or for everybody", async () => {
    await at({ north: { bad: 8, good: 9 }, south: { bad: 1, good: 20 } });
    const command = "wms2 sites ban north --reason TEXT";
    expect(await told()).toMatchObject({
      named: [["north"], ["north"]],
      blamed: ["north"],
      actions: ["release", "release", "rescue"],
      everybody: [command, command],
    });
  });

  test("once it is banned, by whatever hand, all say that a release goes on elsewhere", async () => {
    await at({ north: { bad: 8, good: 9 }, south: { bad: 1, good: 20 } });
    const ban = { request: null, days: 2, reason: "its storage is down" };
    await world.commands.banSite("north" as SiteName, ban, ann);
    expect(await told()).toMatchObject({ named: [[], ["north"]], everybody: [null, null] });
    const { causes } = await world.commands.causes({ limit: 10 });
    expect(causes[0]?.suggestion).toMatchObject({
      body: { action: "release" },
      reason: expect.stringMatching(/banned: a release/),
    });
  });
});

test("what one person bans for many requests is no ban for everybody", async () => {
  for (const one of ["a", "b", "c", "d"]) {
    name = await world.submit(generation(one, 10));
    await passes();
    world.engine.fail(4, { category: "transient", exitCode: 60307, site: "south" });
    world.engine.finish(world.storageDir);
    await passes();
    await world.expectStatus(name, "held");
    const release = { action: "release", how: "rescue", modifications: { site_bans: ["south"] }, reason: "t" } as const;
    expect(await world.commands.act(name, release, ann)).toMatchObject({ kind: "done" });
    await passes();
    world.engine.finish(world.storageDir);
    await passes();
  }
  const bans = await world.store.sites.activeBans(world.ports.clock.now());
  expect(bans.map(({ workflowId }) => workflowId)).toHaveLength(4);
  expect(bans.filter(({ workflowId }) => workflowId === null)).toEqual([]);
});
