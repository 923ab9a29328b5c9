import { describe, expect, test } from "vitest";
import { roundHalfEven } from "../base/rounding.ts";
import { absolutePaths, neededFiles } from "./needed-files.ts";
import { travelPath } from "./paths.ts";
import { joinPatterns } from "./read-input.ts";
import { beforeFilter } from "./sizing.ts";
import { nearest } from "./spelling.ts";
import { parseDuration, parseSize } from "./units.ts";
import { splitWords } from "./words.ts";

describe("units", () => {
  test.each([
    ["30 s", 30],
    ["20 min", 1200],
    ["1 h 30 min", 5400],
    ["1h30min", 5400],
    ["1.5 h", 5400],
    ["2 days", 172_800],
    ["250 ms", 0.25],
    ["5", null],
    ["", null],
    ["min", null],
    ["5 parsec", null],
    ["-5 s", null],
    ["1e3 s", null],
    ["5 s;", null],
    ["1 s 1 s 1 s 1 s 1 s", null],
  ])("%j is %s seconds", (text, seconds) => expect(parseDuration(text)).toBe(seconds));
  test.each([
    ["500 MB", 5e8],
    ["4 GB", 4e9],
    ["2GiB", 2 ** 31],
    ["1.5 tb", 1.5e12],
    ["4 G", null],
    ["4000", null],
    ["4 min", null],
  ])("%j is %s bytes", (text, bytes) => expect(parseSize(text)).toBe(bytes));
});

describe("words of a command", () => {
  test.each([
    ["./select.sh --cut 3", ["./select.sh", "--cut", "3"]],
    ["a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]],
    ['a \'$x `y` | z\' "q\\"r"', ["a", "$x `y` | z", 'q"r']],
    ["a '' \"\"", ["a", "", ""]],
    ["  a\tb \n", ["a", "b"]],
    ["a b=c x#y é", ["a", "b=c", "x#y", "é"]],
  ])("%j", (line, words) => expect(splitWords(line)).toEqual({ ok: true, words }));
  test.each([
    "a $B",
    "a $(b)",
    "a `b`",
    'a "$B"',
    "a | b",
    "a; b",
    "a && b",
    "a > b",
    "a < b",
    "a *.csv",
    "a b?",
    "a [b]",
    "(a)",
    "a {b,c}",
    "~/a",
    "a # b",
    "! a",
    "a\nb",
  ])("%j is shell syntax", (line) => {
    const split = splitWords(line);
    expect(split.ok ? "" : split.why).toContain("[sh, -c,");
  });
  test.each(["", "  ", "a 'b", 'a "b', "a \\", "X=1 a"])("%j is no command", (line) =>
    expect(splitWords(line).ok).toBe(false),
  );
});

test("the word that was meant", () => {
  const known = ["files_per_job", "events_per_job", "name", "steps", "by"];
  expect(nearest("file_per_job", known)).toBe("files_per_job");
  expect(nearest("filesPerJob", known)).toBe("files_per_job");
  expect(nearest("setps", known)).toBe("steps");
  expect(nearest("nmae", known)).toBe("name");
  expect(nearest("colour", known)).toBeNull();
});

test("names under which files travel", () => {
  expect(travelPath("./bin/select.sh")).toBe("bin/select.sh");
  for (const bad of ["../x", "a/../b", "/etc/passwd", "./", "", "a//b", "a b", ".ssh/id", "a/.", "x\ny", "$(x)"]) {
    expect(travelPath(bad), bad).toBeNull();
  }
});

test("several patterns become one, behind their common directory", () => {
  expect(joinPatterns(["/data/a.csv", "/data/b*.csv"])).toBe("/data/{a.csv,b*.csv}");
  expect(joinPatterns(["/data/x/a.csv", "/data/y/b.csv"])).toBe("/data/{x/a.csv,y/b.csv}");
  expect(joinPatterns(["/a.csv", "/b/c.csv"])).toBe("/{a.csv,b/c.csv}");
});

test("halves go to the even number; events before a filter", () => {
  expect([0.5, 1.5, 2.5, 43.2, 12.5].map(roundHalfEven)).toEqual([0, 2, 2, 43, 12]);
  expect(beforeFilter(10_000n, 0.5)).toBe(20_000n);
  expect(beforeFilter(100n, 0.3)).toBe(333n);
  expect(beforeFilter(2n ** 60n, 0.5)).toBe(2n ** 61n);
});

describe("what the CLI does", () => {
  const document = {
    input: { files: ["data/*.csv", "/abs/b.csv"] },
    steps: [{ run: "python3 ./select.py --x ./cuts.json" }, "./second.sh", { run: ["sh", "-c", "./no.sh | x"] }, 7],
    outputs: [{ merge: { run: "./merge.sh" } }, { merge: "none" }],
    recovery: { handlers: [{ rules: [{ script: "./fix.sh" }, { recovery_script: "./old.sh" }] }] },
    attach: ["tables/t.csv", "./select.py", "../escape", 5],
  };

  test("files that have to travel", () => {
    expect(neededFiles(document)).toEqual([
      "select.py",
      "cuts.json",
      "second.sh",
      "merge.sh",
      "fix.sh",
      "old.sh",
      "tables/t.csv",
    ]);
    expect(neededFiles(null)).toEqual([]);
    expect(neededFiles({ steps: "x", outputs: 3, recovery: [] })).toEqual([]);
  });

  test("input paths become absolute, nothing else changes", () => {
    const resolve = (path: string): string => `/home/me/${path}`;
    expect(absolutePaths(document, resolve)).toEqual({
      ...document,
      input: { files: ["/home/me/data/*.csv", "/abs/b.csv"] },
    });
    expect(absolutePaths({ input: { directory: "d", runs: [1] } }, resolve)).toEqual({
      input: { directory: "/home/me/d", runs: [1] },
    });
    expect(absolutePaths({ input: { list: "l.json" } }, resolve)).toEqual({ input: { list: "/home/me/l.json" } });
    for (const odd of [null, 3, [], { input: "x" }, {}]) expect(absolutePaths(odd, resolve)).toEqual(odd);
  });
});
