import { describe, expect, test } from "vitest";
import { describeProblems } from "../../../tests/support/request-documents.ts";
import { Form } from "../../intake/reading/form.ts";
import { Notes } from "../../intake/reading/notes.ts";
import { Spot } from "../../intake/reading/values.ts";
import { parseCsv } from "./csv.ts";
import { formatValue } from "./placeholders.ts";
import { readTable } from "./read-table.ts";
import { readRange, readValues } from "./read-values.ts";
import { compileText, textAt } from "./texts.ts";

const valuesOf = (text: string) => {
  const range = readRange(text);
  return typeof range === "string" ? range : range.values();
};

describe("ranges are exact, and in the order they are written", () => {
  test.each([
    ["1..5", "1 2 3 4 5"],
    ["5..1", "5 4 3 2 1"],
    ["0..1 step 0.1", "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"],
    ["0..10 step 3", "0 3 6 9"],
    ["10..0 step -5", "10 5 0"],
    ["-1..1 step 0.5", "-1.0 -0.5 0.0 0.5 1.0"],
    ["1..1", "1"],
    ["9007199254740993..9007199254740994", "9007199254740993 9007199254740994"],
    ["0.10..0.12 step 0.01", "0.10 0.11 0.12"],
  ])("%s", (text, values) => expect(valuesOf(text)).toEqual(values.split(" ")));

  test.each([
    ["1..5 step 0", "has a step of 0"],
    ["1..5 step -1", "never gets from 1 to 5"],
    ["5..1 step 1", "never gets from 5 to 1"],
    ["1..1000000000000", "has 1000000000000 values; at most 200000"],
    ["1..5 by 2", "is not a range"],
    ["1..x", "is not a range"],
  ])("%s %s", (text, why) => expect(readRange(text)).toBe(why));
});

const at = (value: unknown) => {
  const notes = new Notes();
  return { spot: new Spot("p", value, notes), problems: () => describeProblems(notes.problems) };
};

describe("values", () => {
  test.each<[unknown, string[]]>([
    [
      [0.1, 0.01, 1e-7],
      ["0.1", "0.01", "1e-7"],
    ],
    ["adam", ["adam"]],
    [
      ["1..3", 10, true, "x y"],
      ["1", "2", "3", "10", "true", "x y"],
    ],
    [9007199254740993n, ["9007199254740993"]],
    ["..", [".."]],
  ])("%s", (value, values) => {
    const { spot, problems } = at(value);
    expect(readValues(spot, { left: 1_000_000 })).toEqual(values);
    expect(problems()).toEqual([]);
  });

  test.each<[unknown, string]>([
    [[], "p: has no values"],
    [[[1]], "p[0]: must be a value (got a list of 1)"],
    [{ a: 1 }, "p: must be a value (got a map)"],
    ["1...5", "p: is not a range"],
    [["1..2", "3..2 step 1"], "p[1]: never gets from 3 to 2"],
  ])("%s is refused", (value, problem) => {
    const { spot, problems } = at(value);
    readValues(spot, { left: 1_000_000 });
    expect(problems()[0]).toContain(problem);
  });
});

describe("formats", () => {
  test.each([
    ["7", "03d", "007"],
    ["-7", "04d", "-007"],
    ["7", "3d", "  7"],
    ["1000", "03d", "1000"],
    ["7", "d", "7"],
    ["0.1", ".2f", "0.10"],
    ["0.125", ".2f", "0.12"],
    ["0.375", ".2f", "0.38"],
    ["2.675", ".2f", "2.68"],
    ["-0.004", ".2f", "0.00"],
    ["1e-3", ".4f", "0.0010"],
    ["3", "08.3f", "0003.000"],
    ["1.5", "f", "1.500000"],
  ])("%s as %s is %j", (value, format, text) => expect(formatValue(value, format)).toBe(text));

  test.each([
    ["0.5", "03d"],
    ["adam", "03d"],
    ["adam", ".2f"],
    ["", "d"],
  ])("%j does not fit %s", (value, format) => expect(formatValue(value, format)).toBeNull());
});

