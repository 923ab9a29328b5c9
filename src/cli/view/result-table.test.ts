import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleResult } from "../../../tests/support/report-facts.ts";
import { parseCsv } from "../../kinds/graph/csv.ts";
import { plain } from "../terminal.ts";
import { CSV_HEAD, csvCell, csvLine, RESULTS } from "./result-table.ts";
import { table } from "./table.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["@cmd", "'@cmd"],
  ["-x", "'-x"],
  ["+x", "'+x"],
  ['a,"b"', '"a,""b"""'],
  ["a\nb", '"a\nb"'],
  [" a", '" a"'],
  ["plain text", "plain text"],
  [-1001, "-1001"],
  [null, ""],
])("a cell of CSV: %j", (value, cell) => expect(csvCell(value)).toBe(cell));

test("whatever a job is called, a reader of CSV finds a row of cells and its name in the first", () => {
  const columns = CSV_HEAD.trim().split(",").length;
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (name) => {
      const rows = parseCsv(csvLine(sampleResult(1, { name, reason: `${name}\n"x",` })), 5);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toHaveLength(columns);
      expect((rows[0]![0] as string).replace(/^'(?=[=+\-@])/, "")).toBe(name.replace(/^'(?=[=+\-@])/, ""));
    }),
  );
});

test("a table of results", () => {
  const rows = [
    sampleResult(0, { name: "prepare" }),
    sampleResult(1, { state: "failed", attempts: 3, exit_code: 137, cause: "oom", peak_memory_mb: 512 }),
    sampleResult(2, {
      state: "blocked",
      attempts: 0,
      exit_code: null,
      wall_sec: null,
      cpu_sec: null,
      peak_memory_mb: null,
      host: null,
      site: null,
    }),
  ];
  const look = { now: new Date(0), width: 100, paint: plain };
  expect(`\n${table(RESULTS, rows, look)}\n`).toBe(`
JOB         STATE    TRIES  OUTCOME        WALL   CPU  MEMORY      OF    %  HOST  SITE
prepare     done         1  ok            1 min  50 s  300 MB  500 MB   60  wn0   north
solve-1     failed       3  oom      1 min 01 s  50 s  512 MB  500 MB  102  wn1   north
solve-2     blocked      0  -                 -     -       -  500 MB    -  -     -
`);
});
