import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulated, startEmulators } from "../../lab/emulate/index.ts";
import type { RequestName } from "../../src/core/names.ts";
import { isTerminal } from "../../src/core/request-status.ts";
import { makeCmsWorld, SITES, stepChain } from "../support/cms-world.ts";

/** Made-up histories in a test run; many more by hand: WMS2_HISTORIES=300 npx vitest run --project real tests/real/output-laws.test.ts */
const HISTORIES = Number(process.env.WMS2_HISTORIES ?? 25);
const SEED = process.env.WMS2_SEED;
const UNITS = 4;

let emulated: Emulated;
beforeAll(async () => {
  emulated = await startEmulators({ sites: SITES, dbsCallsPerSec: 100_000 });
});
afterAll(() => emulated.close());

const service = fc.constantFrom("dbs-writer", "rucio", "cric");
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), diesAfter: fc.option(fc.nat(90)) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("finish" as const), site: fc.constantFrom(...SITES) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), sec: fc.constantFrom(60, 400, 4000, 40_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      how: fc.constantFrom("refuse", "half", "truncate", "status", "duplicate", "lost-reply"),
      after: fc.nat(6),
      times: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("outage" as const), service }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("back" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("retry" as const) }) },
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;
type World = Awaited<ReturnType<typeof makeCmsWorld>>;

const rows = (table: string) => Object.values(emulated.state()[table] ?? {}) as Record<string, unknown>[];

async function happen(world: World, name: RequestName, one: Event): Promise<void> {
  switch (one.do) {
    case "pass":
      return void (await world.server(one.diesAfter).pass());
    case "finish":
      world.engine.site = one.site;
      return world.engine.runs.size > 0 ? world.engine.finish(world.storageDir, 1) : undefined;
    case "wait":
      return world.wait(one.sec);
    case "fault":
      return emulated.faults({ do: one.how as "refuse", after: one.after, times: one.times });
    case "outage":
      return emulated.outage(one.service === "dbs-writer" ? "dbs" : one.service, 3600);
    case "back":
      return emulated.clearFaults();
    case "retry":
      return void (await world.commands.retryBlocks({ request: name }, "try again", ANN));
  }
}

/** A block that is closed anywhere has no unit left to come. */
async function closedOnlyWithAllUnits(world: World): Promise<void> {
  for (const block of (await world.store.outputs.list({ limit: 100 })).items) {
    const inDbs = rows("dbs.blocks").find((row) => row.block_name === block.name);
    const inRucio = rows("rucio.dids").find((row) => row.name === block.name);
    if (inDbs?.open_for_writing !== 0 && inRucio?.open !== false) continue;
    expect(block, block.name).toMatchObject({ isSealed: true, hasAllUnits: true, units: { owed: 0, replicated: 0 } });
  }
}

async function lawsHold(world: World, most: number): Promise<void> {
  const all = (await world.store.outputs.list({ limit: 100 })).items;
  const units = await world.store.units.list((await world.workflow(all[0]?.requestName as never)).id);
  expect(units).toHaveLength(UNITS);
  const promised = units.flatMap(({ outputs }) => outputs.map(({ lfn }) => lfn)).sort();
  const names = new Set(all.map(({ name }) => name));
  const registered = rows("dbs.files").map(({ row }) => row as Record<string, unknown>);
  const ours = registered.filter((row) => names.has(String(row.block_name)));
  expect(ours.map((row) => row.logical_file_name).sort()).toEqual(promised);
  expect(ours.every((row) => row.is_file_valid === 1)).toBe(true);
  const attached = rows("rucio.contents").filter(({ parent }) => names.has(String(parent)));
  expect(attached.map(({ child }) => child).sort()).toEqual(promised);
  for (const { name, site } of all) {
    const rules = rows("rucio.rules").filter((rule) => rule.name === name);
    const source = site === SITES[0] ? `${SITES[0]}_Disk` : SITES[1];
    expect(rules.map((rule) => rule.rse_expression).sort()).toEqual([source, `${SITES[0]}_Tape`].sort());
  }
  // What was merged keeps the rule that protects it where it was made, and is no block for anybody else.
  for (const { name, site } of (await world.store.outputs.list({ limit: 100, status: "merged" })).items) {
    const rules = rows("rucio.rules").filter((rule) => rule.name === name);
    expect(rules.map((rule) => rule.rse_expression)).toEqual([site === SITES[0] ? `${SITES[0]}_Disk` : SITES[1]]);
    expect(rows("dbs.blocks").filter((row) => row.block_name === name)).toEqual([]);
    expect(rows("rucio.contents").filter(({ child }) => child === name)).toEqual([]);
  }
  // The sum of the blocks is what was made, and no block is larger than it may be.
  const made = units.flatMap(({ outputs }) => outputs);
  const sum = made.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
  expect(await world.store.outputs.sums()).toMatchObject({ files: made.length, bytes: sum, blocks: all.length });
  for (const { units: of } of all) expect(of.registered).toBeLessThanOrEqual(most);
  // Nobody else's files were touched.
  const others = registered.filter((row) => !withdrawn.has(String(row.block_name)));
  expect(others.every((row) => row.is_file_valid === 1)).toBe(true);
}

