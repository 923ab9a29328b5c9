import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { readIfThere, replaceFile } from "../../core/disk/atomic-file.ts";
import { readText } from "../../engines/observe/files.ts";
import { Budget, removeTree } from "./disk-steps.ts";
import { adjustNodes, keepAway, letRun, reelectUnit } from "./unit-changes.ts";
import { unitDamage } from "./unit-damage.ts";
import { logTail, openEpoch, readInUnit } from "./unit-files.ts";

/** What somebody who owns the submit directory may try on a server that is root. */
let dir = "";
let unit = "";
let secret = "";
const EPOCH = { epoch: 1, nodes: null, by: "ann", reason: "again", at: "2026-01-01T00:00:00Z" };

beforeEach(() => {
  dir = tempDir("links");
  unit = join(dir, "mg_000000");
  secret = join(dir, "secret");
  mkdirSync(unit);
  writeFileSync(secret, "root:x\n");
  writeFileSync(join(unit, "manifest.json"), JSON.stringify({ block: 0, sites: ["A", "B"], nodes: {} }));
  writeFileSync(join(unit, "group.inc"), 'My.DESIRED_Sites = "A"\n');
});

describe("a link in the place of a file", () => {
  const plant = (name: string) => symlinkSync(secret, join(unit, name));

  test("at the temporary name of a file leads nowhere: the name cannot be guessed", async () => {
    plant(`group.inc.tmp-${process.pid}`);
    await keepAway(dir, "mg_000000", ["A"]);
    expect(readFileSync(secret, "utf8")).toBe("root:x\n");
    expect(readFileSync(join(unit, "group.inc"), "utf8")).toBe('My.DESIRED_Sites = "B"\n');
  });

  test("is replaced, never written through", async () => {
    plant("note");
    await replaceFile(join(unit, "note"), "mine\n");
    expect(lstatSync(join(unit, "note")).isFile()).toBe(true);
    expect(readFileSync(secret, "utf8")).toBe("root:x\n");
  });

  test("is not read: neither logs, ledgers, results nor the engine's own files", async () => {
    for (const name of ["proc_000000.7.err", "ledger.jsonl", "merge_output.json", "group.dag.status"]) plant(name);
    expect(await logTail(dir, "mg_000000", "proc_000000")).toBe("");
    await expect(readInUnit(dir, "mg_000000", "merge_output.json")).rejects.toThrow(/merge_output\.json: it is a link/);
    await expect(readIfThere(join(unit, "ledger.jsonl"))).rejects.toThrow(/it is a link/);
    expect(await readText(join(unit, "group.dag.status"))).toBeNull();
  });

  test("is not appended to, and neither is a file with a second name", async () => {
    plant("ledger.jsonl");
    await expect(openEpoch(dir, "mg_000000", EPOCH)).rejects.toThrow(/mg_000000: it is a link/);
    renameSync(join(unit, "ledger.jsonl"), join(unit, "old"));
    execFileSync("ln", [secret, join(unit, "ledger.jsonl")]);
    await expect(openEpoch(dir, "mg_000000", EPOCH)).rejects.toThrow(/not a plain file/);
    expect(readFileSync(secret, "utf8")).toBe("root:x\n");
  });

  test("a pipe keeps nobody waiting", async () => {
    for (const name of ["ledger.jsonl", "proc_000000.7.err"]) execFileSync("mkfifo", [join(unit, name)]);
    await expect(readInUnit(dir, "mg_000000", "ledger.jsonl")).rejects.toThrow(/not a plain file/);
    expect(await logTail(dir, "mg_000000", "proc_000000")).toBe("");
  });
});

describe("a link in the place of a directory", () => {
  let elsewhere = "";
  beforeEach(() => {
    elsewhere = join(dir, "elsewhere");
    renameSync(unit, elsewhere);
    writeFileSync(join(elsewhere, "proc_000000.stopped"), "");
    symlinkSync(elsewhere, unit);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["placing again", () => reelectUnit(dir, "mg_000000", ["A"])],
    ["keeping away", () => keepAway(dir, "mg_000000", ["A"])],
    ["letting run", () => letRun(dir, "mg_000000", null)],
    ["adjusting", () => adjustNodes(dir, "mg_000000", ["proc_000000"], () => ({ memoryMb: 1 }))],
    ["a new epoch", () => openEpoch(dir, "mg_000000", EPOCH)],
  ])("%s works in none", async (_what, work) => {
    await expect(work()).rejects.toMatchObject({ code: "disk-unwritable", subject: unit });
    expect(readFileSync(join(elsewhere, "group.inc"), "utf8")).toBe('My.DESIRED_Sites = "A"\n');
    expect(existsSync(join(elsewhere, "proc_000000.stopped"))).toBe(true);
    expect(existsSync(join(elsewhere, "ledger.jsonl"))).toBe(false);
  });

  test("removal takes the link, not what it leads to", async () => {
    mkdirSync(join(dir, "tree"));
    symlinkSync(elsewhere, join(dir, "tree/inner"));
    expect(await removeTree(join(dir, "tree"), new Budget(100))).toBe(true);
    await expect(removeTree(unit, new Budget(100))).resolves.toBeTypeOf("boolean");
    expect(existsSync(join(elsewhere, "group.inc"))).toBe(true);
  });
});

test.runIf(process.getuid?.() === 0)(
  "what a server that is root writes belongs to whoever owns the directory",
  async () => {
    execFileSync("chown", ["1000:1000", unit]);
    await openEpoch(dir, "mg_000000", EPOCH);
    await keepAway(dir, "mg_000000", ["A"]);
    for (const name of ["ledger.jsonl", "group.inc"]) expect(lstatSync(join(unit, name)).uid).toBe(1000);
  },
);

test.runIf(process.getuid?.() === 0)(
  "what the owner of the jobs may not read is told as such, also by root",
  async () => {
    const owner = { uid: 1000, gid: 1000 };
    writeFileSync(join(unit, "group.dag"), "# wms2 unit=mg_000000 block=0\nMAXJOBS cleanup 1\n");
    expect(await unitDamage(dir, "mg_000000", owner)).toMatchObject({ path: unit, why: "uid 1000 has no permission" });
    execFileSync("chown", ["-R", "1000:1000", unit]);
    expect(await unitDamage(dir, "mg_000000", owner)).toBeNull();
    execFileSync("chmod", ["000", join(unit, "manifest.json")]);
    expect(await unitDamage(dir, "mg_000000", owner)).toEqual({
      unit: "mg_000000",
      path: join(unit, "manifest.json"),
      why: "uid 1000 has no permission",
    });
  },
);
