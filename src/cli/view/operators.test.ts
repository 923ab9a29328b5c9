import { expect, test } from "vitest";
import { at, NO_EFFECT, NOW, sampleRequest } from "../../../tests/support/api-samples.ts";
import { actedView } from "../../../tests/support/api-views.ts";
import type { BulkAnswerView } from "../../operations/actions.ts";
import type { AttemptView, UnclassifiedView } from "../../operations/attempts.ts";
import { actedLines } from "../act.ts";
import { actionBody } from "../operate.ts";
import { filterBody, megabytes, minutes } from "../option-values.ts";
import { colored, plain } from "../terminal.ts";
import { attemptTable } from "./attempt-lines.ts";
import { table } from "./table.ts";
import { ALERTS, AUDIT, BANS, BULK, bulkSummary } from "./tables.ts";
import { visibleLength } from "./text.ts";
import { unclassifiedPage } from "./unclassified-page.ts";

/** What operators see, at 100 columns, without colours. */
const look = { now: NOW, width: 100, paint: plain };
const golden = (name: string, text: string, width = 100) => {
  for (const line of text.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(width);
  return expect(`${text}\n`).toMatchFileSnapshot(`../../../tests/golden/cli/${name}.txt`);
};

const attempt = (over: Partial<AttemptView>): AttemptView => ({
  round: 0,
  unit: "mg_000003",
  node: "proc_000021",
  at: "2026-11-15T11:00:00Z",
  cluster: 100,
  retry: 0,
  rrn: 1,
  epoch: 0,
  cause: "exit",
  exit_code: 8021,
  return: 85,
  decoded_from: "report",
  signal: null,
  site: "T2_XX_Alpha",
  host: "worker12",
  started_at: null,
  ended_at: null,
  wall_sec: 12,
  cpu_sec: 10,
  peak_memory_mb: 812.4,
  memory_mb: 2000,
  wall_minutes: 480,
  next_memory_mb: 2000,
  next_wall_minutes: 480,
  decision: "retry",
  why: "row-retries",
  category: "infrastructure",
  rule: "file-read",
  rule_source: "built-in",
  delay_sec: 60,
  not_before: null,
  avoid_sites: [],
  bad_files: [],
  reason: "exit 8021 (file read error): again in 1 min",
  script: null,
  ...over,
});

test("attempts", () =>
  golden(
    "attempts",
    attemptTable(
      {
        items: [
          attempt({
            script: { script: "./fix.sh", result: "exit 3", seconds: 1.2, log: "proc_000021.100.recovery.log" },
          }),
          attempt({
            at: "2026-11-15T11:05:00Z",
            retry: 1,
            rrn: 2,
            cause: "oom",
            exit_code: 137,
            peak_memory_mb: 2011,
            next_memory_mb: 3000,
            reason: "over its memory: again with 3000 MB",
          }),
          attempt({ at: "2026-11-15T11:09:00Z", retry: 2, rrn: 3, memory_mb: 3000, decision: "stop", site: null }),
          attempt({
            at: "2026-11-15T11:30:00Z",
            epoch: 1,
            cause: null,
            exit_code: 0,
            decision: "done",
            reason: "done",
          }),
          attempt({
            node: "merge",
            cause: "signal",
            signal: 9,
            peak_memory_mb: null,
            memory_mb: null,
            decision: "abort",
          }),
        ],
        said: [
          {
            ...{ round: 0, unit: "mg_000003", node: "proc_000021", at: "2026-11-15T11:05:00.400Z", by: "bob" },
            ...{ what: "retried now", reason: "storage is back" },
          },
        ],
        epochs: [
          {
            round: 0,
            unit: "mg_000003",
            epoch: 1,
            nodes: ["proc_000021"],
            by: "ann",
            reason: "disks are back",
            at: "2026-11-15T11:20:00Z",
          },
        ],
      },
      look,
    ),
  ));

const item = (over: Partial<BulkAnswerView["items"][number]>): BulkAnswerView["items"][number] => ({
  request_name: "muons-2026",
  outcome: "done",
  status: "held",
  message: "released: finished work is credited, 3 units will be planned again",
  version: 7,
  effect: null,
  warnings: [],
  problems: [],
  ...over,
});

test("actions on many", () => {
  const items = [
    item({}),
    item({ request_name: "b", outcome: "already", message: "release was asked for already" }),
    item({
      request_name: "c",
      outcome: "refused",
      status: null,
      message: "it is active: only a held request can be released",
    }),
    item({
      request_name: "d",
      warnings: ["the events of 3 unfinished units are given up; with top_up they are replaced"],
    }),
  ];
  return golden("bulk", `${table(BULK, items, look)}\n${bulkSummary(items)}`);
});

test("actions on one", () => {
  const request = sampleRequest({ status: "held" });
  const done = {
    kind: "done" as const,
    reason: "released: the run goes on with 2 unfinished units",
    effect: NO_EFFECT,
    warnings: ["check the sites"],
    detail: {},
    request,
  };
  const clone = { ...done, reason: "begins again as muons-2026-v2", warnings: [], detail: { clone: "muons-2026-v2" } };
  return golden(
    "acted",
    [
      ...actedLines(actedView("release", done, false), plain),
      ...actedLines(actedView("release", { ...done, kind: "would" }, true), plain),
      ...actedLines(actedView("hold", { kind: "already", why: "it is held already", request }, false), plain),
      ...actedLines(actedView("restart", clone, false), plain),
    ].join("\n"),
  );
});

const UNCLASSIFIED: UnclassifiedView["items"] = [
  {
    unit: "mg_000003",
    node: "proc_000021",
    attempt: 100,
    exit_code: 77,
    cause: "exit",
    site: "T2_XX_Alpha",
    host: null,
    at: "2026-11-15T11:00:00Z",
    reason: "no rule knows exit 77",
    stderr_tail: "starting\n\u001b[31mlicense: checkout failed\u001b[0m\n\ngiving up\n",
    classified: null,
  },
  {
    unit: "mg_000004",
    node: "proc_000030",
    attempt: 101,
    exit_code: 139,
    cause: "signal",
    site: null,
    host: null,
    at: "2026-11-15T11:01:00Z",
    reason: "",
    stderr_tail: "",
    classified: { action: "fail", actor: "ann", reason: "bad build", at: NOW.toISOString() },
  },
];

test("unclassified", () => golden("unclassified", unclassifiedPage(UNCLASSIFIED, look)));

test("what a job wrote fits the screen, in colours too", () => {
  const [first] = UNCLASSIFIED;
  const text = unclassifiedPage([{ ...first!, stderr_tail: "x".repeat(200) }], { ...look, paint: colored });
  for (const line of text.split("\n")) expect(visibleLength(line)).toBeLessThanOrEqual(100);
});

test("audit, alerts, bans and what a site means", () => {
  const audit = [
    {
      id: "2",
      at: NOW.toISOString(),
      actor: "ann",
      action: "release",
      subject: "muons-2026",
      reason: "storage is back",
      detail: {},
      outcome: "done" as const,
    },
    {
      id: "1",
      at: at("11:00").toISOString(),
      actor: "bob",
      action: "fail",
      subject: "muons-2026",
      reason: "gave up",
      detail: {},
      outcome: "refused" as const,
    },
  ];
  const alert = {
    id: "12",
    key: "stuck",
    severity: "critical" as const,
    subject: "muons-2026",
    message: "planning for 3 h: the catalog does not answer",
    count: 7,
    first_at: at("09:00").toISOString(),
    last_at: at("11:00").toISOString(),
    acknowledged_by: null,
    acknowledged_at: null,
    closed_at: null,
  };
  const ban = {
    id: "1",
    site: "T2_XX_Alpha",
    workflow_id: null,
    reason: "storage is down",
    evidence: {},
    created_by: "ann",
    created_at: at("09:00").toISOString(),
    expires_at: "2026-11-18T09:00:00.000Z",
    removed_at: null,
    removed_by: null,
  };
  return golden(
    "operators",
    [
      table(AUDIT, audit, look),
      table(ALERTS, [alert, { ...alert, id: "9", acknowledged_by: "ann", closed_at: NOW.toISOString() }], look),
      table(BANS, [ban, { ...ban, workflow_id: "w-1", removed_at: NOW.toISOString(), removed_by: "bob" }], look),
    ].join("\n\n"),
  );
});

test("options become what the API understands", () => {
  expect(actionBody({ ban: ["north"], memory: megabytes("3 GB"), topUp: true, threshold: 0.3 })).toEqual({
    site_bans: ["north"],
    memory_mb: 3000,
    top_up: true,
    hold_threshold: 0.3,
  });
  expect(minutes("1 h 30 min")).toBe(90);
  expect(() => megabytes("3")).toThrow("unit");
  expect(filterBody(["status=held,partial", "campaign=Run2026A"])).toEqual({
    status: ["held", "partial"],
    campaign: "Run2026A",
  });
  expect(() => filterBody(["color=blue"])).toThrow("does not understand");
});
