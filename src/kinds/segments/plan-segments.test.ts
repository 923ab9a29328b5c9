import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkPlan, planRound, processSpec, sampleFacts } from "../../../tests/support/sample-facts.ts";
import {
  due,
  fillFacts,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
  TRANSFER,
  years,
} from "../../../tests/support/sample-segments.ts";
import { toEnd } from "../../core/base/slices.ts";
import type { DagPlan, UnitPlan } from "../../core/plan.ts";
import type { NodeRow, SegmentsWork } from "../../core/segments.ts";
import { planFill } from "./plan-fill.ts";

/** The round that carries out a fill of all of it, and the facts it was planned from. */
function rounded(work: SegmentsWork, change: Parameters<typeof fillFacts>[0] = {}, policy: object = {}, unit = 0) {
  const seen = fillFacts({ ...change, work });
  const { work: _, ...common } = processSpec();
  const spec = { ...common, work, steps: [], outputs: [] };
  const next = { unit, node: unit, block: 0, firstEvent: 1n, firstLumi: 1n };
  const facts = sampleFacts(spec, { fill: { plan: toEnd(planFill(seen)), rows: seen.rows }, next, policy });
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  return { plan: outcome.plan, facts, broken: (plan = outcome.plan) => checkPlan(plan, facts).map(({ code }) => code) };
}
const jobs = ({ units }: DagPlan) => [...units].map(({ nodes }) => nodes[0]!.job!);
const made = (plan: DagPlan) => jobs(plan).map(({ products = [] }) => products.map(({ id }) => id));
/** child ← parents, by the numbers of units. */
const edges = ({ graph }: DagPlan) =>
  graph!.edges.flatMap(({ parents, children }) =>
    children.map((child) => `${child} ← ${[...parents].sort().join(" ")}`),
  );

describe("the jobs of a round", () => {
  test("a product each: chunks come before what is made of them", () => {
    const { plan, broken } = rounded(sampleSegments());
    expect(made(plan)).toEqual([[due(5)], [due(10, 5)], [due(10)], [due(15)], [due(20, 5)], [due(20, 10)], [due(20)]]);
    expect(edges(plan).sort()).toEqual(["2 ← 0 1", "5 ← 3 4", "6 ← 2 5"]);
    expect(broken()).toEqual([]);
  });

  test("one for all that falls due for a component at one date, in their order, for as long as all of them", () => {
    const { plan, broken } = rounded(sampleSegments({ group: "unit" }));
    expect(made(plan)).toEqual([[due(5)], [due(10, 5), due(10)], [due(15)], [due(20, 5), due(20, 10), due(20)]]);
    expect(edges(plan).sort()).toEqual(["1 ← 0", "3 ← 1 2"]);
    expect(jobs(plan).map(({ name }) => name)).toEqual([due(5), "atmos/0010", due(15), "atmos/0020"]);
    expect([...plan.units].map(({ nodes }) => nodes[0]!.resources.wallMinutes)).toEqual([120, 240, 120, 360]);
    expect(broken()).toEqual([]);
  });

  test("what failed before, and what is made of it, is a job of its own: nothing else waits for its next failure", () => {
    const work = sampleSegments({ group: "unit" });
    const rows = [
      sampleRow(due(20, 10), "failed", { overruns: 1 }),
      sampleRow(due(10, 5), "failed", { executions: 1 }),
    ];
    const { plan, broken } = rounded(work, { rows });
    expect(made(plan)).toEqual([[due(5)], [due(10, 5)], [due(10)], [due(15)], [due(20, 5)], [due(20, 10)], [due(20)]]);
    expect(broken()).toEqual([]);
  });

  test("three time limits are three executions, however many tries a round has; one of several is tried once", () => {
    const retries = (change: Partial<SegmentsWork>, rows: readonly NodeRow[] = []) =>
      jobs(rounded(sampleSegments({ executions: 9, ...change }), { rows, choice: { to: 6 * 12 } }).plan).map(
        (job) => job.retries,
      );
    expect(retries({})).toEqual([2]);
    expect(retries({}, [sampleRow(due(5), "failed", { overruns: 2 })])).toEqual([0]);
    expect(retries({ executions: 2 })).toEqual([1]);
    const products = [...sampleFamily(years(5)), ...sampleFamily(years(5), {}, "ta")];
    expect(retries({ group: "unit", components: [sampleComponent("atmos", products)] })).toEqual([0]);
  });

  test("a transfer is one of its own, before whoever reads what it brings", () => {
    const history = { ...sampleSegments().history, transfer: TRANSFER };
    const work = sampleSegments({
      group: "unit",
      history,
      components: [sampleComponent("atmos", sampleFamily(years(10)))],
    });
    const { plan, broken } = rounded(work, {
      without: { "0013": "absent", "0014": "partial" },
      choice: { from: 11 * 12 },
    });
    expect(made(plan)).toEqual([["history/0013"], ["history/0014"], [due(20, 10)]]);
    expect(edges(plan)).toEqual(["2 ← 0 1"]);
    expect(jobs(plan).map(({ retries }) => retries)).toEqual([0, 0, 1]);
    expect(broken()).toEqual([]);
  });

  test("numbers go on from the last round; what was tried before has fewer tries left", () => {
    const rows = [sampleRow(due(5), "failed", { executions: 1 })];
    const { plan, broken } = rounded(sampleSegments(), { rows, choice: { to: 6 * 12 } }, {}, 40);
    expect([...plan.units].map(({ name }) => name)).toEqual(["job_000040"]);
    expect(jobs(plan)[0]?.retries).toBe(0);
    expect(plan.summary.next.unit).toBe(41);
    expect(broken()).toEqual([]);
  });

  test("a list that is too long for a round is begun at its beginning", () => {
    const { plan, broken } = rounded(sampleSegments(), {}, { maxNodesPerRound: 3 });
    expect(made(plan)).toEqual([[due(5)], [due(10, 5)], [due(10)]]);
    expect(broken()).toEqual([]);
  });

  test("nothing to be made is no round", () => {
    const rows = [due(5), due(10, 5), due(10), due(15), due(20, 5), due(20, 10), due(20)].map((id) =>
      sampleRow(id, "done"),
    );
    expect(() => rounded(sampleSegments(), { rows })).toThrow("nothing-left");
  });
});

