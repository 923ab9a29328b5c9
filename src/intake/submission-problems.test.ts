import { describe, expect, test } from "vitest";
import {
  describeProblems,
  generateDocument,
  processDocument,
  RULES,
  readSubmission,
} from "../../tests/support/request-documents.ts";

const lines = (document: unknown): readonly string[] => {
  const read = readSubmission(document, RULES);
  return read.ok ? [] : describeProblems(read.error);
};

describe("problems, one key at a time", () => {
  const rule = (fields: object): object => ({ recovery: { handlers: [{ name: "h", rules: [fields] }] } });
  test.each<[object, string]>([
    [{ name: undefined }, "name: is missing"],
    [{ name: "../../etc/x y" }, 'name: is not allowed (got "../../etc/x y")'],
    [{ name: 2026 }, "name: must be text (got 2026); put it in quotes"],
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
    [{ split: { by: "events" } }, "split.by: number of events unknown"],
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
