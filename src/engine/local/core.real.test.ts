import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../tests/support/eventually.ts";
import { parseEvents } from "../../submit-dir/event-log.ts";
import { parseMetrics } from "../format/metrics.ts";
import { parseRescue } from "../format/rescue.ts";
import { shQuote } from "../runners/process/task-files.ts";
import { removeTree } from "../runners/process/transfer.ts";
import { LocalCore } from "./core.ts";

/** Root may remove anything: it becomes nobody for a moment. */
const OTHER = process.getuid?.() === 0 ? 65534 : (process.getuid?.() ?? 0);

/** The engine with real processes, within this one. */
let root: string;
let dir: string;
let core: LocalCore;

const open = (cgroups = true): LocalCore =>
  new LocalCore({
    dir: join(root, "engine"),
    sites: [
      { name: "north", cores: 2, memoryMb: 4000 },
      { name: "south", cores: 2, memoryMb: 4000 },
    ],
    graceMs: 500,
    cgroups,
  });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "wms2-core-"));
  dir = join(root, "run");
  core = open();
});
afterEach(() => {
  core.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

/** `step KEY CODE…` notes that it ran and ends with the n-th code at its n-th time, then with the last. */
const STEP = `#!/bin/sh
cd "\${0%/*}" || exit 99
key=$1; shift
echo "$key" >>ran.log
n=$(grep -cx "$key" ran.log)
while [ $# -gt 1 ] && [ "$n" -gt 1 ]; do shift; n=$((n - 1)); done
case $1 in
  wait) while [ ! -e go ]; do sleep 0.02; done; exit 0 ;;
  kill) kill -9 $$ ;;
  *) exit "$1" ;;
esac
`;
const SUB =
  "executable = @/step\narguments = $(key:$(JOB)) $(codes:0)\nlog = @/jobs.log\nulog_execute_attrs = GLIDEIN_CMSSite\nqueue\n";

function lay(files: Record<string, string>): void {
  for (const [name, text] of Object.entries({ step: STEP, "j.sub": SUB, ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text.replaceAll("@/", `${dir}/`));
    chmodSync(join(dir, name), 0o755);
  }
}
function submit(batchName = "b"): void {
  const result = core.submit({ batchName, submitDir: dir, priority: 0 });
  if (!result.ok) throw new Error(result.error);
}
async function run(files: Record<string, string>): Promise<void> {
  lay(files);
  submit();
  await core.idle();
}
const read = (name: string): string => readFileSync(join(dir, name), "utf8");
const ran = (): string[] => (existsSync(join(dir, "ran.log")) ? read("ran.log").trim().split("\n") : []);
const metrics = (name = "workflow.dag") => {
  const parsed = parseMetrics(read(`${name}.metrics`));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};
const events = (log = "jobs.log") => parseEvents(readFileSync(join(dir, log), "utf8"));

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

describe("DAGs in DAGs", () => {
  const top = (more = "") => `SUBDAG EXTERNAL u0 group.dag DIR u0\nSUBDAG EXTERNAL u1 group.dag DIR u1\n${more}`;

  test("have their own files; a rescue runs only what is left, in each", async () => {
    await run({
      "workflow.dag": top(),
      "u0/group.dag": 'JOB x ../j.sub\nVARS x key="u0.x"\n',
      "u1/group.dag":
        'JOB x ../j.sub\nJOB y ../j.sub\nVARS x key="u1.x"\nVARS y key="u1.y" codes="1 0"\nPARENT x CHILD y\n',
    });
    expect(metrics()).toMatchObject({ exitCode: 1, dagStatus: 2, failed: 1, succeeded: 1 });
    expect(metrics("u1/group.dag")).toMatchObject({ exitCode: 1, failed: 1, succeeded: 1 });
    submit("b2");
    await core.idle();
    expect(metrics()).toMatchObject({ exitCode: 0, rescueUsed: 1 });
    expect(ran().sort()).toEqual(["u0.x", "u1.x", "u1.y", "u1.y"]);
  });

  test("an inner abort with RETURN 2 aborts the outer, and kills the others", async () => {
    await run({
      "workflow.dag": top("ABORT-DAG-ON u0 2 RETURN 1\nRETRY u0 3\n"),
      "u0/group.dag": 'JOB x ../j.sub\nVARS x key="u0.x" codes="43"\nABORT-DAG-ON x 43 RETURN 2\nRETRY x 3\n',
      "u1/group.dag": 'JOB x ../j.sub\nVARS x key="u1.x" codes="wait"\n',
    });
    expect(metrics()).toMatchObject({ exitCode: 1, dagStatus: 3 });
    expect(metrics("u0/group.dag")).toMatchObject({ exitCode: 2, dagStatus: 3 });
    expect(metrics("u1/group.dag")).toMatchObject({ exitCode: 2, dagStatus: 4, failed: 0 });
    expect(ran().filter((key) => key === "u0.x")).toHaveLength(1);
  });

  test("stop ends processes, runs no POST, writes every rescue; the rescue completes", async () => {
    lay({
      "workflow.dag": top(),
      "u0/group.dag": 'JOB x ../j.sub\nVARS x key="u0.x"\n',
      "u1/group.dag": 'JOB x ../j.sub\nVARS x key="u1.x" codes="wait"\nSCRIPT POST x ../step post 0\n',
    });
    submit();
    await eventually(
      "the job waits and the other unit is done",
      () => ran().includes("u1.x") && existsSync(join(dir, "u0/group.dag.metrics")),
    );
    core.stop("b");
    await core.idle();
    expect(metrics()).toMatchObject({ exitCode: 2, dagStatus: 4, failed: 0 });
    expect([...parseRescue(read("workflow.dag.rescue001")).done]).toEqual(["u0"]);
    expect(existsSync(join(dir, "u1/group.dag.rescue001"))).toBe(true);
    expect(ran()).not.toContain("post");
    writeFileSync(join(dir, "go"), "");
    submit("b2");
    await core.idle();
    expect(metrics()).toMatchObject({ exitCode: 0 });
    expect(ran().filter((key) => key === "u0.x")).toHaveLength(1);
  });

  test("a sub-DAG that does not parse fails its node", async () => {
    await run({ "workflow.dag": top(), "u0/group.dag": "NONSENSE\n", "u1/group.dag": "JOB x none NOOP\n" });
    expect(metrics()).toMatchObject({ exitCode: 1, failed: 1, succeeded: 1 });
    expect(read("u0/group.dag.dagman.out")).toMatch(/line 1.*NONSENSE[\s\S]*Failed to parse group.dag/);
    expect(existsSync(join(dir, "u0/group.dag.metrics"))).toBe(false);
  });
});

describe("the engine", () => {
  test("leaves without stopping anything; the next one takes over", async () => {
    lay({ "workflow.dag": 'JOB a j.sub\nVARS a codes="wait"\nJOB b j.sub\nPARENT a CHILD b\n' });
    submit();
    await eventually("the job runs", () => ran().length === 1);
    core.close();
    writeFileSync(join(dir, "go"), "");
    core = open();
    core.recover();
    await core.idle();
    expect(ran()).toEqual(["a", "b"]);
    expect(metrics()).toMatchObject({ exitCode: 0 });
  });

  test("a job that was being ended for its memory when the engine died is still reported so", async () => {
    lay({
      "k.sub":
        "executable = /bin/sleep\narguments = 60\ntransfer_executable = false\nMy.MaxWallTimeMins = 0.001\nlog = jobs.log\nqueue\n",
      "workflow.dag": "JOB a k.sub\n",
    });
    submit();
    await eventually("it is being ended", () => read("workflow.dag.journal.jsonl").includes('"k":"held"'));
    core.close();
    core = open();
    core.recover();
    await core.idle();
    expect(
      events()
        .find((event) => event.kind === "held")
        ?.body.at(-1),
    ).toBe("Code 3 Subcode 50664");
    expect(events().at(-1)?.kind).toBe("aborted");
  });

  test("holds and releases; a halt file drains", async () => {
    lay({ "workflow.dag": 'JOB a j.sub\nVARS a codes="wait"\nJOB b j.sub\nPARENT a CHILD b\n' });
    submit();
    await eventually("the job runs", () => ran().length === 1);
    core.hold("b", true);
    writeFileSync(join(dir, "go"), "");
    await eventually("a has ended", () => read("workflow.dag.journal.jsonl").includes('"k":"job"'));
    expect(ran()).toEqual(["a"]);
    writeFileSync(join(dir, "workflow.dag.halt"), "");
    await core.idle();
    expect(metrics()).toMatchObject({ exitCode: 1, dagStatus: 0, succeeded: 1 });
    submit("b2");
    await core.idle();
    expect(ran()).toEqual(["a", "b"]);
  });

  test("an end that cannot be written at first leaves one rescue file", async () => {
    lay({ "workflow.dag": 'JOB a j.sub\nVARS a codes="1"\n', "workflow.dag.metrics.tmp/in-the-way": "" });
    submit();
    await eventually("it cannot end", () => (core.list()[0]?.note ?? "").includes("cannot write the end"));
    rmSync(join(dir, "workflow.dag.metrics.tmp"), { recursive: true });
    await core.idle();
    expect(readdirSync(dir).filter((name) => name.includes("rescue"))).toEqual(["workflow.dag.rescue001"]);
  });

  test("does not run a DAG twice at once, and says no where nothing can be written", () => {
    lay({ "workflow.dag": 'JOB a j.sub\nVARS a codes="wait"\n' });
    submit();
    expect(core.submit({ batchName: "b", submitDir: dir, priority: 0 })).toEqual({ ok: true, value: core.find("b") });
    expect(core.submit({ batchName: "c", submitDir: dir, priority: 0 }).ok).toBe(false);
    expect(core.submit({ batchName: "d", submitDir: join(root, "nosuch"), priority: 0 })).toMatchObject({ ok: false });
    expect(core.submit({ batchName: "../x", submitDir: dir, priority: 0 })).toMatchObject({ ok: false });
    mkdirSync(join(root, "odd", "workflow.dag.journal.jsonl.tmp"), { recursive: true });
    writeFileSync(join(root, "odd", "workflow.dag"), "JOB a none NOOP\n");
    const refused = core.submit({ batchName: "e", submitDir: join(root, "odd"), priority: 0 });
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining("cannot begin") });
    core.stop("b");
    return core.idle();
  });

  test("a run whose directory is taken away ends; the others go on", async () => {
    lay({ "workflow.dag": 'JOB a j.sub\nVARS a codes="wait"\nJOB b j.sub\nPARENT a CHILD b\n' });
    submit();
    await eventually("the job runs", () => ran().length === 1);
    rmSync(dir, { recursive: true, force: true });
    lay({ go: "", "workflow.dag": "JOB a j.sub\n" });
    rmSync(dir, { recursive: true, force: true });
    dir = join(root, "other");
    lay({ "workflow.dag": "JOB a j.sub\n" });
    submit("b2");
    await eventually("the other run is done", () => existsSync(join(dir, "workflow.dag.metrics")));
    core.stop("b");
    await core.idle();
    expect(ran()).toEqual(["a"]);
  });

  test("a job that fits nowhere waits, and the run says so", async () => {
    lay({
      "k.sub": "executable = /bin/true\nrequest_cpus = 64\nqueue\n",
      "workflow.dag": "NODE_STATUS_FILE s 1\nJOB a k.sub\n",
    });
    submit();
    expect(core.list()[0]?.unmatched).toMatchObject({ code: "too-large", words: expect.stringContaining("64 cores") });
    core.stop("b");
    await core.idle();
  });
});

test("quoting: a shell gives every word back as it was", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 5 }), (drawn) => {
      const words = drawn.map((word) => word.replaceAll("\0", ""));
      const out = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${words.map(shQuote).join(" ")}`]).toString("utf8");
      expect(out.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 10 },
  );
});

describe.each([
  ["with control groups", true],
  ["without them", false],
])("what a job started, %s", (_, cgroups) => {
  const reopen = (): void => {
    core.close();
    core = open(cgroups);
  };
  const alive = (name: string): boolean => existsSync(`/proc/${read(name).trim()}`) && !isZombie(read(name).trim());
  const isZombie = (pid: string): boolean => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  const one = (script: string) => ({
    job: `#!/bin/sh\ncd @/\n${script}\n`,
    "s.sub": "executable = @/job\nlog = @/jobs.log\nqueue\n",
    "workflow.dag": "JOB a s.sub\n",
  });

  test("ends with it: in its group, in its session, and outside of both", async (context) => {
    reopen();
    if (cgroups && !core.isContained) context.skip();
    const away = 'setsid sh -c "echo \\$\\$ >left-session; exec sleep 300" &';
    const group = 'sh -c "echo \\$\\$ >in-group; exec sleep 300" &';
    const wait = "while [ ! -s left-session ] || [ ! -s in-group ]; do sleep 0.02; done";
    await run(one(`${away}\n${group}\n${wait}`));
    expect(metrics()).toMatchObject({ exitCode: 0, succeeded: 1 });
    for (const name of ["left-session", "in-group"])
      await eventually(`${name} is gone`, async () => !alive(name), { deadlineSec: 5 });
  });

  test("ends with it even if it hides its origin", async (context) => {
    reopen();
    if (!core.isContained) context.skip();
    await run(
      one('env -i setsid sh -c "echo \\$\\$ >hidden; exec sleep 300" &\nwhile [ ! -s hidden ]; do sleep 0.02; done'),
    );
    await eventually("it is gone", async () => !alive("hidden"), { deadlineSec: 5 });
  });

  test("a job that kills its runner is one lost attempt; its neighbors do not notice", async () => {
    reopen();
    // The parent of the job's process watches it; the parent of that starts jobs for all.
    const parent = (pid: string) => `$(sed 's/.*) . //; s/ .*//' /proc/${pid}/stat)`;
    const kill = `kill -9 $PPID ${parent("$PPID")}\nsleep 300`;
    await run({
      ...one(`echo killer >>ran.log\n${kill}`),
      "workflow.dag":
        'JOB a s.sub\nSCRIPT POST a @/post $RETURN\nJOB b j.sub\nVARS b codes="wait"\nJOB c j.sub\nVARS c codes="wait"\n',
      post: '#!/bin/sh\necho "$1" >@/returned\ntouch @/go\nexit 1\n',
    });
    expect(read("returned").trim()).toBe("-1003");
    expect(ran().toSorted()).toEqual(["b", "c", "killer"]);
    expect(metrics()).toMatchObject({ succeeded: 2, failed: 1 });
    expect(events().filter(({ kind }) => kind === "lost")).toMatchObject([
      { body: [expect.stringMatching(/watched it was killed/)] },
    ]);
  }, 30_000);
});
