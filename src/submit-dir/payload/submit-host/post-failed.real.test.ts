import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { inc, inUnit, ledger, policy, post, postJson, report, script } from "../../../../tests/support/checked-unit.ts";

describe("a job that failed", () => {
  test.each<[string, Record<string, unknown>, number, number, string]>([
    ["a true code above 255", { exitCode: 8021, error: "exit 8021 in step RECO" }, 1, 8021, "report"],
    ["a code of its own", { exitCode: 85, error: "exit 85 in step RECO" }, 85, 8021, "alias"],
    ["success in the report but not in the queue", {}, 1, 1, "status"],
    ["a kill after the report was begun", { state: "started", exitCode: null }, -9, 137, "signal"],
    ["a report that never finished", { state: "started", exitCode: null }, 0, 50115, "status"],
    ["a report of another node", { node: "proc_000009" }, 0, 50115, "status"],
    ["a report of another attempt", { cluster: 7 }, 0, 50115, "status"],
    ["a success that is no number", { exitCode: "0" }, 0, 50115, "status"],
    ["the payload's own 42", { exitCode: 42, error: "exit 42" }, 1, 42, "report"],
  ])("%s", async (_what, fields, returned, exitCode, decodedFrom) => {
    report("proc_000001", 123, fields);
    expect((await post("proc_000001", returned, 0, 3, 123)).code).toBe(1);
    expect(ledger()).toMatchObject([{ return: returned, exitCode, decodedFrom, decision: "retry", rrn: 1 }]);
    expect(postJson("proc_000001")).toMatchObject({
      node_name: "proc_000001",
      final: false,
      verdict: ledger()[0],
      classification: { retryable: true, action: "retry", rrn: 1 },
    });
  });

  test.each([
    ["cut short", (text: string) => text.slice(0, -3)],
    ["cut at the top", (text: string) => text.slice(0, 40)],
    ["empty", () => ""],
    ["binary", () => "\u0000\u0001\u0002"],
    ["another format", () => '{"state":"finished","exitCode":0}'],
  ])("a report that is %s is no proof", async (_what, spoil) => {
    report("proc_000001", 123, {}, spoil);
    expect((await post("proc_000001", 0, 0, 3, 123)).code).toBe(1);
    expect(ledger()).toMatchObject([{ decision: "retry", exitCode: 50115 }]);
  });

  test("for memory gets more of it, in group.inc, and others keep theirs", async () => {
    expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(1);
    expect(ledger()).toMatchObject([
      {
        cause: "oom",
        exitCode: 50660,
        site: "T2_XX_Alpha",
        memoryMb: 2000,
        nextMemoryMb: 3000,
        rule: "too-much-memory",
      },
    ]);
    expect(inc()).toBe(
      'proc_000000_memory = 3072\nMy.DESIRED_Sites = "T2_XX_Alpha,T2_XX_Beta"\n# end\nproc_000001_memory = 3000\n',
    );
    expect((await post("proc_000001", -1002, 1, 3, 1037)).code).not.toBe(0);
  });

  test("on a bad worker avoids it", async () => {
    report("proc_000001", 99, { exitCode: 127, error: "not found" });
    await post("proc_000001", 127, 0, 3, 99);
    expect(inc()).toContain('proc_000001_other_host = (split(TARGET.Machine, ".")[0] =!= "worker12")\n');
  });

  test("cools off in PRE, and PRE never sleeps", async () => {
    policy({ fixed_delay_sec: 900 });
    report("proc_000000", 99, { exitCode: 8021, error: "x" });
    await post("proc_000000", 1, 0, 3, 99);
    expect((await script("pre", "proc_000000", 1)).code).toBe(44);
    const until = Number(readFileSync(inUnit("proc_000000.wait"), "utf8"));
    expect(until - Date.now() / 1000).toBeGreaterThan(890);
    writeFileSync(inUnit("proc_000000.wait"), `${Math.floor(Date.now() / 1000)}\n`);
    expect((await script("pre", "proc_000000", 1)).code).toBe(0);
    expect((await script("pre", "proc_000001", 0)).code).toBe(0);
    writeFileSync(inUnit("proc_000000.wait"), "soon\n");
    expect((await script("pre", "proc_000000", 1)).code).toBe(42);
  });

  test("for good is not started again by a rescue; one whose run is used up is", async () => {
    report("proc_000000", 99, { exitCode: 8009, error: "configuration" });
    expect((await post("proc_000000", 1, 0, 3, 99)).code).toBe(42);
    const pre = await script("pre", "proc_000000", 0);
    expect([pre.code, pre.stderr]).toEqual([42, expect.stringContaining("8009")]);
    expect((await post("proc_000001", 15, 3, 3, 98)).code).toBe(42);
    expect(ledger().at(-1)).toMatchObject({ why: "run-retries" });
    expect((await script("pre", "proc_000001", 0)).code).toBe(0);
  });

  test("is checked by a pattern in its stderr, with the engine that lies beside the brain", async () => {
    policy({}, { rows: [{ id: "license", stderr: "no licen[cs]e", action: "stop" }] });
    writeFileSync(inUnit("proc_000000.99.err"), "fatal: no license left\n");
    report("proc_000000", 99, { exitCode: 8021, error: "x" });
    expect((await post("proc_000000", 1, 0, 3, 99)).code).toBe(42);
    expect(ledger()).toMatchObject([{ decision: "stop", rule: "license" }]);
  });

  test("three alike for a permanent reason end the unit", async () => {
    for (const [at, code] of [
      [0, 42],
      [1, 42],
      [2, 43],
    ] as const) {
      const node = `proc_00000${at}`;
      report(node, 200 + at, { exitCode: 8009, error: "configuration" });
      expect((await post(node, 1, 0, 3, 200 + at)).code).toBe(code);
    }
    expect(ledger().at(-1)).toMatchObject({ decision: "abort", why: "group-alike" });
    // The other units go on; only a row that says "abort" ends the whole run.
    expect((await script("unit", 1)).code).toBe(1);
    policy({}, { rows: [{ id: "end-all", exit_codes: [77], action: "abort" }] });
    expect((await post("proc_000005", 77, 0, 3, 300)).code).toBe(43);
    expect((await script("unit", 1)).code).toBe(43);
    expect((await script("unit", 0)).code).toBe(0);
  });

  test("each attempt has its line; failed submissions too, and they are no executions", async () => {
    for (const [retry, cluster] of [
      [0, 5],
      [1, -1],
      [2, -1],
      [3, 6],
    ] as const) {
      await post("proc_000000", cluster < 0 ? -1001 : 15, retry, 3, cluster);
    }
    expect(ledger().map((line) => [line.retry, line.cause, line.rrn, line.decision])).toEqual([
      [0, "exit", 1, "retry"],
      [1, "submit_failed", 1, "retry"],
      [2, "submit_failed", 1, "retry"],
      [3, "exit", 2, "stop"],
    ]);
  });
});