describe("placeholders", () => {
  const columns = new Map([
    ["lr", { values: ["0.1", "0.01"], stride: 2 }],
    ["seed", { values: ["1", "2"], stride: 1 }],
    ["who", { values: ["me"], stride: 1 }],
  ]);
  const compiled = (text: string) => {
    const faults: string[] = [];
    const made = compileText(text, columns, (why) => faults.push(why));
    return { texts: [0, 1, 2, 3].map((row) => textAt(made, row)), faults };
  };

  test("the first parameter varies slowest", () => {
    expect(compiled("{lr}-{seed:02d}").texts).toEqual(["0.1-01", "0.1-02", "0.01-01", "0.01-02"]);
    expect(compiled("for {who}").texts).toEqual(Array(4).fill("for me"));
  });

  test("a doubled brace is a brace", () => {
    expect(compiled("awk '{{print {seed}}}'").texts[1]).toBe("awk '{print 2}'");
    expect(compiled("{{seed}}").texts[0]).toBe("{seed}");
  });

  test.each([
    ["{sed}", "{sed} is not a parameter here: it has lr, seed, who"],
    ["a { b", "has a { on its own"],
    ["a } b", "has a } on its own"],
    ["{seed:x}", "{seed:x} is no known format"],
    ["{lr:03d}", '{lr:03d} does not fit "0.1", which is not a whole number'],
    ["{who:.1f}", '{who:.1f} does not fit "me", which is not a number'],
  ])("%s: %s", (text, why) => expect(compiled(text).faults[0]).toContain(why));
});

describe("tables", () => {
  const read = (file: string, text: string) => {
    const notes = new Notes();
    const row = { [file]: { content_base64: Buffer.from(text).toString("base64") } };
    const columns = readTable(new Spot("each.table", file, notes), new Form(row, "attachments", notes));
    return { columns, problems: describeProblems(notes.problems) };
  };

  test.each([
    ["t.csv", "lr,seed\n0.10,1\n0.01,2\n"],
    ["t.csv", '\uFEFFlr, seed\r\n"0.10",1\r\n\r\n0.01 , "2"'],
    ["t.json", '[{"lr":"0.10","seed":1},{"seed":2,"lr":"0.01"}]'],
    ["t.jsonl", '{"lr":"0.10","seed":1}\n\n{"lr":"0.01","seed":2}\n'],
  ])("%s: %j", (file, text) => {
    expect(read(file, text)).toEqual({ columns: { lr: ["0.10", "0.01"], seed: ["1", "2"] }, problems: [] });
  });

  test.each([
    ["t.csv", "a,b\n1\n", "row 1 has 1 cells, and there are 2 columns"],
    ["t.csv", "a\n", "has no rows"],
    ["t.csv", 'a\n"1\n', "has a quote without its partner in line 2"],
    ["t.csv", 'a\n"1"2\n', "has something after a quoted cell in line 2"],
    ["t.csv", "a b\n1\n", 'has a column "a b"'],
    ["t.json", '{"a":1}', "must be a list of maps"],
    ["t.json", "[1]", "row 1 is not a map of columns"],
    ["t.json", '[{"a":1},{"b":1}]', "row 2 has a column b that the first has not"],
    ["t.json", '[{"a":1},{}]', "row 2 has no value for a"],
    ["t.json", '[{"a":[]}]', "row 1 has no value for a"],
    ["t.json", "[", "is not JSON"],
    ["t.jsonl", '{"a":1}\n{', "is not JSON in line 2"],
    ["t.xls", "", "must be a table beside the document"],
  ])("%s: %j is refused", (file, text, problem) => expect(read(file, text).problems[0]).toContain(problem));

  test("a million rows are refused with the limit", () => {
    expect(read("t.csv", `a\n${"1\n".repeat(1_000_000)}`).problems).toEqual([
      "each.table: has more than 200000 rows, the most there may be: make several graphs of it",
    ]);
  });

  test("cells with quotes, commas and line breaks", () =>
    expect(parseCsv('a,b\n"x, ""y""","1\n2"\n', 10)).toEqual([
      ["a", "b"],
      ['x, "y"', "1\n2"],
    ]));
});
