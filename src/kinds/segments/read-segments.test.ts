import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { attached, describeProblems, RULES, readSubmission } from "../../../tests/support/request-documents.ts";
import { monthOf } from "../../core/calendar.ts";
import type { SegmentsWork } from "../../core/segments.ts";
import { parseDocument } from "../../intake/reading/parse-document.ts";
import { segmentsKind } from "./kind.ts";
import { segmentNodes } from "./nodes.ts";

const SERIES = `
name: cm5-historical
kind: segments
experiment: CM5_historical
start: "0001"
end: "0020"
calendar: noleap
segment: 1y
directory: /archive/cm5
history:
  path: "history/{date}.nc.tar"
  min_size: 1 MB
  transfer: { run: "./fetch.sh {date} {output}", wait_hours: [0, 1, 4] }
resources: { cores: 1, memory: 2 GB, time: 2 h }
defaults:
  run: "./pp.sh {frequency} {output} {levels} {inputs}"
  outputs: { path: "pp/{component}/{product}/{component}.{first}-{last}.nc", min_size: 10 kB, levels: "ncount {output}" }
  ts: [{ frequency: monthly, lengths: [5y, 10y, 20y] }]
components:
  - atmos
  - { name: land, start: "0003" }
  - name: ocean
    ts: [{ frequency: monthly, lengths: [1y, 5y], tail: emit }, { frequency: daily, length: 5y, resources: { time: 8 h } }]
    ta: [{ source: annual, lengths: [1y, 20y], from: history, run: "mean {output} {inputs}" }]
`;

const files = { attachments: { "fetch.sh": attached("#!/bin/sh\n"), "pp.sh": attached("#!/bin/sh\n") } };
function documentOf(text: string, change: object = {}): Record<string, unknown> {
  const parsed = parseDocument(text, "yaml");
  if (!parsed.ok) throw new Error(describeProblems(parsed.error).join("\n"));
  return { ...(parsed.value as object), ...files, ...change };
}
function workOf(document: unknown): SegmentsWork {
  const read = readSubmission(document, RULES);
  if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
  return read.value.spec.work as SegmentsWork;
}
const problems = (document: unknown): readonly string[] => {
  const read = readSubmission(document, RULES);
  return read.ok ? [] : describeProblems(read.error);
};

test("an experiment as a person writes it, in thirty lines", () => {
  const work = workOf(documentOf(SERIES));
  expect(work).toMatchObject({
    experiment: "CM5_historical",
    calendar: "noleap",
    start: monthOf(1),
    end: monthOf(21),
    segmentMonths: 12,
    group: "unit",
    sweepMinutes: 15,
    executions: 2,
    exitCodes: { inputMissing: [66], transient: [75] },
    history: { path: "history/{date}.nc.tar", minBytes: 1_000_000, partialSuffix: ".gcp" },
  });
  expect(work.history.transfer).toMatchObject({ argv: ["./fetch.sh", "{date}", "{output}"], waitHours: [0, 1, 4] });
  expect(
    work.components.map(({ name, start, products }) => [
      name,
      start,
      products.map((p) => [p.name, p.fromMonths, p.tail]),
    ]),
  ).toEqual([
    [
      "atmos",
      monthOf(1),
      [
        ["ts-monthly-5y", null, "skip"],
        ["ts-monthly-10y", 60, "skip"],
        ["ts-monthly-20y", 120, "skip"],
      ],
    ],
    [
      "land",
      monthOf(3),
      [
        ["ts-monthly-5y", null, "skip"],
        ["ts-monthly-10y", 60, "skip"],
        ["ts-monthly-20y", 120, "skip"],
      ],
    ],
    [
      "ocean",
      monthOf(1),
      [
        ["ts-monthly-1y", null, "emit"],
        ["ts-monthly-5y", 12, "emit"],
        ["ts-daily-5y", null, "skip"],
        ["ta-annual-1y", null, "skip"],
        ["ta-annual-20y", null, "skip"],
      ],
    ],
  ]);
  const [atmos, , ocean] = work.components;
  expect(atmos!.products[0]).toMatchObject({
    argv: ["./pp.sh", "{frequency}", "{output}", "{levels}", "{inputs}"],
    outputs: [{ minBytes: 10_000, levels: ["ncount", "{output}"] }],
    resources: { cores: 1, memoryMb: 2000, wallMinutes: 120 },
  });
  expect(ocean!.products[2]!.resources).toMatchObject({ memoryMb: 2000, wallMinutes: 480 });
  expect(segmentsKind.describe(work)).toBe("CM5_historical 0001-0020: 11 products of 3 components");
  const path = segmentNodes(work, monthOf(21)).find(({ id }) => id === "atmos/ts-monthly-5y/0006-0010")!.outputs;
  expect(path).toEqual(["pp/atmos/ts-monthly-5y/atmos.000601-001012.nc"]);
  expect(SERIES.trim().split("\n").length).toBeLessThanOrEqual(30);
});

