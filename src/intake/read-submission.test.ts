import { describe, expect, test } from "vitest";
import {
  attached,
  describeProblems,
  generateDocument,
  generated,
  processDocument,
  RULES,
  readSubmission,
} from "../../tests/support/request-documents.ts";
import type { RequestSpec } from "../core/request.ts";

const lines = (document: unknown): readonly string[] => {
  const read = readSubmission(document, RULES);
  return read.ok ? [] : describeProblems(read.error);
};
const accepted = (document: unknown): { spec: RequestSpec; warnings: readonly string[] } => {
  const read = readSubmission(document, RULES);
  expect(read.ok ? [] : describeProblems(read.error)).toEqual([]);
  if (!read.ok) throw new Error("unreachable");
  return read.value;
};

test("a process request, whole", () => {
  const { spec, warnings } = accepted(
    processDocument({
      sites: { allow: ["T2_XX_Alpha"], deny: [] },
      recovery: {
        hold_threshold: 0.3,
        handlers: [{ name: "flaky", rules: [{ exit_codes: [10, 11], max_retries: 3, delay: "30 s" }] }],
      },
      campaign: "Summer26",
      prep_id: "X-1",
      metadata: { ticket: 12 },
    }),
  );
  expect(warnings).toEqual([]);
  expect(spec).toEqual({
    name: "muons-2026",
    requestor: "alice",
    requestorDn: null,
    group: "users",
    campaign: "Summer26",
    acquisitionEra: "WMS2",
    processingString: "main",
    processingVersion: 1,
    priority: 100_000,
    urgent: false,
    productionSteps: [],
    work: {
      kind: "process",
      input: { from: "glob", pattern: "/data/*.csv", events: { by: "unknown" }, mask: { runs: [], lumis: null } },
      split: { algorithm: "FileBased", filesPerJob: 5, eventsPerJob: 10_000, lumisPerJob: 8 },
    },
    steps: [{ name: "select", argv: ["./select.sh", "--cut", "3"], env: {} }],
    outputs: [{ name: "hits", file: "hits.csv", merge: { how: "concat" }, keep: true }],
    resources: {
      cores: 1,
      memoryMb: 500,
      wallMinutes: 20,
      diskMb: 1000,
      gpus: 0,
      secondsPerEvent: null,
      kbPerEvent: null,
    },
    sites: { allow: ["T2_XX_Alpha"], deny: [] },
    unit: { jobsPerUnit: null, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 500 },
    retries: { landing: 3, processing: 3, merge: 2, cleanup: 1, job: 3 },
    throttles: { units: 10, processing: 5000, merge: 100, cleanup: 50 },
    adaptive: false,
    recovery: {
      holdThreshold: 0.3,
      maxRescues: 3,
      pendingClassification: false,
      auto: false,
      handlers: [
        {
          name: "flaky",
          roles: ["processing"],
          rules: [
            {
              exitCodes: [10, 11],
              matchAllExitCodes: false,
              causes: [],
              stderr: null,
              maxRetries: 3,
              delaySec: 30,
              memoryFactor: null,
              wallFactor: null,
              script: null,
            },
          ],
        },
      ],
    },
    cleanupPolicy: "keep_until_replaced",
    previousVersion: null,
    metadata: { ticket: 12, prep_id: "X-1" },
  });
});

test("the simulator's steps carry its options verbatim", () => {
  const simulate = { time_scale: 0.01, fail: [{ step: "SIM", exit_code: 8021, every: 3, attempts: 1 }] };
  const { spec } = accepted(generateDocument({ simulate, events_per_lumi: 100 }));
  expect(spec.steps.map((step) => step.argv)).toEqual([
    ["wms2/simulate", "GEN"],
    ["wms2/simulate", "SIM"],
    ["wms2/simulate", "MINI"],
  ]);
  expect(JSON.parse(spec.steps[1]!.env.WMS2_SIM_OPTIONS!)).toEqual(simulate);
  expect(spec.outputs).toEqual([{ name: "mini", file: "mini.out", merge: { how: "concat" }, keep: true }]);
  expect(spec.work).toEqual({
    kind: "generate",
    split: expect.objectContaining({ algorithm: "EventBased", eventsPerJob: 2000 }),
    totalEvents: 1_000_000n,
    lumis: "per_job",
    firstEvent: 1n,
    firstLumi: 1,
    eventsPerLumi: 100,
    filterEfficiency: 1,
    topUp: false,
  });
});

