import { describe, expect, test } from "vitest";
import {
  due,
  FAILED,
  fillFacts,
  inShort,
  NOW,
  planned,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
  TRANSFER,
  years,
} from "../../../tests/support/sample-segments.ts";
import { toEnd } from "../../core/base/slices.ts";
import { monthOf } from "../../core/calendar.ts";
import type { HistoryFact } from "../../core/products.ts";
import type { NodeRow, NodeState } from "../../core/segments.ts";
import { madeOfSum } from "./made-of.ts";
import { planFill } from "./plan-fill.ts";

/** Five and fifteen are made of history, ten of 1–5 and 6–10, and so on. The chunk that ends in the same year is a node of its own. */
const [y5, y10of5, y15, y20of5] = [due(5), due(10, 5), due(15), due(20, 5)];
const [y10, y20of10, y20] = [due(10), due(20, 10), due(20)];
const ALL = [y5, y10of5, y10, y15, y20of5, y20of10, y20];
const rowsOf = (state: NodeState, ...ids: string[]) => ids.map((id) => sampleRow(id, state));
const doneBut = (...ids: string[]) => rowsOf("done", ...ALL.filter((id) => !ids.includes(id)));
const to10 = { to: monthOf(11) };

describe("cases of hole filling, by number", () => {
  test("1: nothing was ever made: all of it, each after what it is made of", () => {
    expect(planned()).toEqual({
      actions: [
        `make ${y5}`,
        `make ${y10of5}`,
        `make ${y10} ${y5} ${y10of5}`,
        `make ${y15}`,
        `make ${y20of5}`,
        `make ${y20of10} ${y15} ${y20of5}`,
        `make ${y20} ${y10} ${y20of10}`,
      ],
      obstacles: [],
    });
  });

  test("2: 5 is done: the rest up to 10", () => {
    expect(planned({ rows: rowsOf("done", y5), choice: to10 })).toEqual({
      actions: [`make ${y10of5}`, `make ${y10} ${y10of5}`],
      obstacles: [],
    });
  });

  test("3: all done: nothing", () => {
    const plan = toEnd(planFill(fillFacts({ rows: doneBut() })));
    expect(inShort(plan)).toEqual({ actions: [], obstacles: [] });
    expect([plan.done, plan.holes]).toEqual([7, 0]);
  });

  test("4: all done, and asked for again", () => {
    const plan = toEnd(planFill(fillFacts({ rows: doneBut(), choice: { mode: "all" } })));
    expect(plan.actions.map(({ kind, node }) => `${kind} ${node}`)).toEqual(ALL.map((id) => `redo ${id}`));
    expect(plan.actions.at(-1)!.after).toEqual([y10, y20of10]);
    expect([plan.done, plan.holes]).toEqual([7, 0]);
  });

  test("5: one year again, and nothing else: what is made of it is told", () => {
    const choice = { mode: "all", from: monthOf(10), ...to10, recurse: false } as const;
    expect(planned({ rows: doneBut(), choice })).toEqual({
      actions: [`redo ${y10of5}`, `redo ${y10} ${y10of5}`],
      obstacles: [`stale ${y20}`],
    });
  });

  test("6: 10 failed: it is tried again; 20 only when 10 comes out different", () => {
    const before = doneBut(y10).map((row) => ({ ...row, madeSum: `sum of ${row.id}` }));
    const failed = sampleRow(y10, "failed", { executions: 1, reason: "exit code 3" });
    const first = toEnd(planFill(fillFacts({ rows: [...before, failed] })));
    expect(inShort(first)).toEqual({ actions: [`retry ${y10}`], obstacles: [`stale ${y20}`] });
    expect(first.actions[0]).toMatchObject({ reason: "exit code 3; execution 2 of 2", retries: 0 });

    const after = (sum: string) => {
      const ten = sampleRow(y10, "done", { madeSum: sum });
      const rows = [...before.filter(({ id }) => id !== y20), ten];
      const { rows: known, history } = fillFacts({ rows: [...rows, sampleRow(y10, "done", { madeSum: "as it was" })] });
      const then = madeOfSum({ needs: [y10, y20of10], history: [] }, known, history);
      return planned({ rows: [...rows, sampleRow(y20, "done", { madeOfSum: then })] });
    };
    expect(after("as it was")).toEqual({ actions: [], obstacles: [] });
    expect(after("another one")).toEqual({ actions: [`remake ${y20}`], obstacles: [] });
  });

  test("7: 20 failed, and no later year will ask", () => {
    expect(planned({ rows: [...doneBut(y20), ...rowsOf("failed", y20)] }).actions).toEqual([`retry ${y20}`]);
  });

  test.each(["failed", "all"] as const)("8, 9: 5 is held, mode %s: 10 is blocked by it", (mode) => {
    const rows = [sampleRow(y5, "held", { reason: "exit code 3, twice" }), ...rowsOf("done", y10of5)];
    const plan = toEnd(planFill(fillFacts({ rows, choice: { ...to10, mode } })));
    expect(plan.actions.map(({ node }) => node)).toEqual(mode === "all" ? [y10of5] : []);
    expect(plan.obstacles.map(({ node, kind }) => [node, kind])).toEqual([
      [y5, "held"],
      [y10, "blocked"],
    ]);
    expect(plan.obstacles[0]!.reason).toBe(
      `exit code 3, twice; to try it again: wms2 release cm5 --product ${y5} --reason …`,
    );
    expect(plan.obstacles[1]!.reason).toMatch(`blocked by ${y5}: exit code 3, twice`);
    expect(plan.holes).toBe(2);
  });

  test("10: 5 was released: it runs, and 10 follows", () => {
    const rows = [sampleRow(y5, "missing", { epoch: 1, reason: "released by ann" }), ...rowsOf("done", y10of5)];
    const plan = toEnd(planFill(fillFacts({ rows, choice: to10 })));
    expect(inShort(plan).actions).toEqual([`make ${y5}`, `make ${y10} ${y5}`]);
    expect(plan.actions[0]).toMatchObject({ retries: 1, reason: "released by ann" });
  });

  const until15 = [...rowsOf("done", y5, y10of5, y10, y20of5), ...rowsOf("input-missing", y15)];
  test.each(["absent", "partial", "short"] as const)(
    "11, 13: a segment is %s: its file is named, nothing runs",
    (state) => {
      const plan = toEnd(planFill(fillFacts({ rows: until15, without: { "0013": state } })));
      expect(inShort(plan)).toEqual({
        actions: [],
        obstacles: [`no-history ${y15} history/0013`, `blocked ${y20of10} history/0013`, `blocked ${y20} history/0013`],
      });
      expect(plan.obstacles[0]!.reason).toContain("history/00130101.nc.tar is");
      expect(plan.obstacles[2]!.reason).toContain("blocked by history/0013: history/00130101.nc.tar is");
    },
  );
  test("12: it arrives, and what waited for it is made", () => {
    expect(planned({ rows: until15 })).toEqual({
      actions: [`retry ${y15}`, `make ${y20of10} ${y15}`, `make ${y20} ${y20of10}`],
      obstacles: [],
    });
  });

  test("14, 15: an empty state file: nothing is done before somebody knows", () => {
    expect(planned({ rows: rowsOf("unknown", y5), choice: to10 })).toEqual({
      actions: [`make ${y10of5}`],
      obstacles: [`unknown ${y5}`, `blocked ${y10} ${y5}`],
    });
  });

  test.each(["running", "queued"] as const)("16: a job of frepp's is %s: 10 waits for it", (live) => {
    const rows = [...rowsOf("elsewhere", y5), ...rowsOf("done", y10of5)];
    const plan = toEnd(planFill(fillFacts({ rows, choice: to10, live: new Map([[y5, live]]) })));
    expect(inShort(plan)).toEqual({ actions: [], obstacles: [`elsewhere ${y5}`, `blocked ${y10} ${y5}`] });
    expect(plan.obstacles[1]!.reason).toBe(`waits for ${y5}: is job 4711 of frepp, ${live}`);
    expect(plan.rows[0]!.cells[0]!.state).toBe(live);
  });

  test("17: it is lost: again, and no execution is spent", () => {
    const rows = [sampleRow(y5, "lost", { losses: 1 }), ...rowsOf("done", y10of5)];
    const plan = toEnd(planFill(fillFacts({ rows, choice: to10 })));
    expect(inShort(plan).actions).toEqual([`retry ${y5}`, `make ${y10} ${y5}`]);
    expect(plan.actions[0]!.retries).toBe(1);
  });

  test.each(["elsewhere", "submitted"] as const)(
    "18: nobody can tell whether it runs (%s): nothing is done",
    (state) => {
      const plan = toEnd(
        planFill(fillFacts({ rows: [...rowsOf(state, y5), ...rowsOf("done", y10of5)], choice: to10 })),
      );
      expect(inShort(plan)).toEqual({ actions: [], obstacles: [`unknown ${y5}`, `blocked ${y10} ${y5}`] });
      expect(plan.rows[0]!.cells[0]!.state).toBe("unknown");
    },
  );

  test("19: held by its time limit: no endless loop", () => {
    const rows = [sampleRow(y5, "held", { overruns: 3, cause: "walltime", reason: "over 120 min three times" })];
    const plan = toEnd(planFill(fillFacts({ rows, choice: { ...to10, from: monthOf(5), to: monthOf(6) } })));
    expect(inShort(plan)).toEqual({ actions: [], obstacles: [`held ${y5}`] });
  });

  test("22: what is submitted is submitted once", () => {
    const submitted = rowsOf("submitted", ...ALL);
    const live = new Map(ALL.map((id) => [id, "queued" as const]));
    expect(planned({ rows: submitted, live }).actions).toEqual([]);
  });

  test("24: a transfer is held past its limit; one more by force keeps its count", () => {
    const work = sampleSegments({ history: { ...sampleSegments().history, transfer: TRANSFER } });
    const facts = (state: NodeState) => ({
      work,
      rows: [...doneBut(y15), sampleRow("history/0013", state, { transfers: 3 })],
      without: { "0013": "absent" as const },
    });
    expect(planned(facts("held"))).toEqual({
      actions: [],
      obstacles: ["held history/0013", `blocked ${y15} history/0013`],
    });
    expect(planned(facts("failed")).actions).toEqual(["transfer history/0013", `make ${y15} history/0013`]);
  });

  test("25: what failed for one component is nothing to another", () => {
    const products = sampleFamily(years(5));
    const work = sampleSegments({
      components: [sampleComponent("atmos", products), sampleComponent("ocean", products)],
    });
    const rows = [sampleRow(y5, "failed", { executions: 1 })];
    const plan = toEnd(planFill(fillFacts({ work, rows, choice: { to: monthOf(6) } })));
    expect(plan.actions.map(({ node, kind, retries }) => [node, kind, retries])).toEqual([
      [y5, "retry", 0],
      [due(5, 5, "ocean"), "make", 1],
    ]);
  });
});

