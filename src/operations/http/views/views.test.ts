import { describe, expect, test } from "vitest";
import {
  at,
  healthyLoop,
  heldRequest,
  NOW,
  sampleDag,
  sampleNodes,
  sampleProgress,
  sampleRequest,
  sampleSpec,
  sampleWorkflow,
} from "../../../../tests/support/api-samples.ts";
import {
  dagDetailView,
  requestDetailSchema,
  requestDetailView,
  requestRowSchema,
  requestRowView,
  workflowStatusView,
  workflowView,
} from "../../../../tests/support/api-views.ts";
import { toEnd } from "../../../core/base/slices.ts";
import type { RequestRecord } from "../../../core/request.ts";
import type { GenerateWork } from "../../../core/work.ts";
import type { Workflow } from "../../../core/workflow.ts";
import type { RequestProgress } from "../../../store/port.ts";
import { OPERATIONS } from "../../table.ts";
import { whatIsWrong } from "../run/system.ts";
import { viewOf } from "../view-of.ts";
import { nodeCounts, tallyUnits } from "./dag.ts";
import { etaOf } from "./how-far.ts";
import { metricsSvg } from "./metrics-svg.ts";
import { workflowFields } from "./workflow.ts";

const loopView = viewOf(OPERATIONS.system.loop.answers[200]);
const golden = (name: string, view: unknown) =>
  expect(`${JSON.stringify(view, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.golden`);

test("metrics as a picture: it stands alone, and names are no markup", () => {
  const svg = metricsSvg("a<b>", workflowView(sampleWorkflow()).step_metrics);
  expect(svg).not.toContain("<b>");
  return expect(svg).toMatchFileSnapshot("golden/metrics.svg.golden");
});

describe("the main views", () => {
  test("a request with everything around it", () =>
    golden(
      "request-detail",
      requestDetailView(sampleRequest(), sampleWorkflow(), [
        { from: null, to: "submitted", reason: "submitted", actor: "operator", at: at("10:00") },
      ]),
    ));

  test("a held request, in the list", () => golden("request-row-held", requestRowView(heldRequest())));

  test("the status of a workflow", () =>
    golden(
      "workflow-status",
      workflowStatusView(
        {
          workflow: sampleWorkflow(),
          progress: sampleProgress(),
          dag: sampleDag(),
          blocks: [
            {
              workflowId: sampleWorkflow().id,
              index: 0,
              dataset: "/Run2024A/RECO/v1",
              status: "open",
              unitsTotal: 25,
              unitsDone: 12,
              unitsAbandoned: 0,
              createdAt: NOW,
              updatedAt: NOW,
            },
          ],
          units: { owed: 1, registered: 19, invalidated: 0 },
          files: { fresh: 5, attempted: 1, processed: 20, excluded: 0 },
          planWarnings: ["jobs ask for 2000 MB of memory, not 500: planning.least_memory_per_core_mb is 2000"],
        },
        NOW,
      ),
    ));

  test("a DAG with its history", () =>
    golden(
      "dag-detail",
      dagDetailView(sampleDag({ parentDagId: sampleDag().id, endedAt: NOW }), "muons-2026", [
        { dagId: sampleDag().id, type: "submitted", detail: { engineId: "1234" }, at: at("11:00") },
      ]),
    ));

  test("the loop", () => golden("loop", loopView(healthyLoop())));
});

test("every state of a request has a view that fits its schema", () => {
  const generate: GenerateWork = {
    kind: "generate",
    totalEvents: 9_007_199_254_740_993n,
    firstEvent: 1n,
    firstLumi: 1,
    eventsPerLumi: 100,
    filterEfficiency: 0.5,
    topUp: true,
    split: { algorithm: "EventBased", filesPerJob: 1, eventsPerJob: 100, lumisPerJob: 1 },
  };
  const { split } = generate;
  const input = { from: "dataset", dataset: "/A/B/C", mask: { runs: [], lumis: null } } as const;
  const records: RequestRecord[] = [
    heldRequest(),
    sampleRequest({ wish: { kind: "abort", actor: "operator", reason: "enough", at: NOW } }),
    sampleRequest({ spec: sampleSpec({ work: generate }) }),
    sampleRequest({ spec: sampleSpec({ work: { kind: "process", input, split } }) }),
  ];
  for (const record of records) {
    requestRowSchema.parse(requestRowView(record));
    const detail = requestDetailSchema.parse(requestDetailView(record, null, []));
    if (record.spec.work === generate) expect(detail.spec.generation?.total_events).toBe("9007199254740993");
  }
});

test.each<[Partial<Workflow>, number]>([
  [{ unitsDone: 0, unitsPlanned: 0 }, 0],
  [{ unitsDone: 20, unitsPlanned: 48 }, 41.6],
  [{ unitsDone: 9999, unitsPlanned: 10_000 }, 99.9],
  [{ unitsDone: 3, unitsPlanned: 3 }, 100],
  [{ unitsDone: 3, unitsPlanned: 3, sharePlanned: 0.1 }, 10],
  [{ unitsDone: 3, unitsPlanned: 3, sharePlanned: 0.999 }, 75],
  [{ status: "completed", unitsDone: 0, unitsPlanned: 0 }, 100],
])("progress of %o is %d %%", (over, percent) => {
  expect(workflowFields(sampleWorkflow(over)).progressPercent).toBe(percent);
});

test.each<[string, Partial<RequestProgress>, string | null]>([
  ["20 of 48 in an hour, 10 of them in the last half", {}, "in 42 min to 2 h"],
  ["failed ones are not waited for", { failed: 10 }, "in 27 to 90 min"],
  ["nothing done yet", { done: 0, lastDoneAt: null }, null],
  ["nothing done in this run", { lastDoneAt: at("10:59") }, null],
  ["not in the engine", { run: null }, null],
  [
    "nothing done for longer than all of it should take",
    { lastDoneAt: at("11:01") },
    "overdue: it was expected 58 min ago",
  ],
])("estimated end: %s", (_name, over, expected) => {
  expect(etaOf(sampleProgress(over), NOW)?.text ?? null).toBe(expected);
});

test("counts of nodes add up to the total", () => {
  const counts = nodeCounts(sampleDag());
  const sum = counts.nodesIdle + counts.nodesRunning + counts.nodesHeld + counts.nodesDone + counts.nodesFailed;
  expect(sum).toBe(counts.totalNodes);
});

test("nodes are counted into their units", () => {
  const rows = toEnd(tallyUnits(sampleNodes(), new Set(["mg_000003"]))).map(
    ({ unit, state, nodes, done, failed, running, held, retries }) =>
      [unit, state, nodes, done, failed, running, held, retries].join(" "),
  );
  expect(rows).toEqual([
    "mg_000000 waiting 4 2 0 0 1 1",
    "mg_000001 failed 3 1 2 0 0 3",
    "mg_000002 waiting 1 0 0 0 0 0",
    "mg_000003 done 1 1 0 0 0 0",
  ]);
});

test("health says what is wrong, all of it", () => {
  const parts = { store: { ok: false, text: "no answer" }, loop: { ok: false, text: "no pass" } };
  expect(whatIsWrong(parts)).toBe("store: no answer; loop: no pass");
});
