import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";

const AWK = fileURLToPath(new URL("./json.awk", import.meta.url));
const QUOTE = fileURLToPath(new URL("./quote.awk", import.meta.url));
const C = { ...process.env, LC_ALL: "C" };

function flatten(text: string, ...variables: string[]) {
  const args = variables.flatMap((variable) => ["-v", variable]);
  const ended = spawnSync("awk", [...args, "-f", AWK], { input: text, env: C, maxBuffer: 1 << 26 });
  return { status: ended.status, out: ended.stdout.toString(), err: ended.stderr.toString() };
}

/** What printf %b makes of a value. */
function plain(value: string): string {
  return value.replace(/\\(0[0-7]{3}|.)/g, (_all, what: string) => {
    if (what.startsWith("0")) return String.fromCharCode(Number.parseInt(what, 8));
    return { n: "\n", t: "\t", r: "\r", "\\": "\\" }[what] ?? `?${what}`;
  });
}

/** Builds the value again from the lines, by the values and by the raw column. */
function rebuild(out: string): { byValue: unknown; byRaw: unknown } {
  const build = (leaf: (type: string, value: string, raw: string) => unknown) => {
    const holder: Record<string, unknown> = Object.create(null);
    const places = new Map<string, unknown>([["", holder]]);
    for (const line of out.split("\n").slice(0, -1)) {
      const [path, type, value, raw] = line.split("\t") as [string, string, string, string];
      const slash = path.lastIndexOf("/");
      const parent = places.get(slash < 0 ? "" : path.slice(0, slash)) as Record<string, unknown>;
      const key = plain(
        path
          .slice(slash + 1)
          .replaceAll("~1", "/")
          .replaceAll("~0", "~"),
      );
      const made = type === "{" ? Object.create(null) : type === "[" ? [] : leaf(type, value, raw);
      places.set(path, made);
      Object.defineProperty(parent, key, { value: made, enumerable: true, writable: true, configurable: true });
    }
    return JSON.parse(JSON.stringify(holder["."]));
  };
  return {
    byValue: build((type, value) => (type === "s" ? plain(value) : JSON.parse(value))),
    byRaw: build((_type, _value, raw) => JSON.parse(raw)),
  };
}

const text = fc
  .oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("\\", '"', "\n\t\r\b\f", "\u001b", "a/b~c", "😀é", '\\\\"', "\\n"),
  )
  .filter((s) => !s.includes("\0"));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 5 }),
    fc.dictionary(text, tie("any"), { maxKeys: 5 }),
  ),
})).any;

test("whatever JSON.stringify writes, dense or indented, is read back the same", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 12 }), fc.constantFrom(0, 1, 2), (any, indent) => {
      const document = JSON.stringify(any, null, indent);
      const flat = flatten(document);
      expect(flat.err).toBe("");
      const expected = JSON.parse(JSON.stringify(any));
      expect(rebuild(flat.out)).toEqual({ byValue: expected, byRaw: expected });
    }),
    { numRuns: 150 },
  );
});

test("every character may be written as an escape, surrogate pairs too", () => {
  fc.assert(
    fc.property(text, (s) => {
      const escaped = [...s].flatMap((c) => [...Array(c.length).keys()].map((i) => c.charCodeAt(i)));
      const document = `"${escaped.map((n) => `\\u${n.toString(16).padStart(4, "0")}`).join("")}"`;
      expect(rebuild(flatten(document).out).byValue).toBe(s.toWellFormed());
    }),
    { numRuns: 60 },
  );
});

test.each([
  ["", "empty"],
  ["{", "too early"],
  ['{"a":1,}', "unexpected }"],
  ["[1 2]", "value"],
  ["[,1]", "unexpected ,"],
  ['"abc', "not closed"],
  ['"abc\\"', "not closed"],
  ["tru", "unexpected tru"],
  ["01", "unexpected 01"],
  ["1.", "unexpected 1."],
  ["[1]]", "unexpected ]"],
  ["[1}", "unexpected }"],
  ["1 2", "value"],
  ['{"a" 1}', "value"],
  ["{1:2}", "value"],
  ['"\\x"', "escape"],
  ['"\\u12g4"', "hexadecimal"],
  ['"\\u0000"', "NUL"],
  ['"a\tb"', "control"],
  ["\u0001\u0002binary", "unexpected"],
])("refuses %j", (document, words) => {
  const flat = flatten(document);
  expect(flat.status).toBe(1);
  expect(flat.err).toContain(words);
});

test("64-bit numbers and long documents pass through untouched", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({ lfn: `/store/data/file-${i}.root`, events: i }));
  const began = performance.now();
  const flat = flatten(JSON.stringify({ big: 1, many }).replace('"big":1', '"big":18446744073709551615'));
  expect(flat.out).toContain("./big\tn\t18446744073709551615\t18446744073709551615\n");
  expect(flat.out.split("\n")).toHaveLength(20_000 * 3 + 4);
  expect(performance.now() - began).toBeLessThan(5000);
});

test("a picked node costs nothing for the others, and any layout gives the same", () => {
  const manifest = { unit: "mg_000000", nodes: { a: { n: [1, { x: "}," }] }, b: { n: null }, c: { n: 3 } }, z: 1 };
  const rows = Object.entries(manifest.nodes).map(([name, node]) => `"${name}":${JSON.stringify(node)}`);
  const lines = `{\n"unit":"mg_000000",\n"nodes":{\n${rows.join(",\n")}\n},\n"z":1\n}\n`;
  for (const pick of ["a", "b", "c"]) {
    const flat = flatten(lines.replaceAll("\n", "\r\n"), `pick=${pick}`);
    expect(flat.err).toBe("");
    const whole = flatten(JSON.stringify(manifest, null, 2), `pick=${pick}`).out.split("\n");
    const wanted = whole.filter((line) => !line.startsWith("./nodes/") || line.startsWith(`./nodes/${pick}`));
    expect(flat.out.split("\n")).toEqual(wanted);
  }
  expect(flatten(lines, "pick=b", "whole= ./nodes/b/n ").out).toContain("./nodes/b/n\tj\tnull\tnull\n");
  expect(flatten(lines, "pick=a", "whole= ./nodes/a/n ").out).toContain(
    './nodes/a/n\tj\t[1,{"x":"},"}]\t[1,{"x":"},"}]\n',
  );
});

test("quote.awk writes any text as JSON", () => {
  fc.assert(
    fc.property(text, (s) => {
      const quoted = execFileSync("awk", ["-f", QUOTE], { env: { ...C, text: s } }).toString();
      expect(JSON.parse(quoted)).toBe(s.toWellFormed());
    }),
    { numRuns: 60 },
  );
});
