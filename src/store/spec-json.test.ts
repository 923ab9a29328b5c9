import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleSpec } from "../../tests/support/store-fixtures.ts";
import type { RequestSpec } from "../core/request.ts";
import type { GenerateWork } from "../core/work.ts";
import { json } from "./columns.ts";
import { decodeSpec, encodeSpec } from "./spec-json.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc.string({ unit: "grapheme" }).filter((words) => !words.includes("\0"));

const split = fc.constant(sampleSpec("any").work.split!);
const generate = fc.record({
  kind: fc.constant("generate" as const),
  split,
  totalEvents: int64,
  firstEvent: int64,
  firstLumi: fc.nat(),
  eventsPerLumi: fc.nat(),
  filterEfficiency: fc.double({ min: 0, max: 1, noNaN: true }),
  topUp: fc.boolean(),
});
const mask = fc.record({
  runs: fc.array(fc.nat()),
  lumis: fc.option(fc.dictionary(fc.nat().map(String), fc.array(fc.tuple(fc.nat(), fc.nat())))),
});
const input = fc.oneof(
  fc.record({ from: fc.constant("dataset" as const), dataset: text, mask }),
  fc.record({ from: fc.constant("list" as const), path: text, mask }),
  fc.record({
    from: fc.constant("glob" as const),
    pattern: text,
    events: fc.record({ by: fc.constant("fixed" as const), perFile: fc.nat() }),
    mask,
  }),
);
const spec: fc.Arbitrary<RequestSpec> = fc
  .record({
    requestor: text,
    requestorDn: fc.option(text),
    work: fc.oneof(generate, fc.record({ kind: fc.constant("process" as const), split, input })),
    steps: fc.array(fc.record({ name: text, argv: fc.array(text), env: fc.dictionary(text, text) })),
    metadata: fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text)),
    ),
  })
  .map((fields) => sampleSpec("any", fields));

describe("spec codec", () => {
  it("gives back what it was given", () => {
    fc.assert(
      fc.property(spec, (given) => {
        expect(decodeSpec(JSON.parse(json(encodeSpec(given))))).toEqual(given);
      }),
    );
  });

  it("reads what was stored while every spec had the fields of both kinds", () => {
    const { work, ...common } = sampleSpec("any");
    const { kind, split, ...generation } = work as GenerateWork;
    const old = { ...common, kind, input: null, generation, split };
    expect(decodeSpec(JSON.parse(json(old)))).toEqual({ ...common, work });
    const input = { from: "dataset", dataset: "/A/B/C", mask: { runs: [], lumis: null } };
    const process = { ...common, kind: "process", input, generation: null, split };
    expect(decodeSpec(JSON.parse(json(process)))).toEqual({ ...common, work: { kind: "process", input, split } });
  });

  it("replaces what a database cannot hold, in keys and in values, and leaves the rest alone", () => {
    const given = sampleSpec("any", { metadata: { "k\0": ["v\0", "\ud83d", "\\u0000", "🐎"] } });
    const stored = decodeSpec(JSON.parse(json(encodeSpec(given))));
    expect(stored).toEqual({ ...given, metadata: { "k\uFFFD": ["v\uFFFD", "\uFFFD", "\\u0000", "🐎"] } });
  });
});
