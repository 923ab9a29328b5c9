import { expect, test } from "vitest";
import { paintFor } from "../terminal.ts";
import { unitCells } from "./bar.ts";

const NONE = { nodes: 1, done: 0, failed: 0, running: 0, held: 0, retries: 0 };
const paint = paintFor({ isTTY: false } as never);

test("jobs of a graph are shown by the names people gave them, each with what it does", () => {
  const rows = [
    { unit: "job_000000", job: "prepare", state: "done", ...NONE },
    { unit: "job_000001", job: "fit 0.1", state: "running", ...NONE, retries: 2 },
    { unit: "job_000002", job: "a name that is much longer than there is room for", state: "failed", ...NONE },
    { unit: "job_000003", job: "report", state: "waiting", ...NONE },
  ] as const;
  expect(unitCells(rows, { width: 70, rows: 5, paint })).toEqual([
    "✓ prepare                         F a name that is much longer th…",
    "R fit 0.1 ↻2                      W report",
  ]);
});
