import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { gatherAttempts } from "../../src/operations/handlers/attempts.ts";
import { gatherErrors } from "../../src/operations/handlers/gather-errors.ts";
import { compactDirectory } from "../../src/operations/upkeep/housekeeping/compact.ts";
import { makeHousekeeping } from "../../src/operations/upkeep/housekeeping/housekeeper.ts";
import { measureSpool } from "../../src/operations/upkeep/housekeeping/usage.ts";
import { Budget } from "../../src/submit-dir/disk/disk-steps.ts";
import { tempDir } from "../support/temp-dir.ts";
import { generation, makeWorld, POLICY } from "../support/world.ts";

const DAY = 86_400;

async function makeHouse(operationsPerTurn = 100_000, policy = { compactAfterHours: 24, removeAfterDays: 30 }) {
  const world = await makeWorld();
  const spoolDir = join(world.dir, "spool");
  const { storageDir } = world;
  const keeper = (): ReturnType<typeof makeHousekeeping> =>
    makeHousekeeping({ ...world.ports, spoolDir, storageDir }, { intervalSec: 600, ...policy, operationsPerTurn });
  const house = keeper();
  return {
    ...world,
    spoolDir,
    house,
    keeper,
    submitDirs: (name: string) => readdirSync(join(spoolDir, name)).filter((entry) => entry.startsWith("r")),
    /** A request that ran, with everything jobs leave behind; it ends as `how` says. */
    async finished(name: string, how: "completed" | "aborted") {
      const request = await world.submit(generation(name, 2, { adaptive: false }));
      await world.pass();
      const [directory = ""] = readdirSync(join(spoolDir, name));
      const dir = join(spoolDir, name, directory);
      litter(dir, join(storageDir, "unmerged", name));
      if (how === "completed") world.engine.finish(storageDir);
      else {
        world.engine.fail(1, { node: "proc_000000", cluster: 12 } as never);
        await world.commands.act(
          request,
          { action: "abort", reason: "enough" },
          { actor: "ann", version: null, dryRun: false },
        );
      }
      for (let pass = 0; pass < 4; pass += 1) await world.pass();
      await world.expectStatus(request, how);
      return { request, dir };
    },
  };
}

function litter(dir: string, unmerged: string): void {
  for (const unit of readdirSync(dir).filter((name) => name.startsWith("mg_"))) {
    const file = (name: string, text: string) => writeFileSync(join(dir, unit, name), text);
    for (const node of ["proc_000000", "proc_000001"]) {
      for (const cluster of [11, 12]) {
        file(`${node}.${cluster}.out`, "out");
        file(`${node}.${cluster}.err`, `${"x".repeat(50_000)}\nthe end of ${cluster}\n`);
        file(`${node}.${cluster}.report.json`, "{}");
      }
      file(`${node}.post.json`, "{}");
    }
    mkdirSync(join(unmerged, unit), { recursive: true });
    writeFileSync(join(unmerged, unit, "proc_000000.gen.out"), "left over");
  }
  writeFileSync(join(dir, "workflow.dag.dagman.out"), "y".repeat(1_000_000));
}

const everything = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.endsWith("compacted.json"))
    .sort();

