import { expect, test } from "vitest";
import { NOW, sampleDag, sampleRequest, sampleWorkflow } from "../../../tests/support/api-samples.ts";
import { dagDetailView, requestDetailView } from "../../../tests/support/api-views.ts";
import { graphSpec } from "../../../tests/support/sample-graph.ts";
import type { RequestName } from "../../core/names.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { RunView } from "../../operations/runs.ts";
import { plain } from "../terminal.ts";
import { runPage } from "./run-page.ts";
import { type ErrorsView, type RunEnd, runSummary, unitCounts } from "./run-summary.ts";

const look = { now: NOW, width: 100, paint: plain };
const golden = (name: string, text: string) => {
  for (const line of text.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(100);
  return expect(`${text}\n`).toMatchFileSnapshot(`../../../tests/golden/cli/${name}.txt`);
};

const dryRun: RunView = {
  kind: "next-version",
  request_name: "sweep-2026-v2",
  previous: "sweep-2026",
  reason: "sweep-2026 is completed; the next version goes on (changed, 4 to run)",
  dry_run: true,
  warnings: [],
  jobs: { total: 103, to_run: 4, credited: 99 },
  why: [
    { job: "train-0.1-007", why: "input", about: "data/007.csv" },
    { job: "train-0.1-008", why: "missing-output", about: "models/0.1-8.bin" },
    { job: "train-0.1-051", why: "new", about: null },
    { job: "report", why: "upstream", about: "train-0.1-007" },
  ],
  why_left: 0,
};

test("what would run, and why", () => golden("run-dry", runPage(dryRun, look)));

test("nothing to run", () => {
  const reason = "sweep-2026 is completed, and everything it made still holds";
  const jobs = { total: 103, to_run: 0, credited: 103 };
  return golden("run-nothing", runPage({ ...dryRun, kind: "nothing", reason, jobs, why: [] }, look));
});

test("of many jobs the first are shown, and the others are counted", () => {
  const why = Array.from({ length: 1000 }, (_, at) => ({ job: `job ${at}`, why: "new" as const, about: null }));
  const jobs = { total: 100_000, to_run: 100_000, credited: 0 };
  const lines = runPage({ ...dryRun, jobs, why, why_left: 99_000 }, look).split("\n");
  expect(lines).toContain("… and 99,950 more");
  expect(lines.at(-1)).toBe("100,000 of 100000 jobs to run: 1,000 new (of the first 1,000)");
});

const HELD = {
  code: "permanent-failures" as const,
  message: "1 of 103 units failed, and a retry would change nothing",
  evidence: {},
  actions: ["release", "abort"],
};
function ended(over: Partial<RequestRecord>, errors: ErrorsView | null, serverStays: boolean): RunEnd {
  const spec = graphSpec({ name: "sweep-2026" as RequestName });
  const record = sampleRequest({ spec, waiting: null, statusSince: NOW, ...over });
  const done = errors === null ? 103 : errors.units_done;
  const workflow = sampleWorkflow({ unitsPlanned: 103, unitsDone: done });
  return {
    watched: {
      request: requestDetailView(record, workflow, []),
      dag: dagDetailView(sampleDag(), "sweep-2026", []),
      units: [],
    },
    errors,
    credited: errors === null ? 40 : 0,
    again: "wms2 run sweep.yaml",
    where: serverStays ? "" : " --data-dir d",
    serverStays,
  };
}

const failure = {
  at: "2026-11-15T11:58:00.000Z",
  unit: "job_000007",
  node: "job_000007",
  job: "train-0.1-007",
  cluster: 12,
  site: "local",
  exit_code: 7,
  reason: "exit 7 in step job at local (the program failed); no more retries: 2 retries allowed, all used",
  not_before: null,
};
const errors: ErrorsView = {
  request_name: "sweep-2026",
  unit_word: "job",
  units_total: 103,
  units_done: 100,
  units_failed: 1,
  nodes_failed: 1,
  blocked: [{ by: "train-0.1-007", units: 2 }],
  nodes_recovered: 0,
  unclassified: 0,
  common: [],
  nodes_retrying: 0,
  unreadable_lines: 0,
  first: failure,
  categories: [],
  causes: [],
  codes: [
    {
      exit_code: 7,
      name: "7",
      cause: "exit",
      category: "permanent",
      rule: null,
      meaning: null,
      failures: 1,
      units: 1,
      example: failure,
      log_tail: "reading config.json\n\nlicence has expired\n",
    },
  ],
  retrying: [],
  sites: [],
  hosts: [],
  files: [],
  excluded: [],
  more: { codes: 0, retrying: 0, sites: 0, hosts: 0, files: 0, excluded: 0 },
  suggestion: { action: "release", modifications: {}, reason: "", everybody_command: null, command: null },
};

test("all done", () => golden("run-done", runSummary(ended({ status: "completed" }, null, false), look)));

test("a failed job blocks others: the first cause, and how to go on", () =>
  golden("run-failed", runSummary(ended({ status: "held", hold: HELD }, errors, false), look)));

test("with a server that stays there is nothing to start", () => {
  const page = runSummary(ended({ status: "held", hold: HELD }, errors, true), look);
  expect(page).not.toContain("need a server");
});

test("every unit is counted once", () => {
  const counts = unitCounts(ended({ status: "held", hold: HELD }, errors, true), NOW);
  expect(counts).toEqual({ total: 103, done: 100, failed: 1, blocked: 2 });
});
