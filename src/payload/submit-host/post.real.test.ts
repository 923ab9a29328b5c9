import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import {
  hits,
  inc,
  inUnit,
  ledger,
  type Merged,
  merged,
  policy,
  post,
  postJson,
  report,
  script,
  unit,
} from "../../../tests/support/judged-unit.ts";
import { run, SHELL } from "../../../tests/support/payload-scratch.ts";

describe("a job that ended well", () => {
  test("is done, with what its report says", async () => {
    report("proc_000000", 123);
    expect((await post("proc_000000", 0, 1, 3, 123)).code).toBe(0);
    expect(ledger()).toEqual([
      {
        event: "attempt",
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        node: "proc_000000",
        cluster: 123,
        retry: 1,
        maxRetries: 3,
        return: 0,
        rrn: 1,
        epoch: 0,
        exitCode: 0,
        site: "T2_XX_Alpha",
        host: "worker12",
        startedAt: "2025-11-15T18:06:40Z",
        endedAt: "2025-11-15T18:06:52Z",
        wallSec: 12.05,
        cpuSec: 10.4,
        peakMemoryMb: 812,
        decision: "done",
        category: null,
        reason: "exit 0",
      },
    ]);
    expect(postJson("proc_000000")).toMatchObject({
      node_name: "proc_000000",
      attempt: 2,
      final: true,
      verdict: ledger()[0],
      job: { exit_code: 0, site: "T2_XX_Alpha" },
      cmssw: { performance: { events_read: 100, events_written: 97 } },
      classification: { action: "success", retryable: false },
    });
    expect(readdirSync(inUnit()).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("run again with the same cluster it repeats itself and adds no line", async () => {
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const before = ledger();
    rmSync(inUnit("proc_000000.123.report.json"));
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(0);
    expect(ledger()).toEqual(before);
  });

  test("cut short between its two records, it adds the missing line", async () => {
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const [line] = ledger();
    writeFileSync(inUnit("ledger.jsonl"), "");
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(0);
    expect(ledger()).toEqual([line]);
  });

  test("counts its executions over failures and a new epoch", async () => {
    await post("proc_000000", 1, 0, 3, 100);
    await post("proc_000000", -1001, 1, 3, -1);
    report("proc_000000", 102);
    await post("proc_000000", 0, 2, 3, 102);
    expect(ledger().map(({ rrn, epoch }) => [rrn, epoch])).toEqual([
      [1, 0],
      [1, 0],
      [2, 0],
    ]);
    const epoch = { event: "epoch", at: "", epoch: 1, nodes: ["proc_000000"], by: "x", reason: "" };
    writeFileSync(inUnit("ledger.jsonl"), `${JSON.stringify(epoch)}\n`, { flag: "a" });
    report("proc_000000", 103);
    await post("proc_000000", 0, 0, 3, 103);
    expect(ledger().at(-1)).toMatchObject({ rrn: 1, epoch: 1, decision: "done" });
  });

  test("a torn last line does not swallow ours", async () => {
    writeFileSync(inUnit("ledger.jsonl"), '{"at":"2026');
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const lines = readFileSync(inUnit("ledger.jsonl"), "utf8").split("\n");
    expect(lines[0]).toBe('{"at":"2026');
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ decision: "done" });
  });

  test("a merge is done only with a whole merge_output.json", async () => {
    for (const [cluster, text, code] of [
      [1, null, 1],
      [2, '{"version":1,"outputs":[\n{"out', 42],
    ] as const) {
      report("merge", cluster);
      if (text !== null) unit.write("mg_000000/merge_output.json", text);
      expect((await post("merge", 0, 0, 2, cluster)).code).toBe(code);
    }
    report("merge", 4);
    merged();
    expect((await post("merge", 0, 0, 2, 4)).code).toBe(0);
    expect(ledger()).toMatchObject([
      { cause: "missing_output", exitCode: 60302, decision: "retry" },
      { cause: "missing_output", decision: "stop", why: "rule-retries" },
      { decision: "done" },
    ]);
  });

  test.each<[string, RegExp, (made: Merged) => void]>([
    ["another LFN", /calls hits \/store\/x, and/, ({ outputs: [one] }) => Object.assign(one!, { lfn: "/store/x" })],
    ["another dataset", /into \/A\/B\/C/, ({ outputs: [one] }) => Object.assign(one!, { dataset: "/A/B/C" })],
    ["a path outside", /at \/etc\/passwd/, ({ outputs: [one] }) => Object.assign(one!, { path: "/etc/passwd" })],
    ["another size", /has 6 bytes, and it has 5/, ({ outputs: [one] }) => Object.assign(one!, { sizeBytes: 6, x: 1 })],
    ["absurd numbers", /outputs\.0\.events/, ({ outputs: [one] }) => Object.assign(one!, { events: 1e300 })],
    ["absurd events", /as agreed: events/, (made) => Object.assign(made, { events: -1 })],
    [
      "parents nobody planned",
      /2 parents/,
      ({ outputs: [one] }) => Object.assign(one!, { parents: ["/data/a", "/x"] }),
    ],
    ["no parents", /0 parents/, ({ outputs: [one] }) => Object.assign(one!, { parents: [] })],
    ["another block", /block 7/, (made) => Object.assign(made, { block: 7 })],
    ["another unit", /speaks of mg_000001/, (made) => Object.assign(made, { unit: "mg_000001" })],
    ["an output more", /output more/, ({ outputs }) => outputs.push({ ...outputs[0], output: "more" })],
    ["no output", /does not name hits/, ({ outputs }) => outputs.splice(0)],
    [
      "another site",
      /was at T2_XX_Beta, and it was at T2_XX_Alpha/,
      (made) => Object.assign(made, { site: "T2_XX_Beta" }),
    ],
  ])("a merge that says it made %s has failed, with a cause", async (_, words, forge) => {
    merged(forge);
    report("merge", 38);
    expect((await post("merge", 0, 0, 2, 38)).code).toBe(42);
    const [line] = ledger();
    expect(line).toMatchObject({ cause: "forged_output", exitCode: 70318, category: "permanent", decision: "stop" });
    expect(line?.reason).toMatch(words);
  });

  test("a link in the place of what a merge made is no file of ours", async () => {
    for (const [cluster, path] of [hits(), inUnit("merge_output.json")].entries()) {
      merged();
      renameSync(path, `${path}.real`);
      symlinkSync(`${path}.real`, path);
      report("merge", cluster + 50);
      expect((await post("merge", 0, 0, 2, cluster + 50)).code).toBe(42);
      expect(ledger().at(-1)).toMatchObject({ cause: "forged_output", reason: expect.stringContaining("plain file") });
      rmSync(path);
    }
  });

  test("a merge that does not know its site is believed", async () => {
    merged((made) => Object.assign(made, { site: null }));
    report("merge", 38);
    expect((await post("merge", 0, 0, 2, 38)).code).toBe(0);
  });

  test("only looks unusual: the brain finds nothing wrong, and it is done", async () => {
    merged();
    const path = inUnit("merge_output.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"block":0', '"block": 0'));
    report("merge", 60);
    expect((await post("merge", 0, 0, 2, 60)).code).toBe(0);
    expect(ledger()).toMatchObject([{ node: "merge", decision: "done", exitCode: 0 }]);
  });

  test("the site of an attempt is where its unit was sent, whatever the job says", async () => {
    const sites = async (cluster: number, desired: string, named: string) => {
      writeFileSync(inUnit("group.inc"), `${desired}proc_000000_memory = 3072\n`);
      report("proc_000000", cluster, { site: named });
      await post("proc_000000", 0, 0, 3, cluster);
      report("proc_000001", cluster, { site: named, exitCode: 15 });
      await post("proc_000001", 1, 0, 3, cluster);
      return ledger()
        .slice(-2)
        .map(({ site }) => site);
    };
    const elected = 'My.DESIRED_Sites = "T2_XX_Alpha"\n';
    expect(await sites(400, elected, "T2_XX_Alpha")).toEqual(["T2_XX_Alpha", "T2_XX_Alpha"]);
    expect(await sites(401, elected, "T2_XX_Beta")).toEqual(["T2_XX_Alpha", "T2_XX_Alpha"]);
    const possible = 'My.DESIRED_Sites = "T2_XX_Alpha,T2_XX_Beta"\n';
    expect(await sites(402, possible, "T2_XX_Beta")).toEqual(["T2_XX_Beta", "T2_XX_Beta"]);
    expect(await sites(403, possible, "T2_XX_Gamma")).toEqual([null, null]);
    expect(await sites(404, "", "T2_XX_Alpha")).toEqual([null, null]);
  });

  test("a ledger that cannot be written is told where people look, until it can be", async () => {
    report("proc_000000", 123);
    mkdirSync(inUnit("ledger.jsonl"));
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(44);
    expect(readFileSync(inUnit("proc_000000.trouble"), "utf8")).toBe(`cannot append to ledger.jsonl in ${inUnit()}\n`);
    rmSync(inUnit("ledger.jsonl"), { recursive: true });
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(0);
    expect(readdirSync(inUnit())).not.toContain("proc_000000.trouble");
  });

  test("is never run again because the disk is full: DAGMan is asked to call later", async () => {
    report("proc_000000", 123);
    unit.write("mg_000000/.proc_000000.post.json.tmp/x", "");
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(44);
    expect((await post("../x", 0, 0, 3, 123)).code).toBe(42);
    expect((await post()).code).toBe(42);
  });

  test("is quick, however large the ledger: less than starting two dozen processes", async () => {
    const other = { at: "2026-11-15T10:00:00Z", node: "proc_000007", cluster: 1, reason: "x".repeat(150) };
    writeFileSync(inUnit("ledger.jsonl"), `${JSON.stringify(other)}\n`.repeat(50_000));
    const script = "i=0; while [ $i -lt 24 ]; do /bin/true; i=$((i + 1)); done";
    const times: number[] = [];
    const yardstick: number[] = [];
    for (let cluster = 300; cluster < 310; cluster++) {
      rmSync(inUnit("proc_000000.post.json"), { force: true });
      report("proc_000000", cluster);
      times.push((await post("proc_000000", 0, 0, 3, cluster)).ms);
      yardstick.push((await run(["sh", "-c", script], inUnit())).ms);
    }
    expect(Math.min(...times)).toBeLessThan(Math.min(...yardstick));
  });
});

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

  test("is judged by a pattern in its stderr, with the engine that lies beside the brain", async () => {
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
    expect((await run([...SHELL, "../bin/unit", "1"], inUnit())).code).toBe(1);
    policy({}, { rows: [{ id: "end-all", exit_codes: [77], action: "abort" }] });
    expect((await post("proc_000005", 77, 0, 3, 300)).code).toBe(43);
    expect((await run([...SHELL, "../bin/unit", "1"], inUnit())).code).toBe(2);
    expect((await run([...SHELL, "../bin/unit", "0"], inUnit())).code).toBe(0);
  });

  test("a unit whose outputs are made is done, though its cleanup failed, unless that found them missing", async () => {
    const ended = async () => (await run([...SHELL, "../bin/unit", "1"], inUnit())).code;
    merged();
    report("merge", 20, { exitCode: 1 });
    await post("merge", 1, 0, 2, 20);
    expect(await ended()).toBe(1);
    report("merge", 21, {});
    expect((await post("merge", 0, 1, 2, 21)).code).toBe(0);
    expect(await ended()).toBe(1);
    report("cleanup", 30, { exitCode: 60312 });
    await post("cleanup", 1, 1, 1, 30);
    expect(await ended()).toBe(0);
    report("cleanup", 31, { exitCode: 70318, error: "nothing removed" });
    await post("cleanup", 1, 1, 1, 31);
    expect(await ended()).toBe(1);
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

  test("killed while it wrote its line, it closes it and writes it anew", async () => {
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
      { event: "attempt", decision: "stop", why: "not-judged", exitCode: 15, rrn: 1, category: "infrastructure" },
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
      /could not be judged: .*EISDIR; it is not on the ledger: cannot .*ledger\.jsonl: EISDIR\n$/,
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

  test("a judgment that does not end: the node stops and waits for a person", async () => {
    // Nobody writes into it, so reading it takes for ever.
    execFileSync("mkfifo", [inUnit("proc_000000.99.report.json")]);
    const args = [...SHELL, "../bin/post", "proc_000000", "15", "0", "3", "99"];
    const ended = await run(args, inUnit(), { WMS2_POST_DEADLINE_SEC: "1" });
    expect(ended.code).toBe(42);
    expect(ledger()).toMatchObject([
      { decision: "stop", exitCode: 15, reason: "the attempt could not be judged within 1 s" },
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
