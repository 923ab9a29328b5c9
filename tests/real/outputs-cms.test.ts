import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { makeCmsWorld, SITES, stepChain } from "../support/cms-world.ts";

let world: Awaited<ReturnType<typeof makeCmsWorld>>;
beforeEach(async () => {
  world = await makeCmsWorld();
});
afterEach(() => world.close());

const blocks = async () => (await world.store.outputs.list({ limit: 100 })).items;
const rows = (table: string) => Object.values(world.services.state()[table] ?? {}) as Record<string, unknown>[];
const rulesOf = (name: string) => rows("rucio.rules").filter((rule) => rule.name === name);
const childrenOf = (parent: string) =>
  rows("rucio.contents").flatMap((row) => (row.parent === parent ? [String(row.child)] : []));
const dbsBlock = (name: string) => rows("dbs.blocks").find((block) => block.block_name === name);

test("a request goes from finished units to closed blocks with source and tape rules, as few as its sizes allow", async () => {
  const { pass } = world.server();
  const name = await world.submit(stepChain("chain", 3));
  await pass();
  world.engine.site = SITES[0];
  world.engine.finish(world.storageDir, 2);
  await pass();
  // Too small for DBS yet, and protected where they were made.
  const small = await blocks();
  expect(small.map(({ status, units, isFirm }) => [status, units.replicated, isFirm])).toEqual([
    ["open", 2, false],
    ["open", 2, false],
  ]);
  for (const block of small) {
    expect(dbsBlock(block.name)).toBeUndefined();
    expect(rulesOf(block.name).map((rule) => rule.rse_expression)).toEqual([`${SITES[0]}_Disk`]);
  }
  const calls = async () => {
    const before = world.services.calls().length;
    for (let i = 0; i < 2; i += 1) await pass();
    return world.services.calls().length - before;
  };
  expect(await calls()).toBe(0);
  world.engine.site = SITES[1];
  world.engine.finish(world.storageDir);
  await pass();
  await world.expectStatus(name, "completed");
  const all = await blocks();
  expect(all.map(({ status, site, units }) => [status, site, units.registered]).sort()).toEqual([
    ["done", SITES[0], 3],
    ["done", SITES[0], 3],
  ]);
  for (const block of all) {
    expect(dbsBlock(block.name)).toMatchObject({ open_for_writing: 0, file_count: 3 });
    expect(rulesOf(block.name).map((rule) => rule.rse_expression)).toEqual([`${SITES[0]}_Disk`, `${SITES[0]}_Tape`]);
    expect(childrenOf(block.name)).toHaveLength(3);
    expect(childrenOf(block.dataset)).toEqual([block.name]);
  }
  // What was made elsewhere is protected there under the block it was in first, which nobody else hears of.
  const merged = (await world.store.outputs.list({ limit: 9, status: "merged" })).items;
  expect(merged.map(({ site, files }) => [site, files])).toEqual([
    [SITES[1], 0],
    [SITES[1], 0],
  ]);
  for (const block of merged) {
    expect(dbsBlock(block.name)).toBeUndefined();
    expect(rulesOf(block.name).map((rule) => rule.rse_expression)).toEqual([SITES[1]]);
  }
  expect((await world.store.units.blocks((await world.workflow(name)).id))[0]).toMatchObject({ status: "archived" });
  expect(await calls()).toBe(0);
  const asked = await world.commands.withdraw(name, "replaced", { actor: "ann", dryRun: true });
  expect(asked).toMatchObject({ kind: "would", files: 6 });
  expect(asked.kind === "would" && [asked.blocks.length, asked.rules.length]).toEqual([2, 6]);
}, 60_000);

const FULL = Array.from({ length: 4 }, () => ["done", 4]);

test("blocks that are full are closed while the request runs", async () => {
  const { pass } = world.server();
  const name = await world.submit(stepChain("full", 16, { BlockCloseMaxFiles: 4 }));
  await pass();
  for (let unit = 0; unit < 16; unit += 1) {
    world.engine.site = SITES[unit % SITES.length] as string;
    world.engine.finish(world.storageDir, 1);
    await pass();
    if (unit === 7) expect((await blocks()).map(({ status, files }) => [status, files])).toEqual(FULL);
  }
  await pass();
  await world.expectStatus(name, "completed");
  const all = await blocks();
  expect(all.map(({ site, files }) => [site, files]).sort()).toEqual(
    SITES.flatMap((site) => Array.from({ length: 4 }, () => [site, 4])).sort(),
  );
}, 60_000);

