import { describe, expect, it, test } from "vitest";
import { rescueDamage } from "../../../submit-dir/disk/rescue-check.ts";
import { type DirectoryFacts, decideDirectory } from "./decide-directory.ts";
import { failedNodes, fateOfTop, fatesInUnit } from "./kept-files.ts";
import { spoolReport } from "./report.ts";
import { unknownRunAlerts } from "./unknown-runs.ts";

const finished = new Date("2026-01-01T00:00:00Z");
const hoursLater = (hours: number) => new Date(finished.getTime() + hours * 3_600_000);
const policy = { compactAfterHours: 24, removeAfterDays: 30 };
const runs = [{ id: "d1", status: "completed", engine: "local" }] as const;
const over: DirectoryFacts = {
  request: { status: "completed", statusSince: finished },
  openVersions: [],
  dags: runs,
  isCompacted: false,
  inEngine: "absent",
  engine: "local",
};
const decide = (hours: number, change: Partial<DirectoryFacts> = {}) =>
  decideDirectory({ ...over, ...change }, policy, hoursLater(hours));

describe("a submit directory", () => {
  test.each([
    ["of a request that has just finished stays", 23, {}, "leave"],
    ["is compacted after a day", 24, {}, "compact"],
    ["that is compacted stays as it is", 48, { isCompacted: true }, "leave"],
    ["is removed after a month", 720, { isCompacted: true }, "remove"],
    ["is removed after a month, compacted or not", 720, {}, "remove"],
    [
      "of an open request stays, whatever its age",
      9999,
      { request: { status: "held", statusSince: finished } },
      "leave",
    ],
    ["of a DAG nobody knows stays", 9999, { dags: null }, "leave"],
    ["stays while another version is open", 9999, { openVersions: ["a_v2"] }, "leave"],
    [
      "stays while a run of it is not over",
      9999,
      { dags: [...runs, { id: "d2", status: "running", engine: "local" }] },
      "leave",
    ],
    ["stays when another engine ran it", 9999, { engine: "dagman" }, "leave"],
    ["stays while the engine has it", 9999, { inEngine: "found" }, "leave"],
    ["stays when the engine cannot tell", 9999, { inEngine: "unknown" }, "leave"],
    ["is asked about before anything is done", 9999, { inEngine: null }, "ask-engine"],
    ["is not asked about before it is due", 1, { inEngine: null }, "leave"],
  ] as const)("%s", (_, hours, change, kind) => {
    expect(decide(hours, change as Partial<DirectoryFacts>).kind).toBe(kind);
  });

  it("says when time alone will change the decision", () => {
    expect(decide(1)).toMatchObject({ until: hoursLater(24) });
    expect(decide(48, { isCompacted: true })).toMatchObject({ until: hoursLater(720) });
    expect(decide(48, { inEngine: "found" })).toMatchObject({ until: null });
  });

  it("is never removed when nobody wants that", () => {
    const never = { compactAfterHours: 24, removeAfterDays: 0 };
    expect(decideDirectory({ ...over, isCompacted: true }, never, hoursLater(99_999))).toMatchObject({
      kind: "leave",
      until: null,
    });
  });
});

