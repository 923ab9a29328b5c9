import { describe, expect, it } from "vitest";
import type { Run } from "../../core/run.ts";
import * as answers from "./answers.ts";
import * as commands from "./commands.ts";

const run = { dagId: "d1", submitDir: "/s", batchName: "wms2-d1", engineId: null, priority: 0 } as unknown as Run;

describe("command lines", () => {
  it("submits by name, never by force", () => {
    expect(commands.fenceCommand(run, 5)).toEqual("sh bin/submit fence 5 wms2-d1".split(" "));
    expect(commands.submitCommand(run, 5, 7)).toEqual(
      "sh bin/submit run 5 wms2-d1 -batch-name wms2-d1 -maxidle 7".split(" "),
    );
    expect(commands.submitCommand({ ...run, priority: 9 }, 5, 7).slice(-2)).toEqual(["-priority", "9"]);
  });
  it("quotes a name that would end the string", () => {
    const odd = { ...run, batchName: 'x" || true || "\\' };
    expect(commands.removeTreeCommand(odd).at(-1)).toBe('JobBatchName == "x\\" || true || \\"\\\\"');
  });
  it("removes and holds the top alone", () => {
    const top = 'JobBatchName == "wms2-d1" && JobUniverse == 7 && DAGManJobId is undefined';
    expect(commands.removeTopCommand(run).at(-1)).toBe(top);
    expect(commands.holdCommand(run).at(-1)).toBe(top);
    expect(commands.releaseCommand(run).at(-1)).toBe(top);
  });
});

describe("answers", () => {
  const ad = (fields: Record<string, unknown>) => ({
    JobBatchName: "wms2-d1",
    JobUniverse: 7,
    JobStatus: 2,
    QDate: 5,
    ...fields,
  });
  it("sorts the queue into trees", () => {
    const text = JSON.stringify([
      ad({ ClusterId: 3, DAGManJobId: 2, DAGNodeName: "mg_000000" }),
      ad({ ClusterId: 2 }),
      ad({ ClusterId: 9, JobBatchName: "wms2-d2", JobStatus: 5, HoldReason: "why" }),
      ad({ ClusterId: 4, JobBatchName: "wms2-d3", DAGManJobId: 1, JobUniverse: 5, JobStatus: 3 }),
    ]);
    const queue = answers.parseQueue(text);
    if (!queue.ok) throw new Error(queue.error);
    expect(queue.value.get("wms2-d1")).toMatchObject({
      top: { cluster: "2", queuedAt: 5 },
      others: [{ node: "mg_000000" }],
    });
    expect(queue.value.get("wms2-d2")?.top).toMatchObject({ status: "held", holdReason: "why" });
    expect(queue.value.get("wms2-d3")).toMatchObject({ top: null, others: [{ status: "removed", isDagman: false }] });
  });
  it("a cut answer is an error, never an empty queue", () => {
    expect(answers.parseQueue("")).toMatchObject({ ok: true });
    expect(answers.parseQueue('[\n{ "ClusterId": 22,').ok).toBe(false);
    expect(answers.parseQueue("Error: unknown host").ok).toBe(false);
    expect(answers.parseQueue('{"ClusterId": 1}').ok).toBe(false);
    expect(answers.parseQueue("[1]").ok).toBe(false);
    expect(answers.parseQueue('[{"ClusterId": 1}]').ok).toBe(false);
  });
  it("attribute names have no case, and an expression is no text", () => {
    const queue = answers.parseQueue(JSON.stringify([ad({ clusterid: 2, HoldReason: "/Expr(DiskUsage)/" })]));
    if (!queue.ok) throw new Error(queue.error);
    expect(queue.value.get("wms2-d1")?.top).toMatchObject({ cluster: "2", holdReason: null });
  });
  it.each([
    // Somebody was here: look, do not give up.
    [1, 'ERROR: "workflow.dag.condor.sub" already exists.', "failed"],
    [
      1,
      "ERROR: MultiLogFiles::FileReader::Open(): safe_fopen_wrapper_follow(nope.dag) failed with errno 2 (No such file",
      "rejected",
    ],
    [1, "ERROR: Can't find address of local schedd; ERROR: condor_submit failed; aborting.", "failed"],
    [139, "Segmentation fault", "failed"],
    [69, "a DAGMan of /s is in the queue: 5 wms2-d0", "wait"],
    [75, "another submission of /s is under way", "wait"],
    [77, "a later submission of /s has begun", "wait"],
    [73, "cannot write in /s", "unwritable"],
    [78, "there is no flock on the submit host", "rejected"],
  ])("a submission that ended with %i: %s", (code, text, kind) => {
    // bin/submit hands condor_submit_dag's words on as its output; its own go to stderr.
    const said = code === 1 || code === 139 ? { stdout: text, stderr: "" } : { stdout: "", stderr: text };
    expect(answers.readSubmission({ code, ...said })).toEqual({ kind, text });
  });
  it.each([
    [255, "ann@submit-1: Permission denied (publickey,password)."],
    [1, "permission denied while trying to connect to the Docker daemon socket"],
    [1, "sudo: unable to open /etc/sudoers: No such file or directory"],
  ])("what the way to the submit host complains about (%i: %s) is no word of the engine", (code, stderr) =>
    expect(answers.readSubmission({ code, stdout: "", stderr })).toEqual({ kind: "failed", text: stderr }),
  );
  it("reads small answers", () => {
    const stdout = "Submitting job(s).\n1 job(s) submitted to cluster 23.\n";
    expect(answers.readSubmission({ code: 0, stdout, stderr: "" })).toEqual({ kind: "done", cluster: "23" });
    expect(answers.readSubmission({ code: 0, stdout: "", stderr: "" })).toEqual({ kind: "done", cluster: null });
    expect(answers.parseVersion("$CondorVersion: 23.9.6 2026-07-12 PackageID: 23.9.6 $\n")).toBe("23.9.6");
    expect(answers.matchedNothing('Couldn\'t find/remove all jobs matching constraint (JobBatchName=="nope")')).toBe(
      true,
    );
    expect(answers.complaint("", "\nError: unknown host nowhere\n\nExtra Info: You probably")).toBe(
      "Error: unknown host nowhere",
    );
  });
  it("adds up the slots of a site", () => {
    const slot = (name: unknown, cpus: number) => ({
      GLIDEIN_CMSSite: name,
      TotalSlotCpus: cpus,
      TotalSlotMemory: 100,
    });
    const workers = answers.parseWorkers(
      JSON.stringify([slot("T2_B", 4), slot("T2_A", 1), slot("T2_B", 4), slot(null, 9)]),
    );
    if (!workers.ok) throw new Error(workers.error);
    expect(workers.value).toContainEqual({ name: "", cores: 9, memoryMb: 100 });
    expect(answers.sitesOf(workers.value)).toEqual([
      { name: "T2_A", cores: 1, memoryMb: 100 },
      { name: "T2_B", cores: 8, memoryMb: 200 },
    ]);
  });
  it.each([
    ["200", "TotalSchedulerJobsRunning < 500", 2],
    ["", "", 1], // not defined: the default holds
    ["5000\n", "TotalSchedulerJobsRunning < 5000\n", 0],
    ["5000", "true", 0],
  ])("warns of limits: %s, %s", (perOwner, start, count) => {
    expect(answers.limitWarnings(perOwner, start)).toHaveLength(count);
  });
});
