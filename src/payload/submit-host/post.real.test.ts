import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AttemptLine } from "../../domain/run.ts";
import { run, Scratch, SHELL } from "../testing/scratch.ts";

// A log as HTCondor 23.9.6 wrote it: 36 killed by signal 9 at Beta, 37 held for memory and removed at Alpha,
// 38 a landing that ended well at Alpha.
const EVENTS = readFileSync(new URL("../testing/sample-events.log", import.meta.url), "utf8");

let unit: Scratch;
beforeEach(() => {
  unit = new Scratch();
  unit.write("mg_000000/group.log", EVENTS);
  unit.write(
    "mg_000000/group.inc",
    'proc_000000_memory = 3072\nMy.DESIRED_Sites = "T2_XX_Alpha,T2_XX_Beta"\n# end',
  );
});
afterEach(() => unit.remove());

const inUnit = (...parts: string[]) => unit.path("mg_000000", ...parts);
const script = (name: "post" | "elect", ...args: (string | number)[]) =>
  run([...SHELL, `../bin/${name}`, ...args.map(String)], inUnit());
const post = (...args: (string | number)[]) => script("post", ...args);
const ledger = (): AttemptLine[] =>
  existsSync(inUnit("ledger.jsonl"))
    ? readFileSync(inUnit("ledger.jsonl"), "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];
const verdict = (node: string): AttemptLine => JSON.parse(readFileSync(inUnit(`${node}.post.json`), "utf8"));

function report(
  node: string,
  cluster: number,
  fields: Record<string, unknown> = {},
  keep = (text: string) => text,
) {
  const all = {
    version: 1,
    state: "finished",
    role: "processing",
    node,
    unit: "mg_000000",
    cluster,
    site: "T2_XX_Alpha",
    host: "worker12",
    startedAt: 1763230000,
    endedAt: 1763230012,
    wallSec: 12.05,
    cpuSec: 10.4,
    peakMemoryMb: 812,
    exitCode: 0,
    error: null,
    eventsRead: 100,
    eventsWritten: 97,
    steps: [],
    inputs: [],
    outputs: [],
    ...fields,
  };
  const lines = Object.entries(all).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
  unit.write(`mg_000000/${node}.${cluster}.report.json`, keep(`{\n${lines.join(",\n")}\n}\n`));
}

describe("post", () => {
  test("a job that ended well is done, with what its report says", async () => {
    report("proc_000000", 123);
    expect((await post("proc_000000", 0, 1, 3, 123)).code).toBe(0);
    expect(ledger()).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        node: "proc_000000",
        cluster: 123,
        retry: 1,
        maxRetries: 3,
        return: 0,
        exitCode: 0,
        site: "T2_XX_Alpha",
        host: "worker12",
        wallSec: 12.05,
        peakMemoryMb: 812,
        decision: "done",
        reason: "exit 0",
      },
    ]);
    expect(verdict("proc_000000")).toEqual(ledger()[0]);
    expect(readdirSync(inUnit()).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, number, number, string]>([
    [
      "a true code above 255",
      { exitCode: 8021, error: "exit 8021 in step RECO" },
      1,
      8021,
      "exit 8021 in step RECO",
    ],
    ["a code of its own", { exitCode: 85, error: "exit 85 in step RECO" }, 85, 85, "exit 85 in step RECO"],
    ["success in the report but not in the queue", {}, 1, 1, "exit 1"],
    [
      "a kill after the report was begun",
      { state: "started", exitCode: null },
      -9,
      137,
      "killed by signal 9, before the report was finished",
    ],
    [
      "a report that never finished although the job returned 0",
      { state: "started", exitCode: null },
      0,
      50115,
      "no report",
    ],
    ["a report of another node", { node: "proc_000001" }, 0, 50115, "no report"],
    ["a report of another attempt", { cluster: 7 }, 0, 50115, "no report"],
    ["a success that is no number", { exitCode: "0" }, 0, 50115, "no report"],
    ["words that need escaping", { exitCode: 60302, error: 'no file "a\\b\n"' }, 1, 60302, "no file abn"],
  ])("fails on %s", async (_what, fields, returned, exitCode, reason) => {
    report("proc_000000", 123, fields);
    expect((await post("proc_000000", returned, 0, 3, 123)).code).toBe(1);
    expect(ledger()).toMatchObject([
      { return: returned, exitCode, decision: "retry", reason, site: "T2_XX_Alpha" },
    ]);
  });

  test.each([
    ["cut short", (text: string) => text.slice(0, -3)],
    ["cut at the top", (text: string) => text.slice(0, 40)],
    ["empty", () => ""],
    ["binary", () => "\u0000\u0001\u0002"],
    ["another format", () => '{"state":"finished","exitCode":0}'],
  ])("fails closed on a report that is %s", async (_what, spoil) => {
    report("proc_000000", 123, {}, spoil);
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(1);
    expect(ledger()).toMatchObject([{ decision: "retry", exitCode: 50115 }]);
  });

  test.each<[string, (string | number)[], Partial<AttemptLine>]>([
    [
      "killed, known from the log",
      ["proc_000000", -9, 0, 3, 36],
      { exitCode: 137, site: "T2_XX_Beta" as never, reason: "killed by signal 9, no report" },
    ],
    [
      "removed for memory",
      ["proc_000000", -1002, 0, 3, 37],
      { exitCode: 50660, site: "T2_XX_Alpha" as never, reason: "removed: WMS2 memory (50660)" },
    ],
    ["removed by hand, no events", ["proc_000000", -1002, 0, 3, 99], { exitCode: -1002, reason: "removed" }],
    [
      "submission failed",
      ["proc_000000", -1001, 0, 3, -1],
      { exitCode: -1001, cluster: -1, reason: "submission failed" },
    ],
    ["no report", ["proc_000000", 0, 0, 3, 99], { exitCode: 50115, reason: "no report" }],
    ["exit without report", ["proc_000000", 85, 0, 3, 99], { exitCode: 85, reason: "exit 85, no report" }],
    ["no retries left", ["proc_000000", 1, 3, 3, 99], { decision: "stop" }],
    [
      "arguments that make no sense",
      ["proc_000000", "", "x", "$MAX_RETRIES", "y"],
      { return: -1, cluster: -1, decision: "stop" },
    ],
  ])("%s", async (_what, args, expected) => {
    expect((await post(...args)).code).toBe(1);
    expect(ledger()).toMatchObject([{ decision: "retry", ...expected }]);
  });

  test("a removed job's own report does not hide why it was removed", async () => {
    report("proc_000000", 37, { exitCode: 143, error: "stopped by SIGTERM in step RECO" });
    await post("proc_000000", -1002, 0, 3, 37);
    expect(ledger()).toMatchObject([{ exitCode: 50660, host: "worker12" }]);
  });

  test("other holds and removals are told in their own words", async () => {
    const event = (head: string, ...lines: string[]) =>
      `${head} (400.000.000) 2026-11-15 19:37:25 x\n${lines.map((l) => `\t${l}\n`).join("")}...\n`;
    const hold = event("012", 'Transfer "input" files\\failure', "Code 13 Subcode 2");
    writeFileSync(inUnit("group.log"), hold + event("009", "via condor_rm (by user wms)"));
    await post("proc_000000", -1002, 0, 3, 400);
    expect(ledger().at(-1)).toMatchObject({
      exitCode: -1002,
      reason: "removed while held: Transfer 'input' files'failure (code 13, subcode 2)",
    });
    writeFileSync(
      inUnit("group.log"),
      hold + event("013", "released") + event("009", "via condor_rm (by user wms)"),
    );
    await post("proc_000001", -1002, 0, 3, 400);
    expect(ledger().at(-1)).toMatchObject({ reason: "removed: via condor_rm (by user wms)" });
  });

  test("a merge is done only with a whole merge_output.json", async () => {
    for (const [cluster, text] of [
      [1, null],
      [2, ""],
      [3, '{"version":1,"outputs":[\n{"out'],
    ] as const) {
      report("merge", cluster);
      if (text !== null) unit.write("mg_000000/merge_output.json", text);
      expect((await post("merge", 0, 0, 2, cluster)).code).toBe(1);
    }
    report("merge", 4);
    unit.write("mg_000000/merge_output.json", '{"version":1,"outputs":[\n{}\n]}\n');
    expect((await post("merge", 0, 0, 2, 4)).code).toBe(0);
    expect(ledger().map((line) => line.decision)).toEqual(["retry", "retry", "retry", "done"]);
  });

  test("run again with the same cluster it repeats itself and adds no line", async () => {
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const before = ledger();
    rmSync(inUnit("proc_000000.123.report.json"));
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(0);
    expect(ledger()).toEqual(before);
    await post("proc_000001", 1, 3, 3, 124);
    expect((await post("proc_000001", 1, 3, 3, 124)).code).toBe(1);
    expect(ledger().map((line) => line.decision)).toEqual(["done", "stop"]);
  });

  test("cut short between its two records, it adds the missing line", async () => {
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const [line] = ledger();
    writeFileSync(inUnit("ledger.jsonl"), "");
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(0);
    expect(ledger()).toEqual([line]);
  });

  test("cut short while it wrote its record, it judges afresh", async () => {
    report("proc_000000", 123);
    writeFileSync(
      inUnit("proc_000000.post.json"),
      '{"at":"2026","node":"proc_000000","cluster":123,"retry":0,"dec',
    );
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(0);
    expect(ledger()).toHaveLength(1);
  });

  test("each attempt has its line; failed submissions too", async () => {
    for (const [retry, cluster] of [
      [0, 5],
      [1, -1],
      [2, -1],
      [3, 6],
    ] as const) {
      await post("proc_000000", cluster < 0 ? -1001 : 1, retry, 3, cluster);
    }
    expect(ledger().map((line) => [line.retry, line.decision])).toEqual([
      [0, "retry"],
      [1, "retry"],
      [2, "retry"],
      [3, "stop"],
    ]);
  });

  test("a torn last line does not swallow ours", async () => {
    writeFileSync(inUnit("ledger.jsonl"), '{"at":"2026');
    report("proc_000000", 123);
    await post("proc_000000", 0, 0, 3, 123);
    const lines = readFileSync(inUnit("ledger.jsonl"), "utf8").split("\n");
    expect(lines[0]).toBe('{"at":"2026');
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ decision: "done" });
  });

  test("twenty at once write twenty whole lines", async () => {
    const nodes = Array.from({ length: 20 }, (_, i) => `proc_${String(i).padStart(6, "0")}`);
    for (const [i, node] of nodes.entries())
      report(node, 200 + i, { exitCode: 8021, error: "x".repeat(5000) });
    await Promise.all(nodes.map((node, i) => post(node, 1, 0, 3, 200 + i)));
    expect(
      ledger()
        .map((line) => line.node)
        .sort(),
    ).toEqual(nodes);
    expect(ledger()[0]?.reason).toHaveLength(600);
  });

  test("without a place to write it fails closed", async () => {
    report("proc_000000", 123);
    unit.write("mg_000000/.proc_000000.post.json.tmp/x", "");
    expect((await post("proc_000000", 0, 0, 3, 123)).code).toBe(1);
    expect((await post("../x", 0, 0, 3, 123)).code).toBe(1);
    expect((await post()).code).toBe(1);
  });

  test("is quick, however large the ledger: less than starting two dozen processes", async () => {
    const other = { at: "2026-11-15T10:00:00Z", node: "proc_000007", cluster: 1, reason: "x".repeat(150) };
    writeFileSync(inUnit("ledger.jsonl"), `${JSON.stringify(other)}\n`.repeat(50_000));
    const script = "i=0; while [ $i -lt 24 ]; do /bin/true; i=$((i + 1)); done";
    const times: number[] = [];
    const yardstick: number[] = [];
    for (let cluster = 300; cluster < 310; cluster++) {
      report("proc_000000", cluster);
      times.push((await post("proc_000000", 0, 0, 3, cluster)).ms);
      yardstick.push((await run(["sh", "-c", script], inUnit())).ms);
    }
    expect(Math.min(...times)).toBeLessThan(Math.min(...yardstick));
  });
});