describe("housekeeping", () => {
  it("compacts after a day to what the errors view needs, and removes after a month", async () => {
    const house = await makeHouse();
    const { request, dir } = await house.finished("gen", "aborted");
    const views = async () => ({
      errors: await gatherErrors({ ...house.ports, policy: POLICY }, request),
      attempts: await gatherAttempts(house.ports, request, { limit: 100 }),
    });
    const before = await views();
    expect(before.attempts?.items).toHaveLength(1);
    const files = everything(dir).length;
    await house.house.cleanOnce();
    expect(everything(dir)).toHaveLength(files);

    house.wait(DAY + 1);
    expect(await house.house.cleanOnce()).toBe("done");
    expect(existsSync(join(dir, "compacted.json"))).toBe(true);
    for (const gone of ["bin", "payload", "proc.sub", "mg_000000/manifest.json", "mg_000001/proc_000000.12.out"])
      expect(existsSync(join(dir, gone)), gone).toBe(false);
    const [failed = ""] = readdirSync(dir).filter((unit) => existsSync(join(dir, unit, "ledger.jsonl")));
    expect(readdirSync(join(dir, failed)).sort()).toEqual([
      "group.dag",
      "ledger.jsonl",
      "proc_000000.12.err",
      "proc_000000.post.json",
    ]);
    expect(readFileSync(join(dir, failed, "proc_000000.12.err"), "utf8")).toMatch(/the end of 12\n$/);
    expect(existsSync(join(house.storageDir, "unmerged", "gen"))).toBe(false);
    const after = await views();
    expect(after.errors?.codes[0]?.logTail).toContain("the end of 12");
    expect(after).toEqual(before);

    house.wait(30 * DAY);
    expect(await house.house.cleanOnce()).toBe("done");
    expect(existsSync(join(house.spoolDir, "gen"))).toBe(false);
    expect(await house.store.alerts.open()).toEqual([]);
  });

  it("ends in the same place however often its turns are cut short or forgotten", async () => {
    const house = await makeHouse(3);
    const { dir } = await house.finished("gen", "aborted");
    const copy = join(tempDir("copy"), "dir");
    cpSync(dir, copy, { recursive: true });
    expect(await compactDirectory(copy, new Budget(1e6), new Date())).toBe(true);
    house.wait(DAY + 1);
    let turns = 0;
    // Each turn by a keeper that knows nothing of the one before: a crash after every third file.
    while ((await house.keeper().cleanOnce()) === "unfinished") turns += 1;
    expect(turns).toBeGreaterThan(10);
    expect(everything(dir)).toEqual(everything(copy));
    house.wait(30 * DAY);
    while ((await house.keeper().cleanOnce()) === "unfinished") turns += 1;
    expect(existsSync(join(house.spoolDir, "gen"))).toBe(false);
  });

  it("leaves alone what is open, what the engine has, and what nobody can vouch for", async () => {
    const house = await makeHouse();
    const open = await house.submit(generation("open", 1));
    await house.pass();
    await house.expectStatus(open, "active");
    const { dir } = await house.finished("gen", "completed");
    mkdirSync(join(house.spoolDir, "nobody", "r0-12345678"), { recursive: true });
    const before = everything(house.spoolDir);
    house.wait(90 * DAY);
    for (const answer of [
      { kind: "found", engineId: "7" },
      { kind: "unknown", why: "asleep" },
    ] as const) {
      house.engine.findAnswers = answer;
      await house.keeper().cleanOnce();
      expect(everything(house.spoolDir)).toEqual(before);
    }
    house.engine.findAnswers = null;
    house.engine.away = true;
    await house.keeper().cleanOnce();
    expect(everything(house.spoolDir)).toEqual(before);
    house.engine.away = false;
    await house.keeper().cleanOnce();
    expect(existsSync(dir)).toBe(false);
    expect(readdirSync(house.spoolDir).sort()).toEqual(["nobody", "open"]);
  });

  it("waits for the clone of a request, and keeps notes for people", async () => {
    const house = await makeHouse();
    const { request, dir } = await house.finished("gen", "aborted");
    writeFileSync(join(house.spoolDir, "gen", "invalidation.json"), "{}");
    const wanted = { action: "restart", reason: "again", cleanupPolicy: "keep_until_replaced" } as const;
    const answer = await house.commands.act(request, wanted, { actor: "ann", version: null, dryRun: false });
    expect(answer.kind).toBe("done");
    house.wait(90 * DAY);
    await house.keeper().cleanOnce();
    expect(existsSync(dir)).toBe(true);
    const clone = (await house.store.requests.get(request))?.supersededBy;
    if (!clone) throw new Error("no clone");
    await house.commands.act(
      clone,
      { action: "abort", reason: "no more" },
      { actor: "ann", version: null, dryRun: false },
    );
    for (let pass = 0; pass < 3; pass += 1) await house.pass();
    await house.keeper().cleanOnce();
    expect(readdirSync(join(house.spoolDir, "gen"))).toEqual(["invalidation.json"]);
  });

  it("finds unmerged files also when directories are removed before they would be compacted", async () => {
    const house = await makeHouse(100_000, { compactAfterHours: 48, removeAfterDays: 1 });
    const { dir } = await house.finished("gen", "aborted");
    house.wait(DAY + 1);
    await house.house.cleanOnce();
    expect(existsSync(dir)).toBe(false);
    expect(existsSync(join(house.storageDir, "unmerged", "gen"))).toBe(true);
    house.wait(DAY + 1);
    await house.house.cleanOnce();
    expect(existsSync(join(house.storageDir, "unmerged", "gen"))).toBe(false);
    expect(existsSync(join(house.spoolDir, "gen"))).toBe(false);
  });

  it("tells what cannot be removed, until a person has removed it", async () => {
    const house = await makeHouse();
    const { dir } = await house.finished("gen", "completed");
    house.wait(DAY + 1);
    rmSync(join(dir, "mg_000000", "ledger.jsonl"), { force: true });
    mkdirSync(join(dir, "mg_000000", "ledger.jsonl")); // nobody can read that
    await house.house.cleanOnce();
    expect(await house.store.alerts.open()).toMatchObject([{ key: "housekeeping:gen", severity: "warning" }]);
    rmSync(join(house.spoolDir, "gen"), { recursive: true });
    await house.house.cleanOnce();
    expect(await house.store.alerts.open()).toEqual([]);
  });

  it("does not follow links out of the spool", async () => {
    const house = await makeHouse();
    const { dir } = await house.finished("gen", "completed");
    const elsewhere = join(house.dir, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "precious"), "x");
    symlinkSync(elsewhere, join(dir, "payload", "link"));
    symlinkSync(elsewhere, join(dir, "mg_000000", "mg_000009"));
    symlinkSync(elsewhere, join(dir, "mg_000777"));
    house.wait(DAY + 1);
    await house.house.cleanOnce();
    house.wait(30 * DAY);
    await house.house.cleanOnce();
    expect(existsSync(dir)).toBe(false);
    expect(readFileSync(join(elsewhere, "precious"), "utf8")).toBe("x");
  });

  it("tells what takes the space", async () => {
    const house = await makeHouse();
    await house.finished("gen", "completed");
    const [usage] = await measureSpool(house.spoolDir, house.storageDir);
    expect(usage).toMatchObject({
      request_name: "gen",
      directories: 1,
      compacted: 0,
      unmerged_files: 2,
      unmerged_bytes: 18,
    });
    expect(usage?.bytes).toBeGreaterThan(1_400_000);
    expect(await measureSpool(join(house.dir, "no"), join(house.dir, "where"))).toEqual([]);
  });

  it("lets others have their turn while it removes a great many files", async () => {
    const dir = join(tempDir("many"), "r0-1");
    for (let unit = 0; unit < 20; unit += 1) {
      const unitDir = join(dir, `mg_${String(unit).padStart(6, "0")}`);
      mkdirSync(unitDir, { recursive: true });
      for (let file = 0; file < 200; file += 1) writeFileSync(join(unitDir, `proc_${file}.1.out`), "x");
    }
    const line = (node: number) =>
      JSON.stringify({ event: "attempt", node: `proc_${node}`, decision: "done", at: "x", pad: "p".repeat(900) });
    const ledger = Array.from({ length: 10_000 }, (_, node) => line(node)).join("\n");
    writeFileSync(join(dir, "mg_000000", "ledger.jsonl"), `${ledger}\n`);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await compactDirectory(dir, new Budget(1e6), new Date());
    delay.disable();
    expect(everything(dir).filter((name) => name.endsWith(".out"))).toEqual([]);
    // 50 ms is what it promises; a busy machine adds pauses of its own.
    expect(delay.percentile(99) / 1e6).toBeLessThan(50);
  });
});

