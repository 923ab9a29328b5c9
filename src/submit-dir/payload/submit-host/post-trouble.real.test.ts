import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inUnit, ledger, policy, post, postJson, script, unit } from "../../../../tests/support/checked-unit.ts";
import { run, SHELL } from "../../../../tests/support/payload-scratch.ts";

describe("what should never happen is said to a person, and nothing is run on it", () => {
  test.each<[string, () => void, RegExp]>([
    ["a policy that is no JSON", () => unit.write("policy.json", "{"), /policy\.json is no JSON/],
    ["no policy", () => rmSync(unit.path("policy.json")), /policy\.json is missing/],
    ["a policy with a wrong word", () => policy({ retries: 3 }), /settings\.retries/],
  ])("%s", async (_what, spoil, words) => {
    spoil();
    expect((await post("proc_000000", 15, 0, 3, 99)).code).toBe(42);
    expect(ledger()).toMatchObject([{ decision: "stop", why: "no-policy", exitCode: 15, rrn: 1 }]);
    expect(ledger()[0]?.reason).toMatch(words);
    expect((await script("pre", "proc_000000", 1)).code).toBe(42);
  });

  const stopped = () => readFileSync(inUnit("proc_000000.stopped"), "utf8");
  test.each<[string, () => void, RegExp]>([
    [
      "a line of this node that cannot be read",
      () => unit.write("mg_000000/ledger.jsonl", '{"node":"proc_000000","cluster":5,"decision":"what"}\n'),
      /line 1 is about proc_000000 and cannot be read/,
    ],
    ["no plan", () => rmSync(unit.path("plan.json")), /plan\.json does not say/],
  ])("%s", async (_what, spoil, words) => {
    spoil();
    const ended = await post("proc_000000", 15, 0, 3, 99);
    expect([ended.code, ended.stderr]).toEqual([42, expect.stringMatching(words)]);
    expect(postJson("proc_000000")).toMatchObject({ final: true, error: expect.stringMatching(words) });
    expect((await script("pre", "proc_000000", 1)).code).toBe(42);
    // What is stopped is on the ledger, once.
    await post("proc_000000", 15, 0, 3, 99);
    const told = ledger().filter(({ cluster }) => cluster === 99);
    expect(told).toMatchObject([
      { event: "attempt", decision: "stop", why: "not-checked", exitCode: 15, rrn: 1, category: "infrastructure" },
    ]);
    expect([told[0]?.reason, stopped()]).toEqual([expect.stringMatching(words), `${told[0]?.reason}\n`]);
  });

  test("a ledger that is no file: why nothing could be added to it is said where the node is stopped", async () => {
    mkdirSync(inUnit("ledger.jsonl"));
    const ended = await post("proc_000000", 15, 0, 3, 99);
    expect([ended.code, ended.stderr]).toEqual([42, expect.stringMatching(/ledger\.jsonl: EISDIR/)]);
    expect(postJson("proc_000000")).toMatchObject({ final: true, error: expect.stringMatching(/EISDIR/) });
    expect((await script("pre", "proc_000000", 1)).code).toBe(42);
    expect(stopped()).toMatch(
      /could not be checked: .*EISDIR; it is not on the ledger: cannot .*ledger\.jsonl: EISDIR\n$/,
    );
  });

  test("a verdict that stands but cannot be carried out: the ledger says that the node is stopped all the same", async () => {
    mkdirSync(inUnit("proc_000001.wait"));
    for (const _ of ["first", "again"]) expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(42);
    expect(ledger()).toMatchObject([
      { event: "attempt", cluster: 37, decision: "retry" },
      { event: "stopped", cluster: 37, node: "proc_000001", reason: expect.stringContaining("proc_000001.wait") },
    ]);
  });

  test("other nodes go on beside such a line", async () => {
    unit.write("mg_000000/ledger.jsonl", '{"node":"proc_000000","cluster":5,"decision":"what"}\n');
    expect((await post("proc_000001", 15, 0, 3, 99)).code).toBe(1);
  });

  test("no Node.js on the submit host", async () => {
    const tools = unit.path("tools");
    mkdirSync(tools);
    for (const tool of ["sh", "date", "mv", "tail", "grep", "cat", "dash"])
      unit.write(`tools/${tool}`, `#!/bin/sh\nPATH=/usr/bin:/bin exec ${tool} "$@"\n`, 0o755);
    chmodSync(tools, 0o755);
    const ended = await run(["/bin/sh", "../bin/post", "proc_000000", "15", "0", "3", "99"], inUnit(), { PATH: tools });
    expect([ended.code, ended.stderr]).toEqual([42, expect.stringContaining("Node.js is not on the PATH")]);
    expect(ledger()).toMatchObject([{ decision: "stop", exitCode: 15 }]);
  });

  test("a check that does not end: the node stops and waits for a person", async () => {
    // Nobody writes into it, so reading it takes for ever.
    execFileSync("mkfifo", [inUnit("proc_000000.99.report.json")]);
    const args = [...SHELL, "../bin/post", "proc_000000", "15", "0", "3", "99"];
    const ended = await run(args, inUnit(), { WMS2_POST_DEADLINE_SEC: "1" });
    expect(ended.code).toBe(42);
    expect(ledger()).toMatchObject([
      { decision: "stop", exitCode: 15, reason: "the attempt could not be checked within 1 s" },
    ]);
    expect((await script("pre", "proc_000000", 1)).code).toBe(42);
    // Called again, it adds nothing.
    expect((await run(args, inUnit(), { WMS2_POST_DEADLINE_SEC: "1" })).code).toBe(42);
    expect(ledger()).toHaveLength(1);
  });

  test("a full disk: POST is called again, for an hour", async () => {
    writeFileSync(inUnit("proc_000000.99.err"), "");
    const full = () => run(["node", "-e", FULL_DISK, "-"], inUnit());
    expect(await full()).toMatchObject({ code: 44, stderr: expect.stringContaining("ENOSPC") });
    utimesSync(inUnit("proc_000000.99.err"), 0, 0);
    expect(await full()).toMatchObject({ code: 42 });
  });
});

/** A disk without room for one more byte, as POST sees it. */
const FULL_DISK = `
const fs = require("node:fs");
fs.writeFileSync = () => { throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }); };
process.argv.splice(1, 1, "brain.cjs", "proc_000000", "15", "0", "3", "99");
require(process.cwd() + "/../bin/brain.cjs");
`;