test("the least there can be: a run that goes on, in months", () => {
  const work = workOf({
    name: "short-legs",
    start: 19820701,
    end: "ongoing",
    segment: "6 months",
    directory: "/archive",
    history: "h/{first}.tar",
    components: ["atmos"],
    defaults: {
      ts: ["monthly"],
      lengths: ["6mo", "18 months"],
      run: "cat {output} {inputs}",
      outputs: "{span}-{product}",
    },
    sweep: "never",
    exit_codes: { input_missing: [6, 7] },
  });
  expect(work).toMatchObject({
    kind: "segments",
    experiment: "short-legs",
    start: monthOf(1982, 7),
    startDay: 1,
    end: null,
    sweepMinutes: null,
    exitCodes: { inputMissing: [6, 7], transient: [75] },
    history: { path: "h/{first}.tar", minBytes: 1, partialSuffix: ".gcp", transfer: null },
  });
  expect(segmentsKind.describe(work)).toBe("short-legs from 198207 on: 2 products of 1 component");
});

test("the document in docs/segments.md: what a component says comes before what it has from all", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/segments.md"), "utf8");
  const attachments = Object.fromEntries(
    ["pp.sh", "levels.sh", "mean.sh"].map((file) => [file, attached("#!/bin/sh\n")]),
  );
  const { components } = workOf(documentOf(/```yaml\n([\s\S]*?)```/.exec(page)![1]!, { attachments }));
  expect(components.map(({ name, products }) => [name, ...products.map((product) => product.name)])).toEqual([
    ["atmos", "ts-monthly-5y", "ts-monthly-10y", "ts-monthly-20y"],
    ["land", "ts-monthly-5y"],
    ["ocean", "ts-monthly-5y", "ts-monthly-10y", "ts-monthly-20y", "ta-annual-1y", "ta-annual-20y"],
  ]);
});

