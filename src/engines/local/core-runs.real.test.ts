import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../tests/support/eventually.ts";
import {
  core,
  dir,
  events,
  lay,
  metrics,
  ran,
  read,
  reopen,
  root,
  run,
  submit,
  useDirectory,
} from "../../../tests/support/local-core.ts";
import { parseRescue } from "../format/rescue.ts";

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
      "the job waits, and the top was told that the other unit is done",
      () => ran().includes("u1.x") && read("workflow.dag.journal.jsonl").includes('"k":"job","n":"u0","code":0'),
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
    reopen();
    core.recover();
    await core.idle();
    expect(ran()).toEqual(["a", "b"]);
    expect(metrics()).toMatchObject({ exitCode: 0 });
  });

  test("what ran before is taken over before anything else begins: no site gets more jobs than it has cores", async () => {
    const waiting = (names: readonly string[]) =>
      names.map((name) => `JOB ${name} ../j.sub\nVARS ${name} key="${name}" codes="wait"\n`).join("");
    lay({
      "workflow.dag": "SUBDAG EXTERNAL u0 group.dag DIR u0\nSUBDAG EXTERNAL u1 group.dag DIR u1\n",
      // Its jobs come when those of the other unit have the cores.
      "u0/group.dag": `JOB p ../j.sub\nVARS p key="p"\n${waiting(["x1", "x2", "x3", "x4"])}PARENT p CHILD x1 x2 x3 x4\n`,
      "u1/group.dag": waiting(["y1", "y2", "y3", "y4"]),
    });
    submit();
    await eventually("every core has a job", () => ran().filter((key) => key !== "p").length === 4);
    reopen();
    core.recover();
    for (let turns = 0; turns < 500; turns++) await new Promise((turn) => setImmediate(turn));
    expect(events().filter(({ kind }) => kind === "execute")).toHaveLength(5);
    writeFileSync(join(dir, "go"), "");
    await core.idle();
    expect(ran()).toHaveLength(9);
  });

  test("a job that was being ended for its memory when the engine died is still reported so", async () => {
    lay({
      "k.sub":
        "executable = /bin/sleep\narguments = 60\ntransfer_executable = false\nMy.MaxWallTimeMins = 0.001\nlog = jobs.log\nqueue\n",
      "workflow.dag": "JOB a k.sub\n",
    });
    submit();
    await eventually("it is being ended", () => read("workflow.dag.journal.jsonl").includes('"k":"held"'));
    reopen();
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
    useDirectory("other");
    lay({ "workflow.dag": "JOB a j.sub\n" });
    submit("b2");
    await eventually("the other run is done", () => existsSync(join(dir, "workflow.dag.metrics")));
    core.stop("b");
    await core.idle();
    expect(ran()).toEqual(["a"]);
  });

  test("a job that begins long after the status was written is told there", async () => {
    lay({
      "k.sub": "executable = @/step\narguments = a wait\nrequest_cpus = 64\nqueue\n",
      "workflow.dag": "NODE_STATUS_FILE s 1\nJOB a k.sub\n",
    });
    submit();
    await eventually("it is told to be idle", () => existsSync(join(dir, "s")) && read("s").includes('"idle: '));
    core.configure([{ name: "large", cores: 64, memoryMb: 4000 }]);
    await eventually("it is told to run", () => read("s").includes('"not_idle"'));
    writeFileSync(join(dir, "go"), "");
    await core.idle();
  });

  test("a job that fits nowhere waits, and the run says so", async () => {
    lay({
      "k.sub": "executable = /bin/true\nrequest_cpus = 64\nqueue\n",
      "workflow.dag": "NODE_STATUS_FILE s 1\nJOB a k.sub\n",
    });
    submit();
    expect(core.list()[0]?.unmatched).toMatchObject({ code: "too-large", reason: expect.stringContaining("64 cores") });
    core.stop("b");
    await core.idle();
  });
});
