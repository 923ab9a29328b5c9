import { describe, expect, test } from "vitest";
import { parseDag } from "./dag-file.ts";
import { type DagAction, type DagEvent, DagMachine, type DagOutcome } from "./machine.ts";

function machineOf(text: string): DagMachine {
  const dag = parseDag(text, "t.dag");
  if (!dag.ok) throw new Error(dag.error);
  return new DagMachine(dag.value);
}

/** Plays a DAG with scripted codes per part ("pre.a", "job.a", "post.a"; the last code repeats); tells what ran. */
function play(
  text: string,
  codes: Record<string, number[]> = {},
): { ran: string[]; machine: DagMachine; outcome: DagOutcome } {
  const machine = machineOf(text);
  const ran: string[] = [];
  const queue: DagEvent[] = [{ k: "start" }];
  const take = (key: string): number => {
    const list = codes[key] ?? [0];
    return (list.length > 1 ? list.shift() : list[0]) as number;
  };
  for (let event = queue.shift(); event; event = queue.shift()) {
    for (const action of machine.handle(event)) {
      if (action.kind === "end") return { ran, machine, outcome: action.outcome };
      if (action.kind === "kill") queue.push({ k: "killed" });
      else if (action.kind === "defer") queue.push({ k: "deferred", n: action.node.spec.name });
      else {
        const { name } = action.node.spec;
        const key = `${action.kind}.${name}`;
        ran.push(key);
        queue.push({ k: action.kind, n: name, code: take(key) });
      }
    }
  }
  throw new Error("the DAG did not end");
}
const stateOf = (machine: DagMachine, name: string): string | undefined =>
  machine.nodes.find((node) => node.spec.name === name)?.state;