describe("what is wrong is told with its place", () => {
  const entry = (change: object) => ({
    components: [{ name: "atmos", ts: [{ frequency: "monthly", lengths: ["5y"], ...change }] }],
  });
  test.each<[object, string]>([
    [{ start: undefined }, "start: is missing"],
    [{ start: 1 }, "start: lost its zeros (got 1): put it in quotes; allowed: a year (0001)"],
    [{ start: "00010131" }, "start: must be a point in time, with a day up to 28"],
    [{ end: undefined }, "end: is missing; allowed: the last year or month, or ongoing"],
    [{ end: "0000" }, "end: is before the start"],
    [{ end: "002006" }, "end: is not the end of a segment"],
    [{ segment: 12 }, 'segment: must be a duration in years or months (got 12); allowed: "5y", "6mo"'],
    [{ segment: "2y" }, "defaults.ts[0].lengths[0]: 5y is not a multiple of a segment, which has 2y"],
    [{ calendar: "persian" }, 'calendar: "persian" is not one of the choices'],
    [{ history: "history/all.tar" }, "history: history/0001 and history/0002 would both be history/all.tar"],
    [{ history: { path: "h/{component}" } }, "history.path: {component} is not known here: {experiment} {date}"],
    [{ history: { path: "h/{date}/" } }, "history.path: must be the path of a file, without .."],
    [{ history: { path: "h/{date}", transfer: {} } }, "history.transfer.run: is missing"],
    [{ components: [] }, "components: names none"],
    [{ components: ["a", { name: "a" }] }, 'components[1].name: "a" is used twice'],
    [{ components: ["history"] }, "components[0].name: history is what segments are called"],
    [{ components: ["a/b"] }, "components[0].name: is not allowed"],
    [{ components: [{ name: "a", start: "000106" }] }, "components[0].start: is not the beginning of a segment"],
    [{ components: [{ name: "a", start: "0000" }] }, "components[0].start: is before the run begins (000101)"],
    [{ components: [{ name: "a", ts: [] }] }, "components[0].ts: is missing, and so is ta: it makes nothing"],
    [{ components: [{ name: "a", speed: 1 }] }, "components[0].speed: is not a known key"],
    [entry({ frequency: "weekly" }), 'components[0].ts[0].frequency: "weekly" is not a frequency of ts'],
    [
      { components: [{ name: "a", ta: [{ source: "daily", length: "5y" }] }] },
      'ta[0].source: "daily" is not a frequency of ta',
    ],
    [entry({ lengths: ["5 years", "60mo"] }), "components[0].ts[0].lengths[1]: makes ts-monthly-5y a second time"],
    [entry({ lengths: [5] }), "components[0].ts[0].lengths[0]: must be a duration in years or months (got 5)"],
    [entry({ from: "2y" }), "lengths[0]: 5y cannot be made from 2y; allowed: history, or a shorter one of 5y"],
    [entry({ chunkLength: "5y" }), "components[0].ts[0].chunkLength: is not a known key; write lengths: [5y]"],
    [entry({ run: "x {outputs} {input}" }), "components[0].ts[0].run: {input} is not known here"],
    [entry({ run: "x {output} in={inputs}" }), "components[0].ts[0].run: {inputs} must be a word of its own"],
    [entry({ run: "x {inputs}" }), "components[0].ts[0].run: must be told what to make; allowed: {output}"],
    [entry({ run: "x {output} {length:03d}" }), "run: {length} is not a number and takes no format"],
    [entry({ outputs: { path: "{span}", files: 2 } }), "outputs.files: is of folders, and this is a file"],
    [entry({ outputs: "a/../{span}/" }), "outputs: must be the path of a file, without .."],
    [
      entry({ outputs: ["pp/{product}/{span}/", "pp/{product}/{span}/all.nc"] }),
      "would be in pp/ts-monthly-5y/0001-0005/, which is one product and replaced as a whole",
    ],
    [entry({ outputs: { path: "{span}", levels: "count" } }), "outputs.levels: must be told which file to count"],
    [
      entry({ outputs: "atmos.nc" }),
      "components: atmos/ts-monthly-5y/0001-0005 and atmos/ts-monthly-5y/0006-0010 would both be atmos.nc",
    ],
    [
      entry({ outputs: "/archive/cm5/history/{first_year}0101.nc.tar" }),
      "history/0001 and atmos/ts-monthly-5y/0001-0005 would both be",
    ],
    [entry({ tail: "cut" }), 'tail: "cut" is not one of the choices; allowed: skip, emit'],
    [{ defaults: { ts: ["monthly"] } }, "defaults.ts[0].lengths: is missing; allowed: [5y, 10y]"],
    [{ end: "99999" }, "end: would be "],
    [{ sweep: "1 s" }, "sweep: is out of range"],
    [{ steps: [] }, "steps: has no meaning in kind: segments"],
    [{ jobs: [] }, "jobs: belongs to kind: graph"],
  ])("%j", (change, expected) => {
    const document = Object.entries(documentOf(SERIES, change)).filter(([, value]) => value !== undefined);
    expect(problems(Object.fromEntries(document)).join("\n")).toContain(expected);
  });

  test("all at once", () => {
    expect(problems(documentOf(SERIES, { start: "x", calendar: "x", end: "x", executions: 0 }))).toHaveLength(4);
  });
});

/** Every document that differs from this one in one place. */
function* withJunk(value: unknown, junk: unknown): Generator<unknown> {
  yield junk;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const changed of withJunk(inner, junk))
      yield Array.isArray(value)
        ? value.map((one, at) => (String(at) === key ? changed : one))
        : { ...value, [key]: changed };
}

test.each([null, true, -1, 1e300, Number.NaN, "", "\u0000", "{", "{}", "../x", "99999y", [], [[]], {}, { a: {} }])(
  "%j anywhere in a document is refused or read, and never throws",
  (junk) => {
    for (const document of withJunk(documentOf(SERIES), junk)) expect(() => problems(document)).not.toThrow();
  },
);