describe("a plan that breaks its promise is found out", () => {
  const whole = rounded(sampleSegments());
  const units = [...whole.plan.units];
  const again = (unit: UnitPlan, index: number): UnitPlan => ({ ...unit, index });
  const without = (unit: UnitPlan): UnitPlan => ({
    ...unit,
    nodes: unit.nodes.map((node) => ({ ...node, job: { ...node.job!, products: [] } })),
  });
  test.each([
    ["a product that two jobs make", { units: [...units, again(units[0]!, 7)] }, "product-twice"],
    ["a product that none makes", { units: [...units.slice(0, 6), without(units[6]!)] }, "no-product"],
    ["a number that is used twice", { units: units.map((unit, at) => again(unit, at === 3 ? 2 : at)) }, "unit-number"],
    [
      "one that does not wait",
      { graph: { ...whole.plan.graph!, edges: whole.plan.graph!.edges.slice(1) } },
      "edge-lost",
    ],
    [
      "a summary of something else",
      { summary: { ...whole.plan.summary, next: { ...whole.plan.summary.next, unit: 9 } } },
      "summary",
    ],
  ])("%s", (_story, change, code) => {
    expect(whole.broken({ ...whole.plan, ...change } as DagPlan)).toContain(code);
  });
});

test("law: every round of any fill makes each product of it once, after all it is made of", () => {
  const lengths = fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 4 });
  const done = fc.array(fc.boolean(), { minLength: 80, maxLength: 80 });
  fc.assert(
    fc.property(
      lengths,
      fc.constantFrom("unit" as const, "product" as const),
      done,
      fc.integer({ min: 1, max: 60 }),
      (own, group, there, most) => {
        const work = sampleSegments({
          group,
          components: ["atmos", "ocean"].map((name) => sampleComponent(name, sampleFamily(years(...own)))),
        });
        const all = toEnd(planFill(fillFacts({ work }))).actions.map(({ node }) => node);
        const rows = all.filter((_, at) => there[at]).map((id) => sampleRow(id, "done"));
        if (rows.length === all.length) return;
        const { plan, facts, broken } = rounded(work, { rows }, { maxNodesPerRound: most });
        expect(broken()).toEqual([]);
        const taken = facts.fill!.plan.actions.slice(0, most).map(({ node }) => node);
        expect(made(plan).flat().toSorted()).toEqual(taken.toSorted());
      },
    ),
    { numRuns: 60 },
  );
});
