import { expect, test } from "vitest";
import {
  due,
  NOW,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
} from "../../../tests/support/sample-segments.ts";
import { endedRows } from "./ended.ts";

test("a chunk that several products miss is made again, and its row is written once", () => {
  // Ten and fifteen years are both made of the same five.
  const products = sampleFamily([60, 120, 180]);
  const work = sampleSegments({ components: [sampleComponent("atmos", products)] });
  const wanting = [due(10), "atmos/ts-monthly-15y/0001-0015"];
  const rows = new Map(
    [
      ...[due(5), due(10, 5), due(15, 5)].map((id) => sampleRow(id, "done", { madeSum: "made" })),
      ...wanting.map((id, at) => sampleRow(id, "submitted", { unit: `job_${at}`, dagId: "d" })),
    ].map((row) => [row.id, row]),
  );
  const told = (id: string) => new Map([[id, { history: [], reads: [], makes: null }]]);
  const attempt = { cause: "exit" as const, exitCode: 50121, reason: "a chunk it is made of is not there" };
  const units = new Map(wanting.map((id, at) => [`job_${at}`, { attempts: [{ ...attempt, products: told(id) }] }]));
  const ended = endedRows({ work, rows, units, now: NOW });
  const states = ended.map(({ id, state, executions }) => `${id} ${state} ${executions}`);
  expect(states.toSorted()).toEqual([
    "atmos/ts-monthly-10y/0001-0010 missing 0",
    "atmos/ts-monthly-15y/0001-0015 missing 0",
    "atmos/ts-monthly-5y/0001-0005 missing 0",
    "atmos/ts-monthly-5y/0006-0010 missing 0",
    "atmos/ts-monthly-5y/0011-0015 missing 0",
  ]);
});
