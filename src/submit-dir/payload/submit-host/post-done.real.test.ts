import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  hits,
  inUnit,
  ledger,
  type Merged,
  merged,
  post,
  postJson,
  report,
  unit,
} from "../../../../tests/support/checked-unit.ts";
import { run } from "../../../../tests/support/payload-scratch.ts";

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