describe("what is kept", () => {
  const line = (node: string, decision: "done" | "stop" | "retry", exitCode = 1, at = "2026-01-01") =>
    ({ node, decision, exitCode, at, cause: "exit", rule: null, category: "permanent" }) as never;
  const names = [
    "group.dag group.inc group.log manifest.json ledger.jsonl merge_output.json group.dag.status",
    "proc_1.5.out proc_1.5.err proc_1.5.report.json proc_1.post.json",
    "proc_2.6.err proc_2.7.err proc_2.post.json proc_2.stopped",
    "proc_3.8.err proc_3.post.json proc_4.9.err proc_4.post.json group.dag.rescue001 group.dag.rescue001.aside",
  ]
    .join(" ")
    .split(" ");
  const kept = (failed: ReturnType<typeof failedNodes>, of = names) =>
    [...fatesInUnit(of, failed)].filter(([, fate]) => fate !== "drop").map(([name]) => name);

  it("of a unit: ledger, output, states, and of failed nodes the verdicts and one log per way to fail", () => {
    const failed = failedNodes(
      [
        line("proc_1", "retry"),
        line("proc_1", "done"),
        line("proc_2", "stop", 8021),
        line("proc_3", "stop", 8021, "2026-01-02"),
        line("proc_4", "stop", 137),
      ],
      0,
    );
    expect(kept(failed).sort()).toEqual(
      [
        "ledger.jsonl merge_output.json group.dag.status group.dag.rescue001 group.dag.rescue001.aside",
        "proc_2.7.err proc_2.post.json proc_3.post.json proc_4.9.err proc_4.post.json",
      ]
        .join(" ")
        .split(" ")
        .sort(),
    );
  });

  it("of a unit without a status file also its DAG, and every verdict when the ledger is damaged", () => {
    expect(kept(failedNodes([], 0), ["group.dag", "a.post.json"])).toEqual(["group.dag"]);
    expect(kept(failedNodes([], 1), ["group.dag.status", "a.post.json"])).toEqual(["group.dag.status", "a.post.json"]);
  });

  it("of the top: the plan, the DAG and how it ended", () => {
    const fates = (...of: string[]) => of.map(fateOfTop).join(" ");
    expect(fates("plan.json", "workflow.dag", "workflow.dag.metrics", "workflow.dag.rescue002")).toBe(
      "keep keep keep keep",
    );
    expect(fates("workflow.dag.dagman.out", "bin", "payload", "proc.sub", "workflow.dag.nodes.log")).toBe(
      "trim drop drop drop drop",
    );
  });
});

test("a rescue file that was cut, overwritten or emptied is found", () => {
  const text = (premarked: number, ...lines: string[]) =>
    ["# Rescue DAG", "# Total number of Nodes: 3", `# Nodes premarked DONE: ${premarked}`, ...lines, ""].join("\n");
  expect(rescueDamage(text(2, "DONE mg_000000", "DONE mg_000001"))).toBeNull();
  expect(rescueDamage(text(0))).toBeNull();
  expect(rescueDamage(text(2, "DONE mg_000000"))).toContain("fewer or more");
  expect(rescueDamage(text(1, "DONE mg_000000", "\u0000\u0000garbage"))).toContain("does not belong");
  expect(rescueDamage("")).toBe("it is empty");
});

test("unknown runs: one alert per request while they are few, one for all when they are many", () => {
  const unknown = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      request: `r${at}`,
      directory: `/s/r${at}/r0-1`,
      dagId: `d${at}`,
      inEngine: "found" as const,
    }));
  expect(unknownRunAlerts([], "/s")).toEqual([]);
  expect(unknownRunAlerts(unknown(2), "/s").map(({ key, severity }) => [key, severity])).toEqual([
    ["unknown-run:r0", "critical"],
    ["unknown-run:r1", "critical"],
  ]);
  const [all, ...more] = unknownRunAlerts(unknown(500), "/s");
  expect(more).toEqual([]);
  expect(all?.message).toContain("500 runs of 500 requests");
  expect(all?.message).toContain("/s/r0/r0-1, which the engine still runs");
});

test("the report says what will become of each, the biggest first", () => {
  const usage = (request_name: string, bytes: number, compacted = 0) => ({
    request_name,
    directories: 1,
    compacted,
    files: 1,
    bytes,
    unmerged_files: 0,
    unmerged_bytes: 0,
  });
  const all = [usage("open", 1), usage("fresh", 5), usage("small", 3, 1), usage("lost", 9)];
  const known = new Map([
    ["open", { status: "active", statusSince: finished }],
    ["fresh", { status: "completed", statusSince: finished }],
    ["small", { status: "failed", statusSince: finished }],
  ] as const);
  expect(spoolReport(all, known, policy).map(({ request_name, next }) => [request_name, next.action, next.at])).toEqual(
    [
      ["lost", "unknown-request", null],
      ["fresh", "compact", hoursLater(24).toISOString()],
      ["small", "remove", hoursLater(720).toISOString()],
      ["open", "keep", null],
    ],
  );
  expect(spoolReport(all, null, policy).every(({ next }) => next.action === "unknown")).toBe(true);
});
