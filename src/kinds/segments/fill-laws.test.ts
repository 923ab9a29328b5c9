import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fillFacts,
  NOW,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
} from "../../../tests/support/sample-segments.ts";
import { type ModelNode, modelFill, modelNodes } from "../../../tests/support/segments-model.ts";
import { toEnd } from "../../core/base/slices.ts";
import type { HistoryFact, Liveness } from "../../core/products.ts";
import type { FillChoice, NodeRow, NodeState, SegmentsWork } from "../../core/segments.ts";
import { decideNode, releaseNode } from "./decide-node.ts";
import { madeOfSum } from "./made-of.ts";
import { productId, segmentNodes } from "./nodes.ts";
import type { FillFacts } from "./own-state.ts";
import { planFill } from "./plan-fill.ts";

const RUNS = { numRuns: 300 };
const START = 12;
const idOf = (node: ModelNode) => productId(node.component, node.product, node);

const works: fc.Arbitrary<SegmentsWork> = fc
  .record({
    segmentMonths: fc.constantFrom(1, 2, 3, 12),
    lengths: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
    averages: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
    tails: fc.array(fc.constantFrom("skip" as const, "emit" as const), { minLength: 8, maxLength: 8 }),
    later: fc.integer({ min: 0, max: 3 }),
    segments: fc.integer({ min: 0, max: 12 }),
    isOngoing: fc.boolean(),
  })
  .map(({ segmentMonths, lengths, averages, tails, later, segments, isOngoing }) => {
    const inMonths = (counts: readonly number[]) => counts.map((count) => count * segmentMonths);
    const products = [...sampleFamily(inMonths(lengths)), ...sampleFamily(inMonths(averages), {}, "ta")];
    const tailed = products.map((product, index) => ({ ...product, tail: tails[index]! }));
    return sampleSegments({
      start: START,
      segmentMonths,
      end: isOngoing ? null : START + segments * segmentMonths,
      components: [
        sampleComponent("atmos", tailed, START),
        sampleComponent("ocean", tailed, START + later * segmentMonths),
      ],
    });
  });

interface Drawn {
  readonly state: NodeState | "stale" | null;
  readonly isLater: boolean;
  readonly live: Liveness;
}
const STATES = [
  "missing",
  "submitted",
  "elsewhere",
  "failed",
  "input-missing",
  "partial",
  "lost",
  "held",
  "unknown",
  "stale",
] as const;
const drawn: fc.Arbitrary<Drawn> = fc.record({
  state: fc.oneof(
    { weight: 6, arbitrary: fc.constant("done" as const) },
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: fc.constantFrom(...STATES) },
  ),
  isLater: fc.boolean(),
  live: fc.constantFrom("running" as const, "queued" as const, "unknown" as const),
});
/** From and to in segments. */
const choices: fc.Arbitrary<FillChoice> = fc.record({
  component: fc.constantFrom(null, null, "ocean"),
  from: fc.option(fc.integer({ min: 0, max: 10 }), { freq: 2 }),
  to: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 1 }),
  mode: fc.constantFrom("missing" as const, "failed" as const, "failed" as const, "all" as const),
  recurse: fc.boolean(),
});
const HISTORY = fc.constantFrom<HistoryFact["state"]>(
  "present",
  "present",
  "present",
  "present",
  "absent",
  "partial",
  "short",
  "unknown",
);

/** An experiment in any state, and what is asked for. */
const situations = fc
  .tuple(
    works,
    fc.array(drawn, { minLength: 120, maxLength: 120 }),
    fc.array(HISTORY, { minLength: 13, maxLength: 13 }),
    choices,
  )
  .map(([work, states, arrived, drawn]) => {
    const month = (segments: number | null) => (segments === null ? null : START + segments * work.segmentMonths);
    const choice: FillChoice = { ...drawn, from: month(drawn.from), to: month(drawn.to) };
    const to = work.end ?? START + 12 * work.segmentMonths;
    const nodes = modelNodes(work, to);
    const byNode = new Map(nodes.map((node, index) => [node, states[index % states.length]!]));
    const segmentAt = (month: number) => arrived[(month - START) / work.segmentMonths]!;
    const history = new Map(
      Array.from({ length: 12 }, (_, index) => START + index * work.segmentMonths).map((month) => {
        const state = segmentAt(month);
        return [
          month,
          { state, stamp: state === "present" || state === "short" ? { sizeBytes: 1, mtime: month } : null },
        ];
      }),
    );
    return { work, to, choice, byNode, history, hasArrived: (month: number) => segmentAt(month) === "present" };
  });
