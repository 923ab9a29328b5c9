import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dir, events, metrics, ran, read, root, run } from "../../../tests/support/local-core.ts";
import { parseRescue } from "../format/rescue.ts";
import { removeTree } from "../runners/process/transfer.ts";

describe("nodes", () => {
  test("retry until done, with the event log telling every attempt", async () => {
    await run({ "workflow.dag": 'JOB a j.sub\nVARS a codes="1 1 0"\nRETRY a 2\n' });
    expect(ran()).toEqual(["a", "a", "a"]);
    expect(metrics()).toMatchObject({ exitCode: 0, dagStatus: 0, succeeded: 1 });
    const kinds = events().map((event) => event.kind);
    expect(kinds).toEqual([
      "submit",
      "execute",
      "terminated",
      "submit",
      "execute",
      "terminated",
      "submit",
      "execute",
      "terminated",
    ]);
    expect(events().map((event) => event.exit?.valueOf() ?? null)[2]).toEqual({ code: 1 });
    expect(events()[1]?.body.join("\n")).toMatch(/^GLIDEIN_CMSSite = "(north|south)"$/m);
  });

  test("stop at UNLESS-EXIT; what hangs on it is futile; POST gets the facts", async () => {
    await run({
      "workflow.dag":
        'JOB a j.sub\nVARS a codes="7"\nSCRIPT POST a post $JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID\nRETRY a 5 UNLESS-EXIT 42\nJOB b j.sub\nPARENT a CHILD b\n',
      post: '#!/bin/sh\necho "$@" >>posts\n[ "$3" = 1 ] && exit 42\nexit 1\n',
    });
    expect(ran()).toEqual(["a", "a"]);
    expect(read("posts")).toMatch(/^a 7 0 5 \d+\na 7 1 5 \d+\n$/);
    expect(metrics()).toMatchObject({ exitCode: 1, dagStatus: 2, failed: 1 });
    expect(parseRescue(read("workflow.dag.rescue001"))).toMatchObject({ failed: ["a"], complete: true });
  });

  test("DEFER: a PRE that is not ready runs again later", async () => {
    await run({ "workflow.dag": "JOB a j.sub\nSCRIPT DEFER 44 0 PRE a step pre 44 44 0\n" });
    expect(ran()).toEqual(["pre", "pre", "pre", "a"]);
  });

  test("a signal is a negative return", async () => {
    await run({
      "workflow.dag": 'JOB a j.sub\nVARS a codes="kill"\nSCRIPT POST a post $RETURN\n',
      post: '#!/bin/sh\necho "$1" >ret\n',
    });
    expect(read("ret")).toBe("-9\n");
    expect(events().at(-1)).toMatchObject({ kind: "terminated", exit: { signal: 9 } });
  });

  test("an exit code of 137 is no signal", async () => {
    await run({
      "workflow.dag": 'JOB a j.sub\nVARS a codes="137"\nSCRIPT POST a post $RETURN\n',
      post: '#!/bin/sh\necho "$1" >ret\n',
    });
    expect(read("ret")).toBe("137\n");
  });

  test("categories are never exceeded, priority goes first", async () => {
    const job = '#!/bin/sh\nmkdir @/busy || echo two >>@/clash\necho "$1" >>@/ran.log\nsleep 0.02\nrmdir @/busy\n';
    const names = ["a", "b", "c", "d"];
    await run({
      job,
      "k.sub": "executable = @/job\narguments = $(JOB)\nqueue\n",
      "workflow.dag": `${names.map((n) => `JOB ${n} k.sub\nCATEGORY ${n} one\n`).join("")}MAXJOBS one 1\nPRIORITY d 9\n`,
    });
    expect(existsSync(join(dir, "clash"))).toBe(false);
    expect(ran()).toEqual(["d", "a", "b", "c"]);
  });

  test("a submit file that cannot be read is return -1001", async () => {
    await run({
      "workflow.dag": "JOB a nosuch.sub\nSCRIPT POST a post $RETURN $CLUSTERID\n",
      post: '#!/bin/sh\necho "$@" >ret\nexit 1\n',
    });
    expect(read("ret")).toBe("-1001 -1\n");
    expect(read("workflow.dag.dagman.out")).toContain("nosuch.sub");
  });

  test("a POST that does not exist fails the node", async () => {
    await run({ "workflow.dag": "JOB a j.sub\nSCRIPT POST a ./nosuch\n" });
    expect(metrics()).toMatchObject({ exitCode: 1, failed: 1 });
    expect(read("workflow.dag.lib.err")).toContain("nosuch");
  });
});