/** A person named the request: its files are invalid, its rules are gone, and nobody else's are. */
async function nothingIsLeft(world: World): Promise<void> {
  const all = (await world.store.outputs.list({ limit: 100 })).items;
  expect(all.map(({ status }) => status).every((status) => status === "withdrawn")).toBe(true);
  const names = new Set(all.map(({ name }) => name));
  for (const { row } of rows("dbs.files") as { row: Record<string, unknown> }[])
    if (!withdrawn.has(String(row.block_name)))
      expect([row.logical_file_name, row.is_file_valid]).toEqual([
        row.logical_file_name,
        names.has(String(row.block_name)) ? 0 : 1,
      ]);
  for (const rule of rows("rucio.rules")) if (names.has(String(rule.name))) expect(rule.expires_at).not.toBeNull();
  for (const name of names) withdrawn.add(name);
}
/** Of earlier histories: the services are the same for all. */
const withdrawn = new Set<string>();

async function isOver(world: World, name: RequestName, end: "completed" | "withdrawn"): Promise<boolean> {
  if (end === "completed") return (await world.request(name)).status === "completed";
  const all = (await world.store.outputs.list({ limit: 100 })).items;
  return isTerminal((await world.request(name)).status) && all.every(({ status }) => status === "withdrawn");
}

const ANN = { actor: "ann", version: null, dryRun: false };
const ending = fc.constantFrom("completed" as const, "completed" as const, "withdrawn" as const);
/** All is merged at the end; a block of two stands alone; two fill one. */
const units = fc.constantFrom(500, 8, 2);
let histories = 0;

test(`whatever dies, is away or loses its answers: every file ends in one block, every block in its rules (${HISTORIES} histories)`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), ending, units, async (events, end, most) => {
      emulated.clearFaults();
      histories += 1;
      const world = await makeCmsWorld(emulated);
      try {
        const name = await world.submit(stepChain(`h${histories}`, UNITS, { BlockCloseMaxFiles: most }));
        await world.server().pass();
        for (const one of events) {
          await happen(world, name, one);
          if (one.do === "pass") await closedOnlyWithAllUnits(world);
        }
        if (end === "withdrawn") {
          const isOpen = (await world.request(name)).status !== "completed";
          const answer = isOpen
            ? await world.commands.act(name, { action: "abort", reason: "bad", invalidate: true }, ANN)
            : await world.commands.withdraw(name, "bad", ANN);
          expect(answer).toMatchObject({ kind: "done" });
          world.wait(60);
          await world.server(40).pass();
        }
        emulated.clearFaults();
        if (end === "completed") world.engine.finish(world.storageDir);
        for (let i = 0; i < 12 && !(await isOver(world, name, end)); i += 1) {
          world.wait(40_000);
          await world.server().pass();
        }
        const { status, hold, waiting } = await world.request(name);
        expect({ status, hold, waiting }).toMatchObject({
          status: end === "completed" ? "completed" : expect.stringMatching("aborted|completed"),
          hold: null,
        });
        if (end === "withdrawn") return await nothingIsLeft(world);
        await closedOnlyWithAllUnits(world);
        await lawsHold(world, most);
      } finally {
        await world.close();
      }
    }),
    { numRuns: HISTORIES, endOnFailure: true, ...(SEED && { seed: Number(SEED), path: process.env.WMS2_PATH }) },
  );
}, 3_600_000);
