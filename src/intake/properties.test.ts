import fc from "fast-check";
import { expect, test } from "vitest";
import { sweepDocument } from "../../tests/support/graph-documents.ts";
import {
  describeProblems,
  generateDocument,
  processDocument,
  RULES,
  readSubmission,
  stepChainDocument,
} from "../../tests/support/request-documents.ts";
import { stringify } from "../core/base/json.ts";
import type { Problem } from "../core/problem.ts";
import { KINDS } from "../kinds/table.ts";
import { absolutePaths } from "./absolute-paths.ts";
import { neededFiles } from "./read-submission.ts";
import { splitArguments } from "./reading/command-line.ts";
import { parseDocument } from "./reading/parse-document.ts";
import { readJson } from "./reading/read-json.ts";

const saysSomething = (problems: readonly Problem[]): boolean =>
  problems.length > 0 &&
  problems.every((problem) => typeof problem.path === "string" && problem.message.length > 0) &&
  describeProblems(problems).every((line) => !line.includes("\n") && line.length < 2000);

const check = (document: unknown): void => {
  const read = readSubmission(document, RULES);
  if (!read.ok) expect(saysSomething(read.error)).toBe(true);
  neededFiles(document, KINDS);
  absolutePaths(document, (path) => `/x/${path}`);
};

test("garbage never throws", () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
      check,
    ),
  );
});

test("text that is garbage never throws", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("json" as const, "yaml" as const),
      (text, format) => {
        const parsed = parseDocument(text, format);
        if (parsed.ok) check(parsed.value);
        else expect(saysSomething(parsed.error)).toBe(true);
      },
    ),
  );
});

test("our JSON reader agrees with JSON.parse", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const expected: unknown = JSON.parse(text);
      const seen: unknown = JSON.parse(stringify(readJson(text)));
      if (!/\d{16}/.test(text)) expect(seen).toEqual(expected);
    }),
  );
});

const BASES = [processDocument, generateDocument, stepChainDocument, sweepDocument];

/** Every path to a value inside a document. */
function* places(value: unknown, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (path.length > 0) yield path;
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* places(item, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* places(item, [...path, key]);
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  const row = value as Record<string, unknown>;
  return { ...row, [key]: replaced(row[key], rest, by) };
}

test("a valid document with anything at all in one place never throws", () => {
  const all = BASES.flatMap((base) => [...places(base())].map((path) => [base(), path] as const));
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.anything({ maxDepth: 2 }), ([document, path], value) =>
      check(replaced(document, path, value)),
    ),
    { numRuns: 500 },
  );
});

const HOSTILE = [
  "a\nb",
  'a"b',
  "a'b",
  "$(touch /tmp/x)",
  "`id`",
  "; rm -rf /",
  "../../etc/passwd",
  "\u202Eevil",
  "ünïcode ☃",
  "%s%n",
  "$(JOB)",
  "a,b=c",
  "x".repeat(200_001),
  "__proto__",
  "constructor",
  "\0",
  "\uD800",
];

test("hostile text in any place is refused, or carried exactly as it was written", () => {
  for (const base of BASES) {
    const document = base();
    for (const path of places(document)) {
      for (const text of HOSTILE) {
        const read = readSubmission(replaced(document, path, text), RULES);
        if (!read.ok) expect(saysSomething(read.error), path.join(".")).toBe(true);
        else {
          const { name, steps, outputs, acquisitionEra, processingString, campaign } = read.value.spec;
          for (const reaches of [
            name,
            acquisitionEra,
            processingString,
            campaign,
            ...steps.map((step) => step.name),
            ...outputs.map((o) => o.file),
          ]) {
            expect(reaches).toMatch(/^[A-Za-z0-9_.-]*$/);
          }
          const { work } = read.value.spec;
          const commands = [...steps, ...(work.kind === "graph" ? [...work.jobs, ...work.hooks] : [])];
          const lines = commands.map(({ argv }) => JSON.stringify(argv.join(" "))).join(); // a command line became words
          expect(stringify(read.value.spec) + lines, path.join(".")).toContain(JSON.stringify(text).slice(1, -1));
        }
      }
    }
  }
});

test("hostile keys are refused or carried, and change no object of ours", () => {
  for (const key of [...HOSTILE, "toString", "hasOwnProperty", "prototype"]) {
    const document = JSON.parse(`{"env": {}, ${JSON.stringify(key)}: {"polluted": 1}}`) as Record<string, unknown>;
    for (const place of ["metadata", "simulate", "attachments", "recovery", "resources", "input"]) {
      check(generateDocument({ [place]: document }));
    }
    check({ ...generateDocument(), ...document });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  }
});

test("a list of words goes through untouched", () => {
  const word = fc.string({ unit: "grapheme" }).filter((text) => !text.startsWith("./"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (argv) => {
      const read = readSubmission(
        processDocument({ steps: [{ run: ["sh", ...argv] }], attachments: undefined }),
        RULES,
      );
      expect(read.ok && read.value.spec.steps[0]?.argv).toEqual(["sh", ...argv]);
    }),
  );
});

test("a line of words means what a shell would make of it, when it is accepted", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }), (words) => {
      const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      const split = splitArguments(quoted);
      if (split.ok) expect(split.argv).toEqual(words);
      else expect(split.why).toContain("variable");
    }),
  );
});

test("a valid request survives the trip through JSON and YAML text", () => {
  fc.assert(
    fc.property(
      fc.record({
        name: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/),
        jobs: fc.bigInt({ min: 1n, max: 10_000_000n }),
        priority: fc.integer({ min: 0, max: 999_999 }),
        perJob: fc.integer({ min: 1, max: 100_000_000_000 }),
        note: fc.string(),
      }),
      fc.constantFrom("json" as const, "yaml" as const),
      ({ name, jobs, priority, perJob, note }, format) => {
        const events = jobs * BigInt(perJob);
        const document = generateDocument({
          name,
          events,
          priority,
          split: { events_per_job: perJob },
          metadata: { note },
        });
        const parsed = parseDocument(stringify(document), format);
        expect(parsed.ok).toBe(true);
        const read = parsed.ok ? readSubmission(parsed.value, RULES) : parsed;
        if (note.includes("\0")) return;
        expect(read).toMatchObject({
          ok: true,
          value: {
            spec: {
              name,
              priority,
              work: { totalEvents: events, split: { eventsPerJob: perJob } },
              metadata: { note },
            },
          },
        });
      },
    ),
  );
});
