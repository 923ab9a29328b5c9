import { expect, test } from "vitest";
import { readTallyLines } from "../ledger-record.ts";
import { FailureRows } from "./failure-rows.ts";

const line = (fields: object) =>
  readTallyLines(
    `${JSON.stringify({ event: "attempt", at: "2026-11-16T02:10:00Z", node: "proc_000001", cluster: 1, decision: "stop", exitCode: 8021, category: "infrastructure", site: "north", reason: "r", ...fields })}\n`,
  ).lines;
const fold = (...units: [unit: string, isDone: boolean, ...lines: object[]][]) => {
  const rows = new FailureRows(new Date("2026-11-16T00:00:00Z"));
  for (const [unit, isDone, ...lines] of units) rows.add(unit, isDone, lines.flatMap(line));
  return rows.finish();
};

test("failures alike are one row; another site is another", () => {
  const { rows } = fold(
    ["mg_000001", false, {}, { node: "proc_000002", cluster: 2 }],
    ["mg_000002", false, { cluster: 3 }],
    ["mg_000003", false, { cluster: 4, site: "south" }],
  );
  expect(rows.map(({ site, failures, units }) => [site, failures, units])).toEqual([
    ["north", 3, 2],
    ["south", 1, 1],
  ]);
});

test("what is to be retried is failing, and no failure yet; what got through is neither", () => {
  const retry = { decision: "retry", retry: 0, maxRetries: 3 };
  const { rows, failing } = fold(
    ["mg_000001", false, retry],
    ["mg_000002", false, { cluster: 2, ...retry }, { cluster: 3, decision: "done", exitCode: 0 }],
    ["mg_000003", true, { cluster: 4 }],
  );
  expect(failing).toBe(1);
  expect(rows).toMatchObject([{ failures: 0, retrying: 1 }]);
});

test("attempts are counted by site and hour, with whose fault they were; old ones are not", () => {
  const { hours } = fold([
    "mg_000001",
    false,
    {},
    { cluster: 2, at: "2026-11-16T02:50:00Z", decision: "done", exitCode: 0 },
    { cluster: 3, at: "2026-11-16T03:00:00Z", category: "permanent" },
    { cluster: 4, at: "2026-11-15T03:00:00Z" },
  ]);
  expect(hours.map(({ hour, done, failed, blamed }) => [hour.getUTCHours(), done, failed, blamed])).toEqual([
    [2, 1, 1, 1],
    [3, 0, 1, 0],
  ]);
});

test("the time of an attempt belongs to the hours it ran in, not before those that are kept", () => {
  const { hours } = fold([
    "mg_000001",
    false,
    { at: "2026-11-16T02:10:00Z", wallSec: 1800 },
    { cluster: 2, node: "proc_000002", at: "2026-11-16T02:30:00Z", wallSec: 600, decision: "done", exitCode: 0 },
    { cluster: 3, node: "proc_000003", at: "2026-11-16T00:20:00Z", wallSec: 9999 },
  ]);
  expect(hours.map(({ hour, busySec, done, failed }) => [hour.getUTCHours(), busySec, done, failed])).toEqual([
    [0, 1200, 0, 1],
    [1, 1200, 0, 0],
    [2, 1200, 1, 1],
  ]);
});
