import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { addPolicy } from "./policy.ts";

const dir = mkdtempSync(join(tmpdir(), "wms2-policy-"));
afterAll(() => rmSync(dir, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const put = (name: string, content: unknown): string => {
  writeFileSync(join(dir, name), typeof content === "string" ? content : JSON.stringify(content));
  return join(dir, name);
};

async function run(...words: string[]): Promise<{ out: string; err: string; code: number }> {
  let [out, err] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const program = new Command("wms2").exitOverride();
  addPolicy(program);
  await program.parseAsync(["node", "wms2", "policy", ...words]);
  vi.restoreAllMocks();
  return { out, err, code: Number(process.exitCode ?? 0) };
}

const ATTEMPT = {
  node: "proc_000000",
  cluster: 7,
  dagRetry: 0,
  maxRetries: 3,
  dagReturn: 1,
  memoryMb: 2000,
  report: { state: "finished", node: "proc_000000", cluster: 7, exitCode: 50660 },
};

test("decide prints the decision for a recorded attempt, and the same again", async () => {
  const attempt = put("attempt.json", ATTEMPT);
  const history = put(
    "history.jsonl",
    '{"node":"proc_000000","cluster":6,"return":1,"decision":"retry","rule":"x"}\n{"node"',
  );
  const policy = put("policy.yaml", "version: 1\nsettings: { max_memory_per_core_mb: 8000 }\n");
  const words = [
    "decide",
    "--attempt",
    attempt,
    "--history",
    history,
    "--policy",
    policy,
    "--now",
    "2026-11-15T10:00:00Z",
    "--json",
  ];
  const { out, err, code } = await run(...words);
  expect(JSON.parse(out)).toMatchObject({
    decision: "retry",
    controlCode: 1,
    memoryMb: 3000,
    rrn: 2,
    row: { id: "too-much-memory", source: "built-in" },
    ledgerProblems: [{ line: 2, kind: "torn" }],
  });
  expect([err.includes("torn"), code]).toEqual([true, 0]);
  expect((await run(...words)).out).toBe(out);
});

test("decide lists what is wrong with its inputs", async () => {
  const attempt = put("wrong.json", { node: 5, report: { state: "odd" } });
  const { out, code } = await run("decide", "--attempt", attempt, "--policy", put("p.json", { rows: 1 }), "--json");
  expect(
    JSON.parse(out)
      .problems.map(({ path }: { path: string }) => path)
      .sort(),
  ).toEqual(["attempt.dagReturn", "attempt.node", "attempt.report.state", "policy.rows"]);
  expect(code).toBe(2);
});

test("check lists all problems; a good file is fine", async () => {
  expect(await run("check", put("good.yaml", "rows:\n  - { id: a, exit_codes: [3], action: stop }\n"))).toMatchObject({
    code: 0,
    out: expect.stringContaining("is fine: 1 rows of its own"),
  });
  process.exitCode = undefined;
  const bad = await run("check", put("bad.yaml", "rows:\n  - { id: a, exit_codes: [x], action: nap }\nmore: 1\n"));
  expect(bad.code).toBe(2);
  for (const place of ["more", "rows[0].exit_codes[0]", "rows[0].action"]) expect(bad.out).toContain(place);
});

test("show and explain speak to programs too", async () => {
  const shown = JSON.parse((await run("show", "--json")).out);
  expect(shown.rows.length).toBeGreaterThan(90);
  const explained = JSON.parse((await run("explain", "8021", "--site", "A", "--attempt", "2", "--json")).out);
  expect(explained.decision).toMatchObject({ decision: "stop", why: "site", avoidSites: ["A"] });
  await expect(run("explain", "lots")).rejects.toThrow("whole number");
});