describe("elect", () => {
  const inc = () => readFileSync(inUnit("group.inc"), "utf8");

  test("pins the unit to the site of the landing, keeps other lines, and says so", async () => {
    expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_XX_Alpha"\nproc_000000_memory = 3072\n# end\n');
    expect(ledger()).toMatchObject([
      { node: "landing", decision: "done", site: "T2_XX_Alpha", reason: "elected T2_XX_Alpha" },
    ]);
    const before = inc();
    expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(0);
    expect(inc()).toBe(before);
    expect(ledger()).toHaveLength(1);
  });

  test("the last execution counts; other clusters do not; a missing group.inc is made", async () => {
    const at = (cluster: string, site: string) =>
      `001 (${cluster}.000.000) 2026-11-15 10:00:00 Job executing on host: <1>\n\tGLIDEIN_CMSSite = "${site}"\n...\n`;
    writeFileSync(
      inUnit("group.log"),
      at("1005", "T2_A") + at("005", "T2_B") + at("1005", "T2_C") + at("10050", "T2_D"),
    );
    rmSync(inUnit("group.inc"));
    expect((await script("elect", "landing", 0, 0, 3, 1005)).code).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_C"\n');
    expect((await script("elect", "landing", 0, 0, 3, 5)).code).toBe(0);
    expect(inc()).toBe('My.DESIRED_Sites = "T2_B"\n');
  });

  test("an engine without sites keeps group.inc", async () => {
    const before = inc();
    writeFileSync(
      inUnit("group.log"),
      "001 (038.000.000) 2026-11-15 10:00:00 Job executing on host: local\n...\n",
    );
    expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(0);
    rmSync(inUnit("group.log"));
    expect((await script("elect", "landing", 0, 0, 3, 39)).code).toBe(0);
    expect(inc()).toBe(before);
    expect(ledger()).toMatchObject([{ site: null }, { decision: "done" }]);
  });

  test.each(['T2_XX\\"\nqueue 100', "$(touch owned)", "a b", 'T2" && true'])(
    "a site called %j elects nothing",
    async (site) => {
      const before = inc();
      writeFileSync(inUnit("group.log"), `001 (038.000.000) x\n\tGLIDEIN_CMSSite = "${site}"\n...\n`);
      expect((await script("elect", "landing", 0, 0, 3, 38)).code).toBe(1);
      expect(inc()).toBe(before);
      expect(ledger()).toMatchObject([{ decision: "retry", site: null }]);
      expect(existsSync(join(unit.dir, "mg_000000/owned"))).toBe(false);
    },
  );

  test("a landing that failed elects nothing", async () => {
    const before = inc();
    expect((await script("elect", "landing", -1002, 0, 3, 37)).code).toBe(1);
    expect((await script("elect", "landing", 1, 3, 3, 38)).code).toBe(1);
    expect(inc()).toBe(before);
    expect(ledger()).toMatchObject([
      { exitCode: 50660, decision: "retry" },
      { reason: "exit 1", decision: "stop" },
    ]);
  });
});
