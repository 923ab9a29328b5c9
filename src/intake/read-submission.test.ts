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
import type { RequestSpec } from "../domain/request.ts";

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
    retries: { landing: 3, processing: 3, merge: 2, cleanup: 1 },
    throttles: { units: 10, processing: 5000, merge: 100, cleanup: 50 },
    adaptive: false,
    recovery: {
      holdThreshold: 0.3,
      maxRescues: 3,
      pendingClassification: false,
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

describe("problems, one key at a time", () => {
  const rule = (fields: object): object => ({ recovery: { handlers: [{ name: "h", rules: [fields] }] } });
  test.each<[object, string]>([
    [{ name: undefined }, "name: is missing"],
    [{ name: "../../etc/x y" }, 'name: is not allowed (got "../../etc/x y")'],
    [{ name: 2026 }, "name: must be text (got 2026); put it in quotes"],
    [{ kind: "graph" }, 'kind: "graph" comes later; allowed: process, generate'],
    [{ kind: "proces" }, 'kind: "proces" is not a known kind; did you mean process?'],
    [{ input: undefined }, "input: is missing"],
    [{ input: {} }, "input: does not say where the files are"],
    [{ input: { files: "/a", directory: "/b" } }, "input: has files and directory; only one can be used"],
    [
      { input: { files: "data/*.csv" } },
      'input.files: is a relative path (got "data/*.csv"); allowed: an absolute path',
    ],
    [{ input: { files: ["/a", "b"] } }, "input.files[1]: is a relative path"],
    [{ input: { list: "~/x.json" } }, "input.list: ~ is not expanded"],
    [{ input: { dataset: "/a/b" } }, "input.dataset: is not allowed"],
    [{ input: { files: "/a", events_per_file: "words" } }, "input.events_per_file: must say how events are counted"],
    [{ input: { list: "/a", events_per_file: 5 } }, "input.events_per_file: has no meaning here"],
    [{ input: { dataset: "/A/B/C", runs: [0] } }, "input.runs[0]: must be a run number"],
    [{ input: { dataset: "/A/B/C", lumi_mask: { "1": [[5, 2]] } } }, "input.lumi_mask.1[0]: must be a range"],
    [
      { input: { files: "/a", events_per_file: 9e15 }, split: { by: "events", events_per_job: 1 } },
      "input.events_per_file: 9000000000000000 events would be 9000000000000000 jobs of 1; a file makes at most 1000000",
    ],
    [{ input: { files: "/a", on_missing: "ignore" } }, 'input.on_missing: "ignore" is not one of the choices'],
    [{ resources: { disk: "20 PB" } }, "resources.disk: 20000000000 MB is more than a job may ask for"],
    [{ input: { files: "/a", runs: [1] } }, "input: plain files have no runs"],
    [{ events: 5 }, "events: belongs to kind: generate"],
    [{ split: { by: "files", files_per_job: 0 } }, "split.files_per_job: must be at least 1 (got 0)"],
    [
      { split: { by: "files", file_per_job: 3 } },
      "split.file_per_job: is not a known key; did you mean files_per_job?",
    ],
    [{ split: { by: "file" } }, 'split.by: "file" is not one of the choices; did you mean files?'],
    [{ split: { by: "events" } }, "split.by: nobody knows how many events"],
    [{ split: { by: "lumis" } }, "split.by: plain files have no lumis"],
    [{ steps: undefined }, "steps: is missing"],
    [{ steps: [] }, "steps: names no step"],
    [{ steps: [{ name: "a b", run: "x" }] }, "steps[0].name: is not allowed"],
    [
      {
        steps: [
          { name: "a", run: "x" },
          { name: "a", run: "y" },
        ],
      },
      'steps[1].name: "a" is used twice',
    ],
    [
      { steps: [{ run: "cat $WMS2_INPUTS > out" }] },
      'steps[0].run: uses shell syntax ("$"); commands are run without a shell: write run: [sh, -c, "…"]',
    ],
    [{ steps: [{ run: "./other.sh" }] }, 'steps[0].run: "./other.sh" is not attached'],
    [{ steps: [{ run: "./wms2/run.sh" }] }, "is a name WMS2 keeps for itself"],
    [{ steps: [{ run: "./../x" }] }, "cannot travel with the request"],
    [{ steps: [{ run: [] }] }, "steps[0].run: names no program"],
    [
      { steps: [{ run: "x", parallel: "by-lumis" }] },
      'steps[0].parallel: "by-lumis" is not a way to run a step in parallel',
    ],
    [{ steps: [{ run: "x", env: { WMS2_SITE: "y" } }] }, "steps[0].env.WMS2_SITE: is reserved"],
    [{ steps: [{ run: "x", env: { "A B": "y" } }] }, 'steps[0].env["A B"]: is not a name for a variable'],
    [{ payload: "simulator" }, "steps: cannot be given together with payload"],
    [{ chain: ["GEN"] }, "chain: belongs to the simulator"],
    [{ outputs: [{ name: "a" }] }, "outputs[0].file: is missing"],
    [{ outputs: [{ name: "a", file: "../x" }] }, "outputs[0].file: is not allowed"],
    [{ outputs: [{ name: "a", file: "report.json" }] }, "outputs[0].file: report.json is a file of WMS2"],
    [{ outputs: [{ name: "a", file: "x", merge: "cat" }] }, 'outputs[0].merge: "cat" is not a way to merge'],
    [
      { outputs: [{ name: "a", file: "x", merge: { run: "./m.sh" } }] },
      'outputs[0].merge.run: "./m.sh" is not attached',
    ],
    [{ outputs: [{ name: "a", file: "select.sh" }] }, 'attachments["select.sh"]: is also the file of an output'],
    [{ resources: { memory: 4000 } }, 'resources.memory: must be a size with its unit (got 4000); allowed: "500 MB"'],
    [{ resources: { time: "20" } }, "resources.time: must be a duration with its unit"],
    [
      { resources: { memory: "8 GB", cores: 2 } },
      "resources.memory: asks for too much: 8000 MB on 2 cores is 4000 MB per core, and 3000 MB per core is the most",
    ],
    [{ resources: { time: "3 d" } }, "resources.time: 4320 min is longer than a job may run"],
    [{ memory_mb: 100, resources: { memory: "1 GB" } }, "memory_mb: says the same as resources.memory"],
    [{ sites: { allow: ["a"], deny: ["a"] } }, 'sites.deny[0]: "a" is both allowed and denied'],
    [{ sites: { allow: ["x; rm -rf /"] } }, "sites.allow[0]: is not a site name"],
    [{ priority: 1_000_000 }, "priority: must be at most 999999"],
    [{ urgent: "yes" }, 'urgent: must be true or false (got "yes")'],
    [
      { urgent: true, production_steps: [{ fraction: 0.5, priority: 1 }] },
      "production_steps: cannot be given together with urgent",
    ],
    [{ production_steps: [{ fraction: 1, priority: 1 }] }, "production_steps[0].fraction: must be below 1"],
    [
      {
        production_steps: [
          { fraction: 0.5, priority: 9 },
          { fraction: 0.5, priority: 8 },
        ],
      },
      "production_steps[1].fraction: must be above the one before it, 0.5",
    ],
    [
      {
        production_steps: [
          { fraction: 0.5, priority: 8 },
          { fraction: 0.6, priority: 8 },
        ],
      },
      "production_steps[1].priority: must be below the one before it, 8",
    ],
    [{ recovery: { hold_threshold: 20 } }, "recovery.hold_threshold: must be at most 1 (got 20)"],
    [rule({ max_retries: 3 }), "recovery.handlers[0].rules[0]: does not say which failures it is for"],
    [rule({ exit_codes: [] }), "recovery.handlers[0].rules[0]: matches no failure"],
    [rule({ exit_codes: [0] }), "recovery.handlers[0].rules[0].exit_codes[0]: must be an exit code of a failure"],
    [
      rule({ causes: ["omm"] }),
      'recovery.handlers[0].rules[0].causes[0]: "omm" is not a known cause; did you mean oom?',
    ],
    [rule({ stderr: "(" }), "recovery.handlers[0].rules[0].stderr: is no regular expression"],
    [rule({ stderr: "(?=busy)" }), "recovery.handlers[0].rules[0].stderr: is no regular expression we can use"],
    [rule({ stderr: "(a{30}b){30}" }), "recovery.handlers[0].rules[0].stderr: is too large"],
    [rule({ causes: ["oom"], delay: 30 }), "recovery.handlers[0].rules[0].delay: must be a duration with its unit"],
    [rule({ causes: ["oom"], memory_factor: 0.5 }), "recovery.handlers[0].rules[0].memory_factor: must be at least 1"],
    [rule({ causes: ["oom"], script: "./fix.sh" }), '"./fix.sh" is not attached'],
    [rule({ causes: ["oom"], script: "/bin/sh -c x" }), "script: must be a script that lies beside the request"],
    [{ recovery: { handlers: [{ name: "h" }] } }, "recovery.handlers[0].rules: is missing"],
    [{ retries: { proccessing: 3 } }, "retries.proccessing: is not a known key; did you mean processing?"],
    [{ throttles: { units: 0 } }, "throttles.units: must be at least 1"],
    [{ unit: { target_merged_size: "big" } }, "unit.target_merged_size: must be a size with its unit"],
    [{ previous_version: "muons-2026" }, "previous_version: names this request itself"],
    [{ InputDataset: "/A/B/C" }, "InputDataset: is not a known key; in this form write input: {dataset: …}"],
    [{ status: "new" }, "status: is not a known key; it is set by the server"],
    [{ source: "reqmgr2" }, "source: is for imports by name"],
    [{ acquisition_era: "../x" }, "acquisition_era: is not allowed"],
    [{ processing_string: "a/b" }, "processing_string: is not allowed"],
    [{ campaign: "a b" }, "campaign: is not allowed"],
    [{ nmae: "x" }, "nmae: is not a known key; did you mean name?"],
    [{ attach: ["table.csv"] }, 'attach[0]: "table.csv" is not attached'],
  ])("%j", (overrides, expected) => {
    const found = lines(processDocument(overrides as Record<string, unknown>));
    expect(found.join("\n")).toContain(expected);
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(2);
  });

  test("complains once about a split in two dialects", () => {
    const found = lines(processDocument({ split: { by: "files" }, splitting_algo: "FileBased" }));
    expect(found).toEqual(["splitting_algo: says the same as split; keep one of them"]);
  });

  test.each<[object, string]>([
    [{ input: { files: "/a" } }, "input: belongs to kind: process, and this is kind: generate"],
    [{ events: undefined }, "events: is missing"],
    [{ events: 0 }, "events: must be at least 1 (got 0)"],
    [{ events: 1.5 }, "events: must be a whole number (got 1.5)"],
    [{ split: { by: "files" } }, "split.by: generated events can only be split by events"],
    [{ filter_efficiency: 0 }, "filter_efficiency: must be above 0 (got 0)"],
    [{ chain: ["GEN", "SMI"] }, 'chain[1]: "SMI" is not a step of the simulator; did you mean SIM?'],
    [{ chain: ["GEN", "GEN"] }, 'chain[1]: "GEN" is used twice'],
    [{ chain: ["SMI", "GEN", "GEN"] }, 'chain[2]: "GEN" is used twice'],
    [{ simulate: [1] }, "simulate: must be a map of options"],
    [{ payload: "cmsrun" }, 'payload: "cmsrun" is not a known payload'],
    [{ first_event: "9223372036854775807" }, "events: the last event would be beyond"],
    [
      { events: "9223372036854775807", split: { events_per_job: 1 } },
      "events: 9223372036854775807 events would be 9223372036854775807 jobs of 1; a request makes at most 10000000 (planning.max_nodes_per_request); allowed: at least 922337203686 events per job",
    ],
    [
      { resources: { size_per_event: "10 TB" } },
      "events: a job of 2000 events would write 20000000000 MB; at most 10000000 MB may be asked for",
    ],
  ])("generate %j", (overrides, expected) => {
    expect(lines(generateDocument(overrides as Record<string, unknown>)).join("\n")).toContain(expected);
  });
});

test("all problems come at once", () => {
  const found = lines(
    processDocument({ name: "a b", priority: -1, split: { by: "x" }, steps: [{ run: "a|b" }], foo: 1 }),
  );
  expect(found.map((line) => line.split(":")[0])).toEqual(["name", "priority", "split.by", "steps[0].run", "foo"]);
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