describe("jobs that are held leave with a reason, and POST decides", () => {
  const POST = '#!/bin/sh\necho "$1" >ret\nexit 1\n';
  const HOG = "#!/bin/sh\nx=$(head -c 90000000 /dev/zero | tr '\\0' a)\nsleep 60\n";
  const DAG = "JOB a k.sub\nSCRIPT POST a post $RETURN\n";
  test.each([
    ["executable missing", "executable = nosuch\nlog = jobs.log\nqueue\n", 6, 2],
    [
      "input missing",
      "executable = step\nshould_transfer_files = YES\ntransfer_input_files = nosuch\nlog = jobs.log\nqueue\n",
      13,
      2,
    ],
    [
      "output missing",
      "executable = /bin/true\ntransfer_executable = false\nshould_transfer_files = YES\ntransfer_output_files = nosuch\nlog = jobs.log\nqueue\n",
      12,
      2,
    ],
    [
      "stdout impossible",
      "executable = /bin/true\ntransfer_executable = false\noutput = no/such/out\nlog = jobs.log\nqueue\n",
      7,
      2,
    ],
    [
      "too long",
      "executable = /bin/sleep\narguments = 60\ntransfer_executable = false\nMy.MaxWallTimeMins = 0.001\nlog = jobs.log\nqueue\n",
      3,
      50664,
    ],
    ["too large", "executable = hog\nrequest_memory = 20\nlog = jobs.log\nqueue\n", 3, 50660],
  ])("%s", async (_name, sub, code, subcode) => {
    await run({ "workflow.dag": DAG, post: POST, "k.sub": sub, hog: HOG });
    expect(read("ret")).toBe("-1002\n");
    expect(
      events()
        .find((event) => event.kind === "held")
        ?.body.at(-1),
    ).toBe(`Code ${code} Subcode ${subcode}`);
    expect(events().at(-1)?.kind).toBe("aborted");
  });
});

/** Root may remove anything: it becomes nobody for a moment. */
const OTHER = process.getuid?.() === 0 ? 65534 : (process.getuid?.() ?? 0);

describe("transfers", () => {
  test("inputs come, outputs go where they are remapped, the job sees its ads", async () => {
    await run({
      "payload/tool": "#!/bin/sh\necho tool\n",
      "payload/sub/deep": "deep\n",
      "in.txt": "in\n",
      "work.sh":
        '#!/bin/sh\nset -e\n./tool\ncat in.txt sub/deep\n[ "$PWD" = "$_CONDOR_SCRATCH_DIR" ]\ngrep GLIDEIN_CMSSite "$_CONDOR_MACHINE_AD"\n' +
        'grep -E "ClusterId|Flavour" "$_CONDOR_JOB_AD"\necho changed >in.txt\necho r >report\nexit 5\n',
      "k.sub":
        "executable = work.sh\nshould_transfer_files = YES\ntransfer_input_files = payload/,in.txt\ntransfer_output_files = report\n" +
        'transfer_output_remaps = "report=$(JOB).$(Cluster).report"\noutput = $(JOB).out\n' +
        'My.Flavour = "up"\nMy.DESIRED_Sites = "south"\nqueue\n',
      "workflow.dag": "JOB a k.sub\n",
    });
    const cluster = /ClusterId = (\d+)/.exec(read("a.out"))?.[1];
    expect(read("a.out")).toBe(`tool\nin\ndeep\nGLIDEIN_CMSSite = "south"\nClusterId = ${cluster}\nFlavour = "up"\n`);
    expect(read(`a.${cluster}.report`)).toBe("r\n");
    expect(read("in.txt")).toBe("in\n");
    expect(readdirSync(join(root, "engine", "tasks"))).toEqual([]);
  });

  test("a job that takes its directory away is held, and the engine goes on", async () => {
    await run({
      "gone.sh": '#!/bin/sh\nrm -rf "$PWD"\n',
      "k.sub": "executable = gone.sh\nshould_transfer_files = YES\nlog = jobs.log\nqueue\n",
      "workflow.dag": "JOB a k.sub\n",
    });
    expect(events().map((event) => event.kind)).toEqual(["submit", "execute", "held", "aborted"]);
    expect(metrics()).toMatchObject({ exitCode: 1, failed: 1 });
  });

  test.runIf(process.seteuid && process.geteuid)(
    "directories that a job closed to itself are removed all the same",
    () => {
      const closed = join(root, "scratch", "closed");
      mkdirSync(join(closed, "inner"), { recursive: true });
      for (const path of [join(closed, "inner"), closed]) chmodSync(path, 0o500);
      for (const path of [root, join(root, "scratch"), closed, join(closed, "inner")]) chownSync(path, OTHER, OTHER);
      const me = process.geteuid?.() ?? OTHER;
      process.seteuid?.(OTHER);
      try {
        removeTree(join(root, "scratch"));
      } finally {
        process.seteuid?.(me);
      }
      expect(existsSync(join(root, "scratch"))).toBe(false);
    },
  );

  test("an include is read at every submission", async () => {
    await run({
      "k.sub":
        "executable = /bin/sh\narguments = \"-c 'exit $(code)'\"\ntransfer_executable = false\ncode = 1\ninclude : more.inc\nqueue\n",
      "more.inc": "",
      post: '#!/bin/sh\n[ "$1" = 0 ] && exit 0\necho code = 0 >inc.tmp\nmv inc.tmp more.inc\nexit 1\n',
      "workflow.dag": "JOB a k.sub\nRETRY a 1\nSCRIPT POST a post $RETURN\n",
    });
    expect(metrics()).toMatchObject({ exitCode: 0 });
  });
});