test("event numbers are 64 bits wide, as numbers or as text", () => {
  for (const events of [9_007_199_254_740_993n, "9007199254740993"]) {
    const document = generateDocument({ events, split: { events_per_job: 1e12 } });
    expect(generated(accepted(document).spec).totalEvents).toBe(9_007_199_254_740_993n);
  }
  expect(lines(generateDocument({ events: 2 ** 60 }))).toEqual([
    "events: lost digits on its way (got 1152921504606847000); write numbers above 2^53 as text",
  ]);
  expect(lines(generateDocument({ events: "9223372036854775808" }))[0]).toContain(
    "must be at most 9223372036854775807",
  );
});

test("a job is twelve hours of work when the time per event is known and its size is not", () => {
  const known = accepted(
    generateDocument({ split: undefined, events_per_lumi: 100, resources: { time_per_event: "10 s" } }),
  );
  expect([known.spec.work.split?.eventsPerJob, generated(known.spec).eventsPerLumi]).toEqual([4300, 100]);
  expect(accepted(generateDocument({ split: undefined })).spec.work.split?.eventsPerJob).toBe(10_000);
  const written = accepted(generateDocument({ split: { events_per_job: 300, events_per_lumi: 200 } })).spec;
  expect([written.work.split?.eventsPerJob, generated(written).eventsPerLumi]).toEqual([300, 200]);
});

test("where a job by lumis ends can be said, and only there", () => {
  const split = { by: "lumis", lumis_per_job: 4, split_on_run: false, halt_on_file_boundaries: true };
  const byLumis = accepted(processDocument({ input: { list: "/data/files.json" }, split }));
  expect(byLumis.warnings).toEqual([]);
  expect(byLumis.spec.work.split).toMatchObject({ lumisPerJob: 4, splitOnRun: false, haltOnFileBoundaries: true });
  const byFiles = accepted(processDocument({ split: { by: "files", split_on_run: false } }));
  expect(byFiles.warnings).toEqual(["split.split_on_run: has no effect when work is split by files"]);
  expect(lines(processDocument({ split: { split_on_run: "no" } }))).toEqual([
    'split.split_on_run: must be true or false (got "no")',
  ]);
});

test("a thing said twice under two names is told once", () => {
  expect(lines(processDocument({ request_name: "b" }))).toEqual([
    "request_name: says the same as name; keep one of them",
  ]);
});