type Situation = typeof situations extends fc.Arbitrary<infer S> ? S : never;

function factsOf({ work, to, choice, byNode, history }: Situation): FillFacts {
  const rows = new Map<string, NodeRow>();
  const live = new Map<string, Liveness>();
  for (const [node, { state, isLater, live: alive }] of byNode) {
    const id = idOf(node);
    if (state === null) continue;
    const madeOf = state === "stale" ? "what it was made of once" : null;
    const retryAt = isLater ? new Date(NOW.getTime() + 1) : null;
    rows.set(id, sampleRow(id, state === "stale" ? "done" : state, { madeSum: "sum", madeOfSum: madeOf, retryAt }));
    if (alive !== "unknown") live.set(id, alive);
  }
  return { ...fillFacts({ work, range: { from: START, to } }), rows, live, history, choice };
}

/** Stale only where all that it is made of is known. */
const stateIn =
  ({ byNode, history }: Situation) =>
  (node: ModelNode) => {
    const { state } = byNode.get(node)!;
    const isKnown =
      node.needs.every((need) => ["done", "stale"].includes(byNode.get(need)!.state ?? "")) &&
      node.segments.every((month) => history.get(month)!.stamp !== null);
    return state === "stale" && !isKnown ? "done" : state;
  };

test("chunks, and what they are made of, are those of the plain model", () => {
  fc.assert(
    fc.property(works, (work) => {
      const to = work.end ?? START + 12 * work.segmentMonths;
      const expected = modelNodes(work, to).map((node) => [idOf(node), node.needs.map(idOf), node.segments]);
      const nodes = segmentNodes(work, to);
      const found = nodes.map(({ id, needs, history }) => [id, needs, history.map(({ from }) => from)]);
      expect(found.toSorted()).toEqual(expected.toSorted());
      const seen = new Set<string>();
      for (const { id, needs } of nodes) {
        expect(needs.filter((need) => !seen.has(need))).toEqual([]);
        seen.add(id);
      }
    }),
    RUNS,
  );
});

test("a plan fills exactly the holes and what they need, and nothing done is made again unless its input changed or it was asked for", () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const { byNode, choice } = situation;
      const isLater = (node: ModelNode) => byNode.get(node)!.isLater;
      const nodes = [...byNode.keys()];
      const expected = modelFill({ ...situation, nodes, stateOf: stateIn(situation), isLater });
      const { actions } = toEnd(planFill(factsOf(situation)));
      expect(actions.map(({ node }) => node).toSorted()).toEqual([...expected].map(idOf).toSorted());
      const redone = actions.filter(({ kind }) => kind === "redo" || kind === "remake");
      if (choice.mode === "missing") expect(redone).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

test("it waits for nothing that nothing will make: what is not done is done now, or a reason is told that leads to its cause", () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const facts = factsOf(situation);
      const { actions, obstacles, rows, done, holes } = toEnd(planFill(facts));
      const acted = new Set<string>();
      for (const { node, after } of actions) {
        expect(after.filter((id) => !acted.has(id))).toEqual([]);
        acted.add(node);
      }
      const opposed = new Map(obstacles.map((obstacle) => [obstacle.node, obstacle]));
      expect(obstacles.filter(({ node }) => acted.has(node))).toEqual([]);
      const cells = rows.flatMap((row) => row.cells);
      expect(cells.filter(({ node, state }) => state !== "done" && !acted.has(node) && !opposed.has(node))).toEqual([]);
      expect(done + holes).toBe(cells.length);
      for (const { causes, kind } of obstacles) {
        expect(causes.length).toBeGreaterThan(0);
        // The cause itself never moves in this plan, and is no neighbour that only waits, too.
        for (const cause of kind === "blocked" ? causes : []) {
          expect(acted.has(cause)).toBe(false);
          expect(opposed.get(cause)?.kind).not.toBe("blocked");
          expect(facts.rows.get(cause)?.state === "done" && facts.choice.mode !== "all").toBe(false);
        }
      }
      expect(toEnd(planFill(facts))).toEqual(toEnd(planFill(facts)));
    }),
    RUNS,
  );
});

