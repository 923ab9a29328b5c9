import { expect, test } from "vitest";
import { readSubmission } from "../../tests/support/request-documents.ts";
import { DEFAULT_INTAKE_RULES } from "../core/submission.ts";
import { MAX_YAML_CHARACTERS, parseDocument } from "./reading/parse-document.ts";

const value = (text: string, format: "json" | "yaml"): unknown => {
  const parsed = parseDocument(text, format);
  expect(parsed).toMatchObject({ ok: true });
  return parsed.ok ? parsed.value : undefined;
};
const messages = (text: string, format: "json" | "yaml"): string => {
  const parsed = parseDocument(text, format);
  expect(parsed.ok).toBe(false);
  return parsed.ok ? "" : parsed.error.map((problem) => problem.message).join("\n");
};

test("both formats give the same data", () => {
  const data = { name: "a", list: [1, 2.5, true, null, "x"], deep: { er: [] } };
  expect(value(JSON.stringify(data), "json")).toEqual(data);
  expect(value(JSON.stringify(data, null, 2), "yaml")).toEqual(data);
  expect(value("name: a\nlist: [1, 2.5, true, null, x]\ndeep: {er: []}\n", "yaml")).toEqual(data);
});

test("whole numbers beyond 2^53 keep their digits", () => {
  for (const format of ["json", "yaml"] as const) {
    expect(value('{"a": 9007199254740991, "b": 9007199254740993, "c": 1e3}', format)).toEqual({
      a: 9007199254740991,
      b: 9007199254740993n,
      c: 1000,
    });
  }
});

test("__proto__ stays an ordinary key and touches nobody", () => {
  for (const format of ["json", "yaml"] as const) {
    const parsed = value('{"__proto__": {"polluted": 1}}', format) as object;
    expect(Object.hasOwn(parsed, "__proto__")).toBe(true);
    expect((parsed as { polluted?: number }).polluted).toBeUndefined();
  }
});

test.each([
  ['{"a": 1,\n "a": 2}', "json", 'line 2, column 2: the key "a" is given twice'],
  ['{"a": [1, 2}', "json", 'line 1, column 12: expected ",", found "}"'],
  ['{"a": 1} x', "json", "something follows"],
  ['{"a": "b\nc"}', "json", "line break"],
  ['{"a": "b', "json", "without its partner"],
  ["{'a': 1}", "json", "double quotes"],
  ['{"a": 01}', "json", 'expected ","'],
  ['{"a": NaN}', "json", "unexpected"],
  ['{"a": 1e999}', "json", "too large"],
  ["", "json", "is empty"],
  [" \n", "yaml", "is empty"],
  ["a: 1\nb: 2\na: 3\n", "yaml", "line 3, column 1: the same key is given twice"],
  ["a: [1, 2\nb: 3\n", "yaml", "line "],
  ["a: x\n b: 2\n", "yaml", "line "],
  ["a: !!js/function 'x'\n", "yaml", "tags are not allowed"],
  ["a: !mine x\n", "yaml", "tags are not allowed"],
  ["a: 1\n---\nb: 2\n", "yaml", "several documents"],
  ["a: *nowhere\n", "yaml", "alias"],
  ["a: &a [*a]\n", "yaml", ""],
] as const)("%j as %s is refused", (text, format, message) => {
  expect(messages(text, format)).toContain(message);
});

test("what is too long or too deep is refused", () => {
  expect(messages(`a: "${"x".repeat(MAX_YAML_CHARACTERS)}"`, "yaml")).toContain("is too long");
  expect(messages(`${"[".repeat(100)}${"]".repeat(100)}`, "json")).toContain("nested deeper than 64");
  expect(messages(`a: ${"[".repeat(200)}${"]".repeat(200)}`, "yaml")).toContain("deeper");
  expect(messages("[".repeat(100_000), "yaml").length).toBeLessThan(5000);
});

test.each([
  ["- ".repeat(1500), "yaml"],
  ["? ".repeat(200_000), "yaml"],
  [": ".repeat(1500), "yaml"],
  ["a: ".repeat(1500), "yaml"],
  ["{a: ".repeat(70), "yaml"],
  [Array.from({ length: 70 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""), "yaml"],
  [`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "json"],
  [`// [\n{a: "[", b: ${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "json5"],
] as const)("deep text %# is refused in words, before anything is made of it", (text, format) => {
  const parsed = parseDocument(text, format);
  expect(parsed.ok ? [] : parsed.error.map(({ message }) => message).join()).toMatch(/nested deeper than 64/);
});

test("what is as deep as may be is read; brackets in text and in comments do not count", () => {
  const deep = `${"[".repeat(64)}${"]".repeat(64)}`;
  for (const format of ["json", "json5", "yaml"] as const) expect(parseDocument(deep, format).ok).toBe(true);
  const nested = Array.from({ length: 62 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("");
  expect(parseDocument(`${nested}${" ".repeat(62)}a: {b: 1}\n`, "yaml").ok).toBe(true);
  const signs = "[{".repeat(100);
  expect(parseDocument(`a: "${signs}"\nb: |\n  ${signs}\n# ${signs}\n`, "yaml").ok).toBe(true);
  expect(parseDocument(`{a: "\\"${signs}", b: '${signs}' /* ${signs} */} // ${signs}`, "json5").ok).toBe(true);
});

test("an alias bomb is refused quickly, a plain alias is not", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 12; i++)
    lines.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(", ")}]`,
    );
  expect(messages(lines.join("\n"), "yaml")).toContain("aliases");
  expect(value("a: &env {X: 1}\nb: *env\n", "yaml")).toEqual({ a: { X: 1 }, b: { X: 1 } });
});

test("a byte order mark and Windows line ends do no harm", () => {
  expect(value("\uFEFFa: 1\r\nb: 2\r\n", "yaml")).toEqual({ a: 1, b: 2 });
  expect(value('\uFEFF{"a":\r\n1}', "json")).toEqual({ a: 1 });
});

test("however many keys, reading takes time in proportion, and too many are refused before they are read", () => {
  const yaml = (keys: number) => Array.from({ length: keys }, (_, i) => `key${i}: 1`).join("\n");
  const json = (keys: number) => `{${Array.from({ length: keys }, (_, i) => `"key${i}":1`).join(",")}}`;
  const cpuMs = (work: () => unknown): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  };
  cpuMs(() => value(yaml(5000), "yaml"));
  const some = cpuMs(() => value(yaml(5000), "yaml"));
  expect(cpuMs(() => value(yaml(19_000), "yaml"))).toBeLessThan(50 + 10 * some);
  expect(cpuMs(() => expect(messages(yaml(30_000), "yaml")).toContain("more than 160000"))).toBeLessThan(500);
  expect(messages(json(500_001), "json")).toContain("more than 500000 values");
  const wide = readSubmission(value(json(99_000), "json"), DEFAULT_INTAKE_RULES);
  expect(wide).toEqual({ ok: false, error: [{ path: "", message: "has 99000 keys; at most 5000", allowed: null }] });
});