describe("what a choice leaves alone", () => {
  test("what failed, when only what is missing is asked for", () => {
    const rows = [...rowsOf("failed", y5), ...rowsOf("done", y10of5)];
    const plan = toEnd(planFill(fillFacts({ rows, choice: { ...to10, mode: "missing" } })));
    expect(inShort(plan)).toEqual({ actions: [], obstacles: [`not-asked ${y5}`, `blocked ${y10} ${y5}`] });
  });
  test("what is needed, without recursion: it is said", () => {
    const choice = { from: monthOf(10), ...to10, recurse: false };
    const plan = toEnd(planFill(fillFacts({ rows: rowsOf("done", y10of5), choice })));
    expect(inShort(plan)).toEqual({ actions: [], obstacles: [`blocked ${y10} ${y5}`] });
    expect(plan.obstacles[0]!.reason).toContain("--no-recurse");
  });
  test("with it, what is needed is made, and nothing else that is missing", () => {
    const choice = { from: monthOf(20), to: monthOf(21) };
    expect(planned({ rows: rowsOf("done", y10), choice }).actions.map((text) => text.split(" ")[1])).toEqual([
      y15,
      y20of5,
      y20of10,
      y20,
    ]);
  });
  test("what is tried again later, with when", () => {
    const retryAt = new Date(NOW.getTime() + 3_600_000);
    const rows = [sampleRow(y5, "failed", { retryAt, reason: "transfer failed" }), ...rowsOf("done", y10of5)];
    const plan = toEnd(planFill(fillFacts({ rows, choice: to10 })));
    expect(plan.obstacles.map(({ node, kind, until }) => [node, kind, until])).toEqual([
      [y5, "later", retryAt],
      [y10, "blocked", retryAt],
    ]);
    expect(planned({ rows, choice: to10, now: retryAt }).actions).toEqual([`retry ${y5}`, `make ${y10} ${y5}`]);
  });
  test("input that is as it was when it was missing", () => {
    const { rows: none, history } = fillFacts();
    const history5 = [1, 2, 3, 4, 5].map((year) => ({ from: monthOf(year), to: monthOf(year + 1) }));
    const then = madeOfSum({ needs: [], history: history5 }, none, history);
    const row = (madeOfSum: string | null) => [sampleRow(y5, "input-missing", { madeOfSum })];
    const choice = { ...FAILED, to: monthOf(6) };
    expect(planned({ rows: row(then), choice })).toEqual({ actions: [], obstacles: [`no-history ${y5}`] });
    expect(planned({ rows: row("something else"), choice }).actions).toEqual([`retry ${y5}`]);
  });
  test("history that nobody could look at", () => {
    const without = { "0003": "unknown" as const };
    const plan = toEnd(planFill(fillFacts({ choice: { to: monthOf(6) }, without })));
    expect(inShort(plan)).toEqual({ actions: [], obstacles: [`unknown ${y5} history/0003`] });
  });
});

