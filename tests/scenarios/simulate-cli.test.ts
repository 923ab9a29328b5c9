import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";
import { chance } from "../../lab/simulate/chance.ts";
import { Laws } from "../../lab/simulate/laws.ts";
import { parseNumberTest, passes } from "../../lab/simulate/read-parts.ts";
import { VirtualTime } from "../../lab/simulate/virtual-time.ts";
import { addSimulate } from "../../src/cli/simulate.ts";
import { tempDir } from "../support/temp-dir.ts";

const scenario = (units: number, expected: string): string => `
request:
  name: tale
  kind: generate
  events: ${units * 100}
  split: { by: events, events_per_job: 10 }
  unit: { jobs: 10 }
  throttles: { units: 20 }
  steps: [{ name: gen, run: [/bin/true] }]
  outputs: [{ name: gen, file: gen.out }]
outcomes: [{ probability: 0.05, exit_code: 60307, after: 5 min }]
expect: [${expected}]
`;

/** Runs the command alone and answers its exit code and what it printed. */
async function simulate(text: string, ...options: string[]) {
  const file = join(tempDir("simulate-cli"), "scenario.yaml");
  writeFileSync(file, text);
  let out = "";
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    out += String(chunk);
    return true;
  });
  const program = new Command("wms2").exitOverride();
  addSimulate(program);
  await program.parseAsync(["node", "wms2", "simulate", file, ...options]);
  return { out, exit: process.exitCode };
}

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test("the exit code says whether the expectations came true", { timeout: 90_000 }, async () => {
  expect(await simulate(scenario(1, "{ status: completed }"))).toMatchObject({ exit: 0 });
  const wrong = await simulate(scenario(1, "{ status: held, units_done: 7 }"));
  expect(wrong.exit).toBe(3);
  expect(wrong.out).toContain("✗ finally tale: is held, but it is completed");
  expect(wrong.out).toContain("✗ finally tale: units_done 7, but it is 1");
});

test("--json tells one object a line, the summary last", async () => {
  const { out } = await simulate(scenario(2, "{ status: completed }"), "--json", "--seed", "3");
  const rows = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.at(-1)).toMatchObject({ kind: "summary", ok: true, lawsBroken: [] });
  expect(rows.filter(({ kind }) => kind === "move").at(-1)).toMatchObject({
    request: "tale",
    detail: { from: "active", to: "completed" },
  });
});

test("a request that intake refuses is told with its problems", async () => {
  await expect(simulate("request: { name: tale, kind: generate }")).rejects.toMatchObject({
    problems: expect.arrayContaining([expect.objectContaining({ path: expect.stringMatching(/^request\./) })]),
  });
});

test("200 units of 10 jobs, with failures and retries, take seconds", { timeout: 120_000 }, async () => {
  const begun = performance.now();
  const { exit, out } = await simulate(scenario(200, "{ status: completed, units_done: 200 }"));
  expect({ exit, out: exit === 0 ? "" : out }).toEqual({ exit: 0, out: "" });
  expect((performance.now() - begun) / 1000).toBeLessThan(30);
});

test("numbers as people write them", () => {
  const fits = (text: unknown, value: number) => passes(parseNumberTest(text), value);
  expect([fits(3, 3), fits("1-2", 2), fits(">2", 3), fits("<=2", 2)]).toEqual([true, true, true, true]);
  expect([fits(3, 4), fits("1-2", 3), fits(">2", 2), fits("<2", 2)]).toEqual([false, false, false, false]);
  expect(parseNumberTest("a few")).toBeNull();
});

test("chance depends on seed and words, not on the order of asking, and is even", () => {
  const shares = Array.from({ length: 10_000 }, (_, at) => chance(1, "mg_000001", `proc_${at}`));
  const below = shares.filter((share) => share < 0.1).length;
  expect(below).toBeGreaterThan(900);
  expect(below).toBeLessThan(1100);
  expect(chance(1, "a", 2)).toBe(chance(1, "a", 2));
  expect(chance(1, "a", 2)).not.toBe(chance(2, "a", 2));
});

test("virtual time: in order, those of one moment as they were planned, cancelled ones not at all", () => {
  const time = new VirtualTime(new Date(0));
  const seen: string[] = [];
  time.after(2, () => seen.push("later"));
  time.after(1, () => {
    seen.push("first");
    time.after(0, () => seen.push("at once"));
  });
  time.after(1, () => seen.push("second"));
  time.after(1, () => seen.push("never")).cancel();
  while (time.nextMs !== null) {
    time.moveTo(time.nextMs);
    time.runDue();
  }
  expect(seen).toEqual(["first", "second", "at once", "later"]);
  expect(time.sec).toBe(2);
});

test("laws: finished work begun again and ranges done twice are found", () => {
  const node = (firstEvent: number, lastEvent: number) => ({
    inputs: [],
    firstEvent,
    lastEvent,
    firstLumi: null,
    lastLumi: null,
    runLumis: null,
    events: 10,
    seed: 1,
  });
  const manifest = (from: number, to: number) => ({
    request: "r",
    round: 0,
    unit: "mg_000000",
    block: 0,
    sites: [],
    steps: [],
    outputs: [],
    nodes: { proc_000000: node(from, to) },
  });
  const laws = new Laws(() => {});
  laws.merged("r", "mg_000000", manifest(1, 10));
  laws.began("r", "mg_000000", "cleanup");
  laws.merged("r", "mg_000001", manifest(11, 20));
  laws.finish();
  expect(laws.broken).toEqual([]);
  laws.began("r", "mg_000000", "proc_000000");
  laws.merged("r", "mg_000002", manifest(20, 30));
  laws.finish();
  expect(laws.broken).toEqual([
    "r: mg_000000/proc_000000 was begun, although the outputs of mg_000000 had been made",
    "r: events 20 is in mg_000001 and in mg_000002",
  ]);
});