test("planning twice submits once", () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const facts = factsOf(situation);
      const { actions } = toEnd(planFill(facts));
      const rows = new Map(facts.rows);
      const live = new Map(facts.live);
      for (const { node } of actions) {
        rows.set(node, { ...(rows.get(node) ?? sampleRow(node, "missing")), state: "submitted" });
        live.set(node, "queued");
      }
      expect(toEnd(planFill({ ...facts, rows, live })).actions).toEqual([]);
    }),
    RUNS,
  );
});

test("whatever fails, arrives late or is held: once it arrives and is released, all is done, each of what is there now", () => {
  const luck = fc.array(fc.constantFrom("done", "done", "error", "lost", "input", "blocked"), {
    minLength: 400,
    maxLength: 400,
  });
  const arrivals = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(works, luck, arrivals, (work, outcomes, arrivesIn) => {
      const to = work.end ?? START + 12 * work.segmentMonths;
      const nodes = new Map(segmentNodes(work, to).map((node) => [node.id, node]));
      const rows = new Map<string, NodeRow>();
      const executed = new Map<string, number>();
      let at = 0;
      for (let round = 0; round < 60; round++) {
        const history = new Map(
          arrivesIn.map((when, index): [number, HistoryFact] => [
            START + index * work.segmentMonths,
            when <= round
              ? { state: "present", stamp: { sizeBytes: 1, mtime: when } }
              : { state: "absent", stamp: null },
          ]),
        );
        const facts = { ...fillFacts({ work, range: { from: START, to } }), rows, history };
        const plan = toEnd(planFill(facts));
        if (plan.holes === 0) break;
        const failed = new Set<string>();
        for (const { node: id, after } of plan.actions) {
          const row = { ...(rows.get(id) ?? sampleRow(id, "missing")), state: "submitted" as const };
          const by = after.find((need) => failed.has(need));
          const luck = by ? "blocked" : (outcomes[at++] ?? "done");
          if (luck !== "done") failed.add(id);
          else executed.set(id, (executed.get(id) ?? 0) + 1);
          const sums = {
            madeSum: luck === "done" ? `${id}` : null,
            madeOfSum: madeOfSum(nodes.get(id)!, rows, history),
          };
          const attempt = ATTEMPTS[luck as keyof typeof ATTEMPTS];
          const ending =
            luck === "done"
              ? ({ kind: "done" } as const)
              : attempt
                ? ({ kind: "failed", reason: luck, attempts: [attempt] } as const)
                : ({ kind: "blocked", by: by ?? "history" } as const);
          rows.set(id, decideNode({ row, ending, ...sums, isHistory: false, work, wallMinutes: 1, now: NOW }));
        }
        for (const [id, row] of rows)
          if (row.state === "held" || row.state === "input-missing") rows.set(id, releaseNode(row, "ann", NOW));
      }
      expect([...nodes.keys()].filter((id) => rows.get(id)?.state !== "done")).toEqual([]);
      expect([...executed.values()].filter((times) => times > 1)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
const ATTEMPTS = {
  error: { cause: "exit", exitCode: 3 },
  lost: { cause: "node_lost", exitCode: null },
  input: { cause: "exit", exitCode: 66 },
} as const;
