import { expect, test } from "vitest";
import {
  at,
  heldRequest,
  NOW,
  sampleDag,
  sampleProgress,
  sampleRequest,
  sampleSpec,
  sampleWorkflow,
} from "../../../tests/support/api-samples.ts";
import {
  dagView,
  requestDetailView,
  requestRowView,
  workflowStatusView,
  workflowView,
} from "../../../tests/support/api-views.ts";
import { graphSpec } from "../../../tests/support/sample-graph.ts";
import type { RequestName } from "../../core/names.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { UnitRowView } from "../../operations/dags.ts";
import { ACTION, actionCommand } from "../../operations/handlers/port.ts";
import { plain } from "../terminal.ts";
import { checkLines, fail, ok, warn } from "./checks.ts";
import { metricsPage } from "./metrics-page.ts";
import { problemList } from "./problems.ts";
import { requestPage } from "./request-page.ts";
import { table } from "./table.ts";
import { REQUESTS } from "./tables.ts";
import { watchFrame } from "./watch-frame.ts";
import { changeLine, outcomeLine, type WatchedRequest } from "./watched.ts";

/** What people see, at 100 columns, without colours. Read the files in review: they are the interface. */
const look = { now: NOW, width: 100, paint: plain };
const golden = (name: string, text: string, width = 100) => {
  for (const line of text.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(width);
  return expect(`${text}\n`).toMatchFileSnapshot(`../../../tests/golden/cli/${name}.txt`);
};

const named = (name: string, over: Partial<RequestRecord> = {}): RequestRecord =>
  sampleRequest({ spec: sampleSpec({ name: name as RequestName }), ...over });

const cooling: RequestRecord["waiting"] = {
  code: "retry",
  reason: "4 failed jobs tried again later (mg_000000/proc_000000: exit 8021 in step RECO)",
  since: at("11:50"),
  until: at("12:05"),
  who: "time",
  details: ["2 jobs behind the limit of their category"],
};

test("list", () =>
  golden(
    "list",
    table(
      REQUESTS,
      [
        requestRowView(named("muons-2026"), sampleProgress()),
        requestRowView({ ...heldRequest(), urgent: true }),
        requestRowView(named("cools", { waiting: cooling }), sampleProgress()),
        requestRowView(
          named("a-rather-long-name-of-a-request_v2", {
            status: "queued",
            waiting: {
              code: "admission",
              reason: "third in the queue; all 300 slots are taken, the next one may take a while",
              since: at("11:59"),
              until: null,
              who: "time",
              details: [],
            },
            createdAt: at("11:59"),
          }),
          sampleProgress({ total: 0, done: 0, expected: 0 }),
        ),
        requestRowView(named("done", { status: "completed", waiting: null }), sampleProgress({ done: 48 })),
      ],
      look,
    ),
  ));

const graphRequest = (): RequestRecord => sampleRequest({ spec: graphSpec(), waiting: null });

const moves = [
  { from: null, to: "submitted" as const, reason: "created", actor: "alice", at: at("10:00") },
  { from: "submitted" as const, to: "queued" as const, reason: "accepted", actor: "wms2", at: at("10:01") },
  { from: "queued" as const, to: "planning" as const, reason: "slot 2 of 300 is free", actor: "wms2", at: at("10:30") },
  {
    from: "planning" as const,
    to: "active" as const,
    reason: "its submit directory is complete",
    actor: "wms2",
    at: at("11:00"),
  },
];
const block = {
  workflowId: sampleWorkflow().id,
  index: 0,
  dataset: "/muons-2026/Run2026A-v1/HITS",
  createdAt: NOW,
  updatedAt: NOW,
};
const status = workflowStatusView(
  {
    workflow: sampleWorkflow(),
    progress: sampleProgress(),
    dag: sampleDag(),
    blocks: [{ ...block, status: "open", unitsTotal: 48, unitsDone: 20, unitsAbandoned: 0 }],
    units: { owed: 1, registered: 19, invalidated: 0 },
    files: { fresh: 5, attempted: 1, processed: 20, excluded: 0 },
    planWarnings: ["jobs ask for 2000 MB of memory, not 500: planning.least_memory_per_core_mb is 2000"],
  },
  NOW,
);
const output = (unit: string) => ({
  output: "hits",
  dataset: block.dataset,
  lfn: `/store/hits/${unit}.csv`,
  path: `/storage/merged/muons-2026/hits/${unit}.csv`,
  size_bytes: 1_234_567,
  checksum: "cksum:1",
  events: 5000,
  parents: [],
  work_unit: unit,
  status: "registered" as const,
});

test("show: all its jobs failed and wait for their next try", () => {
  const dag = sampleDag({ nodes: { total: 48, waiting: 28, queued: 0, idle: 0, held: 0, done: 20, failed: 0 } });
  const request = requestDetailView(sampleRequest({ waiting: cooling }), sampleWorkflow(), moves.slice(3));
  const now = { ...status, work_units: { total: 48, done: 20, running: 0, failed: 0, expected: 48 }, eta: null };
  const facts = {
    request,
    status: now,
    dag: dagView(dag),
    outputs: { items: [], more: false },
    jobs: null,
    choices: null,
  };
  return golden("show-waits", requestPage(facts, look));
});

test("metrics", () => golden("metrics", metricsPage(workflowView(sampleWorkflow()).step_metrics!, look)));

test("show: at work", () =>
  golden(
    "show-active",
    requestPage(
      {
        request: requestDetailView(sampleRequest(), sampleWorkflow(), moves),
        status,
        dag: dagView(sampleDag()),
        outputs: { items: [output("mg_000000"), output("mg_000001")], more: false },
        jobs: null,
        choices: null,
      },
      look,
    ),
  ));

test("show: held, with what a person may do", () =>
  golden(
    "show-held",
    requestPage(
      {
        request: requestDetailView(heldRequest(), null, moves.slice(0, 2)),
        status: null,
        dag: null,
        outputs: { items: [], more: false },
        jobs: null,
        choices: (["abort", "fail", "release", "rescue"] as const).map((action) => ({
          action,
          meaning: ACTION[action].meaning,
          allowed: action !== "rescue",
          why_not: "",
          needs_reason: true,
          destroys: false,
          effect: "",
          warnings: [],
          detail: {},
          command: actionCommand(action, "muons-2026"),
        })),
      },
      look,
    ),
  ));

test("show: a graph of jobs, some done before, some blocked", () => {
  const request = requestDetailView(graphRequest(), sampleWorkflow(), moves.slice(3));
  const jobs = { credited: 7, blocked: [{ by: "train-0.1-007", units: 12 }] };
  const facts = {
    request,
    status,
    dag: dagView(sampleDag()),
    outputs: { items: [], more: false },
    jobs,
    choices: null,
  };
  return golden("show-graph", requestPage(facts, look));
});

test("problems", () =>
  golden(
    "problems",
    problemList(
      [
        { path: "", message: "must be a map of keys (got a list of 2)", allowed: "name, kind, input, steps, …" },
        { path: "split.files_per_job", message: "must be at least 1 (got 0)", allowed: null },
        {
          path: "steps[0].run",
          message: 'uses shell syntax ("|"); commands are run without a shell: write run: [sh, -c, "…"]',
          allowed: null,
        },
        {
          path: "resources.memory",
          message: "must be a size with its unit (got 500)",
          allowed: "500 MB, 2 GB, 1.5 GiB",
        },
        { path: 'attachments["a name that is longer than the column"]', message: "is not base64", allowed: null },
      ],
      look,
    ),
  ));

test("doctor", () =>
  golden(
    "doctor",
    checkLines(
      [
        ok("node", "20.20.2"),
        warn(
          "limits",
          "only 1024 files may be open at once",
          "ulimit -n 4096 before wms2 serve, or LimitNOFILE= in its unit",
        ),
        fail("engine", "condor_version cannot be run", "check that condor_q works here"),
      ],
      look,
    ),
  ));

const unit = (at: number, state: UnitRowView["state"], done: number, over: Partial<UnitRowView> = {}): UnitRowView => ({
  unit: `mg_${String(at).padStart(6, "0")}`,
  state,
  nodes: 8,
  done,
  failed: 0,
  running: 0,
  held: 0,
  retries: 0,
  ...over,
});
const watched = (record: RequestRecord, units: readonly UnitRowView[]): WatchedRequest => ({
  request: requestDetailView(record, sampleWorkflow({ unitsPlanned: units.length, unitsDone: 2 }), moves),
  dag: dagView(
    sampleDag({
      nodes: { total: 48, waiting: 10, queued: 12, idle: 0, held: 0, done: 25, failed: 1 },
      units: { total: units.length, waiting: 1, running: 2, done: 2, failed: 1 },
      submittedAt: new Date(NOW.getTime() - 20_000),
    }),
  ),
  units,
});
const few = [
  unit(0, "done", 8),
  unit(1, "done", 8, { retries: 2 }),
  unit(2, "running", 5, { running: 3 }),
  unit(3, "running", 3, { running: 4, retries: 1 }),
  unit(4, "failed", 1, { failed: 1, retries: 3 }),
  unit(5, "waiting", 0),
];
const many = Array.from({ length: 900 }, (_, at) =>
  at < 400
    ? unit(at, "done", 8)
    : at === 555
      ? unit(at, "failed", 2)
      : at < 600
        ? unit(at, "running", 4)
        : unit(at, "waiting", 0),
);
const fresh = { createdAt: new Date(NOW.getTime() - 25_000), waiting: null };
const frame = (list: readonly WatchedRequest[], height: number, notice: string | null = null) => {
  const lines = watchFrame(list, notice === null ? null : { kind: "silent", message: notice }, { ...look, height });
  expect(lines.length).toBeLessThan(height);
  return lines.join("\n");
};

test("watch: bars by unit", () => golden("watch-units", frame([watched(named("muons-2026", fresh), few)], 24)));

test("watch: many units fit on the screen, several a sign when they must", () =>
  golden("watch-many", frame([watched(named("muons-2026", fresh), many), watched(named("b", fresh), many)], 16)));

test("watch: many requests, one line each", () =>
  golden(
    "watch-requests",
    frame(
      Array.from({ length: 30 }, (_, at) => watched(named(`request-${at}`, fresh), few)),
      10,
    ),
  ));

test("watch: held, and the server away", () =>
  golden(
    "watch-held",
    frame(
      [watched(heldRequest(), few)],
      24,
      "no answer from http://127.0.0.1:8420 since 3.0 s; waiting for it, jobs go on meanwhile",
    ),
  ));

test("watch: lines for logs and pipes", () =>
  golden(
    "watch-lines",
    [
      changeLine(watched(named("muons-2026", fresh), few), NOW),
      changeLine(watched(heldRequest(), []), NOW),
      changeLine(watched(graphRequest(), few), NOW),
      outcomeLine(watched(named("muons-2026", { ...fresh, status: "completed", statusSince: NOW }), few), NOW),
      outcomeLine(
        watched(
          named("muons-2026", { ...fresh, status: "completed", statusSince: NOW, outputState: "invalidated" }),
          few,
        ),
        NOW,
      ),
      outcomeLine(watched(named("muons-2026", { ...fresh, status: "aborted", statusSince: NOW }), []), NOW),
    ].join("\n"),
    200,
  ));
