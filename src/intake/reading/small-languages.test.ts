import { describe, expect, test } from "vitest";
import { splitArguments } from "./command-line.ts";
import { travelPath } from "./paths.ts";
import { nearest } from "./spelling.ts";
import { parseDuration, parseSize } from "./units.ts";

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
  ])("%j", (line, words) => expect(splitArguments(line)).toEqual({ ok: true, argv: words }));
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
    const split = splitArguments(line);
    expect(split.ok ? "" : split.why).toContain("[sh, -c,");
  });
  test.each(["", "  ", "a 'b", 'a "b', "a \\", "X=1 a"])("%j is no command", (line) =>
    expect(splitArguments(line).ok).toBe(false),
  );
});

test("the word that was meant", () => {
  const known = ["files_per_job", "events_per_job", "name", "steps", "by"];
  expect(nearest("file_per_job", known)).toBe("files_per_job");
  expect(nearest("filesPerJob", known)).toBe("files_per_job");
  expect(nearest("setps", known)).toBe("steps");
  expect(nearest("nmae", known)).toBe("name");
  expect(nearest("color", known)).toBeNull();
});

test("names under which files travel", () => {
  expect(travelPath("./bin/select.sh")).toBe("bin/select.sh");
  for (const bad of ["../x", "a/../b", "/etc/passwd", "./", "", "a//b", "a b", ".ssh/id", "a/.", "x\ny", "$(x)"]) {
    expect(travelPath(bad), bad).toBeNull();
  }
});