test("without tape a block is not archived: it is kept on disk, under its source rule alone", async () => {
  const bare = await makeCmsWorld(world.services, null);
  const { pass } = bare.server();
  const name = await bare.submit(stepChain("bare", 1));
  await pass();
  bare.engine.finish(bare.storageDir);
  await pass();
  await bare.expectStatus(name, "completed");
  const [first, ...others] = (await bare.store.outputs.list({ limit: 100 })).items;
  expect([first, ...others].map((block) => block?.status)).toEqual(["done", "done"]);
  expect(rulesOf(first?.name ?? "").map((rule) => rule.rse_expression)).toEqual([`${SITES[0]}_Disk`]);
  expect((await bare.store.units.blocks((await bare.workflow(name)).id))[0]).toMatchObject({ status: "on_disk" });
}, 60_000);

test("Rucio is away: the request waits and says so, its next round goes on, and it is completed when Rucio is back", async () => {
  const { pass } = world.server();
  const name = await world.submit(stepChain("away", 1));
  await pass();
  world.services.outage("rucio", 3600);
  world.engine.site = SITES[0];
  world.engine.finish(world.storageDir);
  await pass();
  await world.expectStatus(name, "active");
  expect((await world.request(name)).waiting).toMatchObject({
    code: "outputs",
    who: "service",
    until: new Date("2026-01-01T00:01:00Z"),
  });
  expect((await world.request(name)).waiting?.reason).toMatch(/0 of 2 blocks archived; Rucio/);
  world.services.outage("rucio", 0);
  await pass();
  await world.expectStatus(name, "active");
  world.wait(61);
  await world.server().pass();
  world.wait(61);
  await world.server().pass();
  await world.expectStatus(name, "completed");
}, 60_000);

/** One unit at a site that needs no tape of its own. */
async function finished(text: string, site: string = SITES[1]) {
  const { pass } = world.server();
  const name = await world.submit(text);
  await pass();
  world.engine.site = site;
  world.engine.finish(world.storageDir);
  await pass();
  return name;
}
const waiting = async (name: RequestName) => (await world.request(name)).waiting;