describe("one DAG", () => {
  test("runs in the order of its edges", () => {
    const { ran, outcome } = play("JOB a s\nJOB b s\nJOB c s\nPARENT a CHILD b c\n");
    expect(ran).toEqual(["job.a", "job.b", "job.c"]);
    expect(outcome).toMatchObject({ exit: 0, status: 0 });
  });

  test.each([
    ["a job's failure is the node's", "JOB a s\n", { "job.a": [3] }, ["job.a"], 1],
    ["POST decides, for better", "JOB a s\nSCRIPT POST a p\n", { "job.a": [3] }, ["job.a", "post.a"], 0],
    ["POST decides, for worse", "JOB a s\nSCRIPT POST a p\n", { "post.a": [1] }, ["job.a", "post.a"], 1],
    [
      "a failing PRE means no job and no POST",
      "JOB a s\nSCRIPT PRE a p\nSCRIPT POST a p\n",
      { "pre.a": [1] },
      ["pre.a"],
      1,
    ],
    [
      "a retry repeats all parts",
      "JOB a s\nSCRIPT PRE a p\nRETRY a 1\n",
      { "job.a": [1, 0] },
      ["pre.a", "job.a", "pre.a", "job.a"],
      0,
    ],
    ["retries end", "JOB a s\nRETRY a 2\n", { "job.a": [1] }, ["job.a", "job.a", "job.a"], 1],
    [
      "UNLESS-EXIT looks at the job without POST",
      "JOB a s\nRETRY a 2 UNLESS-EXIT 42\n",
      { "job.a": [42] },
      ["job.a"],
      1,
    ],
    [
      "UNLESS-EXIT looks at POST only",
      "JOB a s\nSCRIPT POST a p\nRETRY a 1 UNLESS-EXIT 42\n",
      { "job.a": [42], "post.a": [1] },
      ["job.a", "post.a", "job.a", "post.a"],
      1,
    ],
    [
      "UNLESS-EXIT of a PRE stops too",
      "JOB a s\nSCRIPT PRE a p\nRETRY a 2 UNLESS-EXIT 42\n",
      { "pre.a": [42] },
      ["pre.a"],
      1,
    ],
    [
      "DEFER runs the script again",
      "JOB a s\nSCRIPT DEFER 44 9 PRE a p\n",
      { "pre.a": [44, 44, 0] },
      ["pre.a", "pre.a", "pre.a", "job.a"],
      0,
    ],
    [
      "DEFER of a POST",
      "JOB a s\nSCRIPT DEFER 44 9 POST a p\n",
      { "post.a": [44, 0] },
      ["job.a", "post.a", "post.a"],
      0,
    ],
    ["a removed job is a failure", "JOB a s\n", { "job.a": [-1002] }, ["job.a"], 1],
  ])("%s", (_name, text, codes, ran, exit) => {
    const played = play(text, structuredClone(codes) as unknown as Record<string, number[]>);
    expect(played.ran).toEqual(ran);
    expect(played.outcome.exit).toBe(exit);
  });

  test("what hangs on a failed node is futile; the rest runs", () => {
    const { machine, outcome } = play("JOB a s\nJOB b s\nJOB c s\nJOB d s\nPARENT a CHILD b\nPARENT b CHILD c\n", {
      "job.a": [1],
    });
    expect(["a", "b", "c", "d"].map((name) => stateOf(machine, name))).toEqual(["failed", "futile", "futile", "done"]);
    expect(outcome).toMatchObject({ exit: 1, status: 2 });
  });

  test("the abort value wins over retries and kills the rest", () => {
    const text = "JOB a s\nJOB b s\nRETRY a 5\nABORT-DAG-ON a 43 RETURN 2\nPARENT a CHILD b\n";
    expect(play(text, { "job.a": [43] })).toMatchObject({ ran: ["job.a"], outcome: { exit: 2, status: 3 } });
  });

  test("an abort without RETURN exits as the node did; a job's code does not abort when there is a POST", () => {
    expect(play("JOB a s\nABORT-DAG-ON a 7\n", { "job.a": [7] }).outcome).toMatchObject({ exit: 7, status: 3 });
    const text = "JOB a s\nSCRIPT POST a p\nABORT-DAG-ON a 7\n";
    expect(play(text, { "job.a": [7] }).outcome).toMatchObject({ exit: 0 });
  });

  test("higher priority first, then the order of the file; DONE nodes are not run", () => {
    const text =
      "JOB a s\nJOB b s\nJOB c s\nJOB d s DONE\nPRIORITY c 5\nCATEGORY a x\nCATEGORY b x\nCATEGORY c x\nMAXJOBS x 1\n";
    expect(play(text).ran).toEqual(["job.c", "job.a", "job.b"]);
  });

  test("paused, nothing begins; halted, a drained DAG ends with status 0 and exit 1", () => {
    const machine = machineOf("JOB a s\nJOB b s\nPARENT a CHILD b\n");
    machine.handle({ k: "start" });
    machine.handle({ k: "pause", on: true });
    expect(machine.handle({ k: "job", n: "a", code: 0 })).toEqual([]);
    expect(machine.handle({ k: "pause", on: false })).toEqual([{ kind: "job", node: machine.nodes[1] }]);

    const other = machineOf("JOB a s\nJOB b s\nPARENT a CHILD b\n");
    other.handle({ k: "start" });
    expect(other.handle({ k: "halt", on: true })).toEqual([]);
    const last = other.handle({ k: "job", n: "a", code: 0 }) as DagAction[];
    expect(last).toEqual([{ kind: "end", outcome: { exit: 1, status: 0, word: "halted" } }]);
  });

  test("removal kills, then ends with 2; what ends meanwhile no longer counts", () => {
    const machine = machineOf("JOB a s\nJOB b s\n");
    machine.handle({ k: "start" });
    expect(machine.handle({ k: "remove" })).toEqual([{ kind: "kill" }]);
    expect(machine.handle({ k: "job", n: "a", code: 0 })).toEqual([]);
    expect(machine.handle({ k: "killed" })).toMatchObject([{ kind: "end", outcome: { exit: 2, status: 4 } }]);
    expect(stateOf(machine, "a")).toBe("queued");
  });
});
