import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRescue } from "../format/rescue.ts";
import { renderRescue } from "./bookkeeping-text.ts";
import { type DagFile, type NodeSpec, parseDag } from "./dag-file.ts";
import { type JournalLine, parseJournal, renderLine, replay } from "./journal.ts";
import { type DagEvent, DagMachine, type LiveNode } from "./machine.ts";

/** Laws of the machine over random DAGs, outcomes and orders of events. */
interface Drawn {
  readonly text: string;
  /** Codes by part and node, used up in turn; then 0. */
  readonly codes: readonly number[];
  /** Which of the open actions ends next. */
  readonly picks: readonly number[];
  readonly limits: { maxJobs: number; maxPre: number; maxPost: number };
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    size: fc.integer({ min: 1, max: 12 }),
    edges: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }),
    nodes: fc.array(
      fc.record({
        retries: fc.nat(3),
        unless: fc.boolean(),
        pre: fc.boolean(),
        post: fc.boolean(),
        defer: fc.boolean(),
        category: fc.nat(2),
        priority: fc.nat(2),
      }),
      { minLength: 12, maxLength: 12 },
    ),
    codes: fc.array(fc.constantFrom(0, 0, 0, 1, 42, 44, -9, -1002), { maxLength: 80 }),
    picks: fc.array(fc.nat(), { maxLength: 60 }),
    limits: fc.record({ maxJobs: fc.nat(4), maxPre: fc.nat(3), maxPost: fc.nat(3) }),
  })
  .map(({ size, edges, nodes, codes, picks, limits }) => {
    const lines: string[] = ["MAXJOBS c1 1", "MAXJOBS c2 2"];
    for (let i = 0; i < size; i++) {
      const node = nodes[i] as (typeof nodes)[number];
      lines.push(`JOB n${i} s`, `PRIORITY n${i} ${node.priority}`);
      if (node.category) lines.push(`CATEGORY n${i} c${node.category}`);
      if (node.pre) lines.push(`SCRIPT ${node.defer ? "DEFER 44 1 " : ""}PRE n${i} p`);
      if (node.post) lines.push(`SCRIPT ${node.defer ? "DEFER 44 1 " : ""}POST n${i} p`);
      if (node.retries) lines.push(`RETRY n${i} ${node.retries}${node.unless ? " UNLESS-EXIT 42" : ""}`);
    }
    for (const [a, b] of edges) {
      const [from, to] = [a % size, b % size];
      if (from < to) lines.push(`PARENT n${from} CHILD n${to}`);
    }
    return { text: lines.join("\n"), codes, picks, limits };
  });

function parse(text: string): DagFile {
  const dag = parseDag(text, "p.dag");
  if (!dag.ok) throw new Error(dag.error);
  return dag.value;
}

type Watch = (machine: DagMachine, dag: DagFile, started: NodeSpec[], event: DagEvent) => void;

/** Plays to the end. `parts` counts what ran per node; `journal` is what a shell would have written. */
function play(dag: DagFile, { codes, picks, limits }: Omit<Drawn, "text">, watch: Watch = () => {}) {
  const machine = new DagMachine(dag, limits);
  const open: DagEvent[] = [];
  const lines: JournalLine[] = [];
  const jobs = new Map<string, number>();
  const [codesLeft, picksLeft] = [[...codes], [...picks]];
  let event: DagEvent | undefined = { k: "start" };
  for (let steps = 0; event; steps++) {
    if (steps > 5000) throw new Error("it never ends");
    lines.push(event);
    const started: NodeSpec[] = [];
    for (const action of machine.handle(event)) {
      if (action.kind === "end") return { machine, lines, jobs, outcome: action.outcome };
      if (action.kind === "kill") open.push({ k: "killed" });
      else if (action.kind === "defer") open.push({ k: "deferred", n: action.node.spec.name });
      else {
        const { spec } = action.node;
        started.push(spec);
        if (action.kind === "job") jobs.set(spec.name, (jobs.get(spec.name) ?? 0) + 1);
        open.push({ k: action.kind, n: spec.name, code: codesLeft.shift() ?? 0 });
      }
    }
    watch(machine, dag, started, event);
    event = open.splice((picksLeft.shift() ?? 0) % Math.max(1, open.length), 1)[0];
  }
  throw new Error("nothing is open and the DAG has not ended");
}