/** What has to be put right, and what is then left to do. */
const BAD_DAYS: [day: string, spoil: () => void, words: RegExp, repair: () => void][] = [
  [
    "the account has no quota",
    () => world.services.seed({ accounts: { wms2: { admin: true, limits: {} } } } as never),
    /source-rule of .* is refused: .*\(ask for quota/,
    () => world.services.seed({ accounts: { wms2: { admin: true, limits: { "*": null } } } } as never),
  ],
  [
    "the site has no RSE",
    () => void world.services.remove("cric.sites", SITES[1]),
    /place of .* site T2_CH_South has no RSE \(give the site its storage/,
    () => world.services.seed({ sites: { [SITES[1]]: { rses: [SITES[1]] } } } as never),
  ],
  [
    "no tape matches the expression",
    () => void world.services.remove("rucio.rses", `${SITES[0]}_Tape`),
    /tape-rule of .* is refused: .*\(no RSE matches/,
    () => world.services.seed({ rses: { [`${SITES[0]}_Tape`]: { type: "TAPE" } } } as never),
  ],
];

test.each(BAD_DAYS)(
  "%s: the request says so and what helps, and goes on when it is put right",
  async (_day, spoil, words, repair) => {
    spoil();
    const name = await finished(stepChain("bad", 1));
    await world.expectStatus(name, "active");
    expect(await waiting(name)).toMatchObject({ code: "outputs-refused", who: "operator" });
    expect((await waiting(name))?.reason).toMatch(words);
    repair();
    const by = { actor: "ann", dryRun: false };
    expect(await world.commands.retryBlocks({ request: name }, "it is there now", by)).toMatchObject({ kind: "done" });
    world.wait(60);
    await world.server().pass();
    await world.expectStatus(name, "completed");
  },
  60_000,
);

test("a file without adler32 holds nobody up; after three days of refusals its block fails, and a retry goes on", async () => {
  const { pass } = world.server();
  const name = await world.submit(stepChain("plain", 2));
  await pass();
  world.engine.site = SITES[1];
  const { fileFacts } = world.engine;
  world.engine.fileFacts = {};
  world.engine.finish(world.storageDir, 1);
  world.engine.fileFacts = fileFacts;
  world.engine.finish(world.storageDir);
  await pass();
  expect((await blocks()).map(({ units }) => [units.registered, units.owed])).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect((await waiting(name))?.reason).toMatch(/outputs of mg_000000 cannot be registered: .* has no adler32/);
  for (let i = 0; i < 2; i += 1) {
    world.wait(3 * 86_400);
    await world.server().pass();
  }
  await world.expectStatus(name, "held");
  expect((await world.request(name)).hold).toMatchObject({
    code: "registration-failed",
    evidence: { code: "no-adler32" },
  });
  expect((await blocks()).map(({ status }) => status)).toEqual(["failed", "failed"]);
  const asked = await world.commands.retryBlocks({ request: name }, "looked", { actor: "ann", dryRun: true });
  expect(asked).toMatchObject({ kind: "would", released: true });
  expect(await world.commands.retryBlocks({ request: name }, "looked", { actor: "ann", dryRun: false })).toMatchObject({
    kind: "done",
    released: true,
  });
  world.wait(60);
  await world.server().pass();
  expect((await waiting(name))?.code).toBe("outputs-refused");
}, 60_000);

/** The LFNs of the first unit that was planned. */
function plannedLfns(): readonly string[] {
  const [run] = [...world.engine.runs.values()];
  const manifest = JSON.parse(readFileSync(join(run?.run.submitDir ?? "", "mg_000000", "manifest.json"), "utf8"));
  return manifest.outputs.map(({ lfn }: { lfn: string }) => lfn);
}

test("a file that somebody else registered with another size stays theirs, also when the request is withdrawn", async () => {
  const { pass, services } = world.server();
  const name = await world.submit(stepChain("theirs", 1));
  await pass();
  const [lfn = ""] = plannedLfns();
  const config = { release: "R", psetHash: "p", globalTag: "G", outputModule: "m" };
  const dataset = "/P_theirs/Era26-other-v1/GEN";
  const block = `${dataset}#theirs`;
  const kept = {
    accessType: "PRODUCTION",
    prepId: null,
    acquisitionEra: "Era26",
    processingVersion: 1,
    config,
  } as const;
  await services.dbs.ensureDataset({ dataset, primaryType: "mc", ...kept });
  await services.dbs.openBlock(block, SITES[1]);
  const file = {
    lfn,
    dataset,
    sizeBytes: 77,
    events: 1,
    cksum: "7",
    adler32: "00000007",
    lumis: [],
    parents: [],
    config,
  };
  expect(await services.dbs.addFiles(block, [file])).toMatchObject({ kind: "done" });
  world.engine.site = SITES[1];
  world.engine.finish(world.storageDir);
  await pass();
  expect((await waiting(name))?.reason).toMatch(/outputs of mg_000000 cannot be registered: /);
  const abort = { action: "abort", reason: "wrong names", invalidate: true } as const;
  const dry = await world.commands.act(name, abort, { actor: "ann", version: null, dryRun: true });
  expect(dry).toMatchObject({ kind: "would", warnings: ["its outputs are withdrawn: 2 files in 2 blocks so far"] });
  await world.commands.act(name, abort, { actor: "ann", version: null, dryRun: false });
  for (let i = 0; i < 2; i += 1) await pass();
  await world.expectStatus(name, "aborted");
  expect((await blocks()).map(({ status }) => status)).toEqual(["withdrawn", "withdrawn"]);
  const files = (rows("dbs.files") as { row: Record<string, unknown> }[]).map(({ row }) => row);
  expect(files.find((row) => row.logical_file_name === lfn)).toMatchObject({ is_file_valid: 1, file_size: 77 });
}, 60_000);

test("a person withdraws the outputs of a completed request: rules are deleted, its files invalidated, no others", async () => {
  const name = await finished(stepChain("old", 1));
  await world.expectStatus(name, "completed");
  const asked = await world.commands.withdraw(name, "replaced", { actor: "ann", dryRun: true });
  expect(asked).toMatchObject({ kind: "would", files: 2 });
  expect(asked.kind === "would" && asked.rules).toHaveLength(4);
  expect((await blocks()).every(({ status }) => status === "done")).toBe(true);
  const done = await world.commands.withdraw(name, "replaced", { actor: "ann", dryRun: false });
  expect(done).toMatchObject({ kind: "done" });
  world.wait(60);
  await world.server().pass();
  expect((await blocks()).map(({ status }) => status)).toEqual(["withdrawn", "withdrawn"]);
  const files = (rows("dbs.files") as { row: Record<string, unknown> }[]).map(({ row }) => row);
  const valid = files.map((row) => `${String(row.dataset).startsWith("/P_old/")} ${row.is_file_valid}`);
  expect(new Set(valid)).toEqual(new Set(["true 0", "false 1"]));
  expect(rows("rucio.rules").every((rule) => rule.expires_at !== null)).toBe(true);
  expect(await world.commands.withdraw(name, "again", { actor: "ann", dryRun: false })).toMatchObject({
    kind: "already",
  });
}, 60_000);

test("a file of unknown lumis is refused, and none are made up for DBS", async () => {
  world.engine.fileFacts = { adler32: "0cc737eb" };
  const { pass } = world.server();
  const name = await world.submit(stepChain("bare", 1));
  await pass();
  world.engine.finish(world.storageDir);
  await pass();
  expect((await world.request(name)).waiting).toMatchObject({ code: "outputs-refused" });
  expect((await world.request(name)).waiting?.reason).toMatch(/nobody knows of which runs and lumis \/store\/mc/);
  expect(rows("dbs.files").filter(({ logical_file_name: lfn }) => String(lfn).startsWith("/store/mc/"))).toEqual([]);
}, 60_000);

test("a completed request that turns out bad is cloned; its outputs go when the clone is complete", async () => {
  const first = await finished(stepChain("bad", 1));
  const ann = { actor: "ann", version: null, dryRun: false };
  const restart = { action: "restart", reason: "wrong tag", cleanupPolicy: "immediate_cleanup" } as const;
  expect(await world.commands.act(first, restart, ann)).toMatchObject({ kind: "done", detail: { clone: "bad-v2" } });
  expect(await world.request(first)).toMatchObject({
    status: "completed",
    supersededBy: "bad-v2",
    outputState: "active",
  });
  const passes = async () => {
    for (let i = 0; i < 3; i += 1)
      await world
        .server()
        .pass()
        .then(() => world.wait(60));
  };
  await passes();
  world.engine.finish(world.storageDir);
  await passes();
  await world.expectStatus("bad-v2" as RequestName, "completed");
  expect(await world.request(first)).toMatchObject({ status: "completed", outputState: "invalidated" });
}, 60_000);

test("a version that is complete with immediate_cleanup withdraws the one before it, and not earlier", async () => {
  const first = await finished(stepChain("v1", 1));
  expect(first).toBe("v1");
  const ann = { actor: "ann", version: null, dryRun: false };
  const second = await world.submit(stepChain("kill", 1));
  await world.server().pass();
  await world.commands.act(second, { action: "hold", reason: "wrong" }, ann);
  for (let i = 0; i < 3; i += 1)
    await world
      .server()
      .pass()
      .then(() => world.wait(60));
  const restart = { action: "restart", reason: "fixed", cleanupPolicy: "immediate_cleanup" } as const;
  expect(await world.commands.act(second, restart, ann)).toMatchObject({ kind: "done" });
  for (let i = 0; i < 3; i += 1)
    await world
      .server()
      .pass()
      .then(() => world.wait(60));
  expect((await world.request(first)).outputState).toBe("active");
  world.engine.site = SITES[1];
  world.engine.finish(world.storageDir);
  for (let i = 0; i < 3; i += 1)
    await world
      .server()
      .pass()
      .then(() => world.wait(60));
  expect((await world.request(second)).outputState).toBe("invalidated");
  expect((await world.request(first)).outputState).toBe("active");
}, 60_000);