describe("unknown runs", () => {
  it("are told when the database is older than the spool, and forgotten when it is not", async () => {
    const house = await makeHouse();
    const { dir } = await house.finished("gen", "completed");
    await house.house.lookForUnknownRuns();
    expect(await house.store.alerts.open()).toEqual([]);

    // The backup is from before a second request, whose run the engine still has.
    const lost = join(house.spoolDir, "later", "r0-0000abcd");
    cpSync(dir, lost, { recursive: true });
    const head = readFileSync(join(lost, "workflow.dag"), "utf8").replace(/dag=\S+/, "dag=0000abcd-0000");
    writeFileSync(join(lost, "workflow.dag"), head);
    house.engine.findAnswers = { kind: "found", engineId: "9" };
    await house.house.lookForUnknownRuns();
    const [alert, ...more] = await house.store.alerts.open();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ key: "unknown-run:later", severity: "critical" });
    expect(alert?.message).toContain(`run 0000abcd-0000 in ${lost}, which the engine still runs`);
    expect(existsSync(join(lost, "workflow.dag"))).toBe(true);
  });

  it("also when only a rescue of a known directory is not in the database", async () => {
    const house = await makeHouse();
    const { dir } = await house.finished("gen", "completed");
    writeFileSync(join(dir, "workflow.dag.condor.sub"), 'My.JobBatchName = "wms2-rescue-9"\n');
    await house.house.lookForUnknownRuns();
    expect((await house.store.alerts.open())[0]?.message).toContain("run rescue-9");
  });
});