describe("POST again", () => {
  const files = () =>
    Object.fromEntries(
      readdirSync(inUnit())
        .filter((name) => !name.startsWith("."))
        .map((name) => [name, readFileSync(inUnit(name), "utf8")]),
    );

  test("after a crash it says the same, and there is one line", async () => {
    expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(1);
    const before = files();
    expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(1);
    expect(files()).toEqual(before);
    await post("proc_000002", -1001, 0, 3, -1);
    await post("proc_000002", -1001, 0, 3, -1);
    expect(ledger()).toHaveLength(2);
  });

  test("killed after its line, it makes good what was missing", async () => {
    const group = inc();
    await post("proc_000001", -1002, 0, 3, 37);
    const before = files();
    rmSync(inUnit("proc_000001.post.json"));
    writeFileSync(inUnit("group.inc"), group);
    expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(1);
    expect(files()).toEqual(before);
  });

  test("killed while it wrote its line, it closes it and writes it again", async () => {
    const group = inc();
    await post("proc_000001", -1002, 0, 3, 37);
    const whole = readFileSync(inUnit("ledger.jsonl"), "utf8");
    writeFileSync(inUnit("ledger.jsonl"), whole.slice(0, 200));
    writeFileSync(inUnit("group.inc"), group);
    expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(1);
    const lines = readFileSync(inUnit("ledger.jsonl"), "utf8").split("\n");
    expect(lines[0]).toBe(whole.slice(0, 200));
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ cluster: 37, rrn: 1 });
    // What is torn is told, and the next attempt counts on.
    const next = await post("proc_000001", 15, 1, 3, 38);
    expect(next.stderr).toContain("garbage");
    expect(postJson("proc_000001")).toMatchObject({ ledger_problems: [{ line: 1 }], verdict: { rrn: 2 } });
  });

  /** Of a process from before the machine was restarted. */
  const STALE_LOCK = JSON.stringify({ token: "t1", pid: 1, startedTicks: "1", bootId: "another", host: hostname() });

  test("a lock whose owner was killed does not stop anybody", async () => {
    writeFileSync(inUnit(".group.lock"), STALE_LOCK);
    expect((await post("proc_000001", -1002, 0, 3, 37)).code).toBe(1);
    expect(readdirSync(inUnit()).filter((name) => name.startsWith(".group"))).toEqual([]);
  });

  test("twenty at once write twenty whole lines, and each keeps its memory, although a stale lock is in the way", async () => {
    writeFileSync(inUnit(".group.lock"), STALE_LOCK);
    const nodes = Array.from({ length: 20 }, (_, i) => `proc_${String(i).padStart(6, "0")}`);
    for (const [i, node] of nodes.entries()) report(node, 200 + i, { exitCode: 50660, error: "x".repeat(5000) });
    await Promise.all(nodes.map((node, i) => post(node, 1, 0, 3, 200 + i)));
    expect(
      ledger()
        .map((line) => line.node)
        .sort(),
    ).toEqual(nodes);
    for (const node of nodes.slice(1)) expect(inc()).toContain(`${node}_memory = 3000\n`);
    expect(readdirSync(inUnit()).filter((name) => name.startsWith(".group"))).toEqual([]);
  }, 60_000);
});
