import { expect, test } from "vitest";
import { facts, request } from "../../tests/support/decide-facts.ts";
import { due, fillFacts, NOW, sampleRow } from "../../tests/support/sample-segments.ts";
import { toEnd } from "../core/base/slices.ts";
import type { DagId } from "../core/names.ts";
import { planFill } from "../kinds/segments/plan-fill.ts";
import { decideFill } from "./decide-fill.ts";
import { EVERYTHING, type Filling } from "./gather-fill.ts";

/** Ten years, one component: what was seen, and what would be done about it. */
function filling(change: Partial<Filling> = {}, rows: Parameters<typeof fillFacts>[0] = {}): Filling {
  const seen = fillFacts({ choice: { to: 11 * 12 }, ...rows });
  return {
    look: { history: seen.history, range: seen.range },
    rows: seen.rows,
    plan: toEnd(planFill(seen)),
    asked: null,
    sweepMinutes: 15,
    learned: [],
    notices: [],
    live: new Map(),
    locks: new Map(),
    over: [],
    isComplete: false,
    ...change,
  };
}
const decided = (of: Filling, status: "queued" | "planning" = "queued") =>
  decideFill(facts({ request: request(status) }), of, NOW);
const asked = { choice: EVERYTHING, actor: "ann", reason: "the paper is due", askedAt: NOW };
const allDone = [due(5), due(10, 5), due(10)].map((id) => sampleRow(id, "done"));
const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);

test.each([
  ["something is due", filling(), "start", "plan", /^3 products to be made: it is due$/],
  ["somebody asked for it", filling({ asked }), "start", "plan", /ann asked for it: the paper is due/],
  ["asked, and it never looks by itself", filling({ asked, sweepMinutes: null }), "start", "plan", /ann asked/],
  [
    "asked, and nothing can be done",
    filling({ asked }, { rows: allDone }),
    "end-fill",
    "end-fill",
    /nothing that could/,
  ],
  [
    "its last round is over",
    filling({ over: ["d" as DagId], asked }),
    "settle-products",
    "settle-products",
    /last round/,
  ],
  [
    "frepp's jobs are gone",
    filling({ learned: [sampleRow(due(5), "lost")] }),
    "settle-products",
    "settle-products",
    /frepp's jobs/,
  ],
  ["all is made", filling({ isComplete: true }, { rows: allDone }), "start", "complete", /everything is made/],
  ["the model still runs", filling({}, { rows: allDone }), "wait", "requeue", /nothing (is due|can be made now)/],
] as const)("%s: %o while queued, %o while planning", (_story, of, queued, planning, reason) => {
  expect([decided(of).kind, decided(of, "planning").kind]).toEqual([queued, planning]);
  expect(decided(of)).toMatchObject({ reason: expect.stringMatching(reason) });
});

test.each([
  ["at the next sweep", {}, later(15)],
  ["when something may be tried again", { retryAt: later(3) }, later(3)],
  ["not for what may be tried in an hour", { retryAt: later(60) }, later(15)],
] as const)("it looks again %s", (_story, row, until) => {
  const rows = [due(5), due(10, 5), due(10)].map((id) => sampleRow(id, "held"));
  const waits = filling({}, { rows: [sampleRow(due(5), "failed", { retryAt: later(99), ...row }), ...rows.slice(1)] });
  expect(decided(waits)).toMatchObject({ kind: "wait", on: { code: "products-held", until } });
});

test("where a product is held, a person has to look", () => {
  const rows = [due(5), due(10, 5), due(10)].map((id) => sampleRow(id, "held"));
  expect(decided(filling({}, { rows }))).toMatchObject({ kind: "wait", on: { code: "products-held" } });
});

test("one that never looks by itself says so, and what it waits for by name, the first of each kind", () => {
  const rows = [sampleRow(due(5), "held", { reason: "ended in error twice" })];
  const waits = decided(filling({ sweepMinutes: null }, { rows, without: { "0008": "absent" } }));
  const told =
    /1 held \(atmos\/ts-monthly-5y\/0001-0005: ended in error twice.*1 without its history .*00080101.*1 blocked.*sweep: never, so only wms2 fill \S+ --yes looks again/s;
  expect(waits).toMatchObject({ kind: "wait", on: { until: null }, reason: expect.stringMatching(told) });
});