describe("for every DAG and every order of events", () => {
  test("it ends; no node starts before its parents are done; limits hold; counts add up", () => {
    fc.assert(
      fc.property(drawn, ({ text, ...rest }) => {
        const dag = parse(text);
        const parents = new Map<number, number[]>();
        for (const node of dag.nodes)
          for (const child of node.children) parents.set(child, [...(parents.get(child) ?? []), node.index]);
        play(dag, rest, (machine, _dag, started) => {
          const live = machine.nodes;
          for (const spec of started)
            for (const parent of parents.get(spec.index) ?? []) expect(live[parent]?.state).toBe("done");
          const running = (category: string): number =>
            live.filter((node) => node.state === "queued" && node.spec.category === category).length;
          expect(running("c1")).toBeLessThanOrEqual(1);
          expect(running("c2")).toBeLessThanOrEqual(2);
          if (rest.limits.maxJobs) expect(machine.counts.queued).toBeLessThanOrEqual(rest.limits.maxJobs);
          for (const state of Object.keys(machine.counts) as (keyof typeof machine.counts)[])
            expect(live.filter((node) => node.state === state)).toHaveLength(machine.counts[state]);
        });
      }),
    );
  });

  test("no job runs more often than its retries allow; exit 0 exactly when all are done", () => {
    fc.assert(
      fc.property(drawn, ({ text, ...rest }) => {
        const dag = parse(text);
        const { jobs, machine, outcome } = play(dag, rest);
        for (const [name, count] of jobs) expect(count).toBeLessThanOrEqual((dag.byName.get(name)?.retries ?? 0) + 1);
        expect(outcome.exit === 0).toBe(machine.nodes.every((node) => node.state === "done"));
        expect(machine.counts.waiting + machine.counts.ready).toBe(0);
      }),
    );
  });

  test("a rescue and a run in which all goes well: everything done, nothing done twice", () => {
    fc.assert(
      fc.property(drawn, ({ text, ...rest }) => {
        const first = play(parse(text), rest);
        const rescue = parseRescue(renderRescue("p.dag", new Date(0), first.machine.nodes as LiveNode[]));
        expect(rescue).toMatchObject({ complete: true, problems: [] });
        const dag = parse(text);
        for (const name of rescue.done) (dag.byName.get(name) as NodeSpec).done = true;
        const second = play(dag, { ...rest, codes: [] });
        expect(second.outcome.exit).toBe(0);
        for (const name of second.jobs.keys()) expect(rescue.done.has(name)).toBe(false);
      }),
    );
  });

  test("a journal cut anywhere, even within a line, brings the machine back", () => {
    fc.assert(
      fc.property(drawn, fc.double({ min: 0, max: 1, noNaN: true }), ({ text, ...rest }, where) => {
        const states: string[][] = [];
        const { lines } = play(parse(text), rest, (machine) => states.push(machine.nodes.map((node) => node.state)));
        const written = lines.map(renderLine).join("");
        const cut = parseJournal(written.slice(0, Math.floor(written.length * where)));
        expect(cut).toEqual(lines.slice(0, cut.length));
        const dag = parse(text);
        const again = new DagMachine(dag, rest.limits);
        const found = replay(again, cut);
        const before = states[cut.length - 1];
        if (before) expect(again.nodes.map((node) => node.state)).toEqual(before);
        // Everything under way has an open action, but for scripts that wait for a place.
        const busy = again.nodes.filter((node) => ["pre", "queued"].includes(node.state));
        if (!again.outcome) for (const node of busy) expect(found.open.has(node.spec.name)).toBe(true);
      }),
    );
  });
});