test("the names the API answers with are understood", () => {
  const { spec } = accepted({
    request_name: "user_Run2024A_v1_250130_123456",
    input_dataset: "/Muon/Run2024A-v1/RAW",
    splitting_algo: "LumiBased",
    splitting_params: {
      lumis_per_job: 4,
      run_whitelist: [7, 3],
      lumi_mask: {
        "3": [
          [5, 9],
          [1, 4],
          [20, 30],
        ],
      },
    },
    memory_mb: 2048,
    time_per_event_sec: 1.5,
    size_per_event_kb: 1.5,
    site_whitelist: ["T2_XX_Alpha"],
    site_blacklist: ["T2_XX_Beta"],
    cmssw_version: "CMSSW_14_0_0",
    steps: [{ run: ["cmsRun", "pset.py"] }],
    previous_version_request: "user_Run2024A_v0",
    cleanup_policy: "immediate_cleanup",
    production_steps: [
      { fraction: 0.1, priority: 80_000 },
      { fraction: 0.5, priority: 50_000 },
    ],
    payload_config: { RequestType: "ReReco" },
  });
  expect(spec).toMatchObject({
    name: "user_Run2024A_v1_250130_123456",
    work: {
      kind: "process",
      input: {
        from: "dataset",
        dataset: "/Muon/Run2024A-v1/RAW",
        mask: {
          runs: [3, 7],
          lumis: {
            "3": [
              [1, 9],
              [20, 30],
            ],
          },
        },
      },
      split: { algorithm: "LumiBased", lumisPerJob: 4 },
    },
    resources: { memoryMb: 2048, secondsPerEvent: 1.5, kbPerEvent: 1.5 },
    sites: { allow: ["T2_XX_Alpha"], deny: ["T2_XX_Beta"] },
    steps: [{ name: "step1", argv: ["cmsRun", "pset.py"] }],
    previousVersion: "user_Run2024A_v0",
    cleanupPolicy: "immediate_cleanup",
    metadata: { cmssw_version: "CMSSW_14_0_0", payload_config: { RequestType: "ReReco" } },
  });
});

test("what is legal but odd is said, not refused", () => {
  expect(accepted(processDocument({ outputs: undefined })).warnings).toEqual([
    "outputs: none are declared: nothing will be merged or registered",
  ]);
  expect(accepted(processDocument({ split: { by: "files", events_per_job: 5 } })).warnings[0]).toContain(
    "has no effect",
  );
  expect(accepted(processDocument({ resources: { memory: "2500 MB" } })).warnings[0]).toContain("fewer sites");
  expect(accepted(generateDocument({ filter_efficiency: 0.5 })).warnings[0]).toContain(
    "2000000 events will be generated",
  );
});

describe("attachments", () => {
  const sum = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"; // of "foo\n"
  test("are decoded and summed", () => {
    const read = readSubmission(
      processDocument({
        attach: ["t/x.csv"],
        attachments: { "./select.sh": attached("x"), "t/x.csv": { ...attached("foo\n", false), sha256: sum } },
      }),
      RULES,
    );
    expect(read.ok && read.value.files.map((file) => [file.path, file.executable])).toEqual([
      ["select.sh", true],
      ["t/x.csv", false],
    ]);
    expect(read.ok && read.value.files[1]).toMatchObject({
      sha256: sum,
      content: Uint8Array.from(Buffer.from("foo\n")),
    });
  });
  const script = attached("x");
  test.each<[object, string]>([
    [{ "../select.sh": script }, 'attachments["../select.sh"]: is not a name under which a file can travel'],
    [{ "/etc/passwd": script }, "is not a name under which a file can travel"],
    [{ "wms2/run.sh": script }, "is a name WMS2 keeps for itself"],
    [{ "a/b": script, a: script }, 'attachments["a/b"]: cannot lie in a, which is a file'],
    [{ "x.sh": { content_base64: "!!" } }, 'attachments["x.sh"].content_base64: is not base64'],
    [{ "x.sh": {} }, 'attachments["x.sh"].content_base64: is missing'],
    [{ "x.sh": { ...script, sha256: sum } }, 'attachments["x.sh"].sha256: does not fit the content'],
    [{ "x.sh": attached("x".repeat(1_000_001)) }, "is too large: 1000001 bytes, at most 1000000"],
    [{ "x.sh": "text" }, 'attachments["x.sh"]: must be a file (got "text")'],
    [{ "select.sh": attached("x", false) }, 'attachments["select.sh"]: is run by this request but is not executable'],
    [
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, attached("x".repeat(999_999))])),
      "attachments: are too large together",
    ],
  ])("case %#", (attachments, expected) => {
    const found = lines(processDocument({ attachments: { "select.sh": script, ...attachments } }));
    expect(found.join("\n")).toContain(expected);
  });
});