describe("history that is fetched", () => {
  const work = sampleSegments({ history: { ...sampleSegments().history, transfer: TRANSFER } });
  const at = "history/0003";
  const soon = new Date(NOW.getTime() + 1);
  const make = `make ${y5}`;
  test.each<[string, HistoryFact["state"], Partial<NodeRow> | null, string[], string[]]>([
    ["it is not there: it is fetched first", "absent", null, [`transfer ${at}`, `${make} ${at}`], []],
    ["it is short: fetched again", "short", { state: "done" }, [`transfer ${at}`, `${make} ${at}`], []],
    ["its transfer failed", "partial", { state: "failed" }, [`transfer ${at}`, `${make} ${at}`], []],
    [
      "it is tried again later",
      "absent",
      { state: "failed", retryAt: soon },
      [],
      [`later ${at}`, `blocked ${y5} ${at}`],
    ],
    ["it is on its way", "partial", { state: "submitted" }, [], [`running ${at}`, `blocked ${y5} ${at}`]],
    ["it is held", "absent", { state: "held" }, [], [`held ${at}`, `blocked ${y5} ${at}`]],
    ["nobody could look", "unknown", null, [], [`unknown ${at}`, `blocked ${y5} ${at}`]],
    ["it came after all, by another way", "present", { state: "failed", retryAt: soon }, [make], []],
  ])("%s", (_, state, row, actions, obstacles) => {
    const rows = row ? [sampleRow(at, row.state!, row)] : [];
    const live = new Map([[at, "running" as const]]);
    const facts = { work, rows, live, without: { "0003": state }, choice: { to: monthOf(6), recurse: false } };
    expect(planned(facts)).toEqual({ actions, obstacles });
  });
});
