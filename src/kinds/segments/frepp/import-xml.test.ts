import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeProblems, RULES, readSubmission } from "../../../../tests/support/request-documents.ts";
import { monthOf } from "../../../domain/calendar.ts";
import type { SegmentsWork } from "../../../domain/segments.ts";
import { type FreppWishes, importExperiment } from "./import-xml.ts";

const EXAMPLE = readFileSync(resolve(import.meta.dirname, "../../../../examples/imports/coastal.frepp.xml"), "utf8");
const COMMANDS = {
  ts: ["series", "{source}", "-g", "{cubicToLatLon}", "{output}", "{inputs}"],
  ta: ["mean", "{output}", "{inputs}"],
};
const wishes = (change: Partial<FreppWishes> = {}): FreppWishes => ({
  experiment: "coastal_hist",
  commands: COMMANDS,
  ...change,
});
function imported(change: Partial<FreppWishes> = {}, text = EXAMPLE) {
  const made = importExperiment(text, wishes(change));
  if (!made.ok) throw new Error(made.error);
  return made.value;
}
const suite = (body: string): string => `<experimentSuite><experiment name="e">${body}</experiment></experimentSuite>`;
const errorOf = (text: string, experiment = "e"): string => {
  const made = importExperiment(text, wishes({ experiment }));
  return made.ok ? "" : made.error;
};

describe("an experiment of a suite", () => {
  test("is a request that intake takes, with its own properties and what it inherits", () => {
    const { document } = imported({ directory: "/archive/coastal" });
    const read = readSubmission(document, RULES);
    if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
    const work = read.value.spec.work as SegmentsWork;
    expect(work).toMatchObject({
      experiment: "coastal_hist",
      calendar: "noleap",
      start: monthOf(1950),
      end: monthOf(1990),
      segmentMonths: 12,
    });
    expect(work.components.map(({ name, start, products }) => [name, start, products.map((one) => one.name)])).toEqual([
      ["atmos", monthOf(1950), ["ts-monthly-5y", "ts-monthly-20y", "ta-monthly-20y", "ta-annual-5y"]],
      ["ocean", monthOf(1960), ["ts-monthly-5y", "ts-daily-1y"]],
    ]);
  });

  test("has its attributes in the commands that name them, each as one word", () => {
    const { components } = imported().document as { components: { ts: { run: string[] }[] }[] };
    expect(components[0]!.ts[0]!.run).toEqual(["series", "atmos_month", "-g", "180,360", "{output}", "{inputs}"]);
    expect(components[1]!.ts[0]!.run).toEqual(["series", "ocean_z", "-g", "", "{output}", "{inputs}"]);
  });

  test("what is left out or supposed is told", () => {
    expect(imported().told).toEqual([
      '<timeAverage from="5y">: atmos has no such timeAverage; it is made by the usual rule',
      "component ice_static makes nothing that WMS2 knows, and is left out",
      "outputs are called as WMS2 suggests: change defaults.outputs to the names your command leaves",
      "left out: attribute zInterp of components (it may stand in --command as {zInterp})",
      "left out: <analysis> of <timeSeries>",
      'left out: <timeSeries freq="30minute" chunkLength="1yr">',
      "left out: <variables> of <timeSeries>",
      "left out: <refineDiag>",
    ]);
  });

  test("without commands stands a value that intake refuses, with what is needed", () => {
    const { document, told } = imported({ commands: {}, directory: "/archive" });
    expect(told.join("\n")).toContain("the command that makes ts is TODO: give it with --command 'ts=…'");
    const read = readSubmission(document, RULES);
    expect(read.ok ? [] : describeProblems(read.error)).toContainEqual(
      expect.stringContaining("components[0].ts[0].run: must be told what to make; allowed: {output} or {outputs}"),
    );
  });

  test("what it does not say is asked for, or supposed and told", () => {
    const text = suite(
      '<postProcess><component type="a"><timeSeries freq="monthly" chunkLength="5"/></component></postProcess>',
    );
    const { document, told } = imported({ experiment: "e" }, text);
    expect(document).toMatchObject({ start: "TODO", end: "ongoing", segment: "1y", calendar: "gregorian" });
    expect(told.slice(0, 4)).toEqual([
      "when the run begins is not said: give --start, or write it there",
      "the length of a segment is not said: 1y is supposed",
      "when the run ends is not said: it is supposed to go on",
      "the calendar is not said: gregorian is supposed",
    ]);
    expect(imported({ experiment: "e", start: "0001", end: "0020" }, text).document).toMatchObject({
      start: "0001",
      end: "0020",
    });
  });

  test.each([
    ["", "e", "it is no XML"],
    ["<a>", "e", "it is no XML: 1:3: unclosed tag: a"],
    [EXAMPLE, "coastal_x", "it has no experiment coastal_x; it has coastal_base, coastal_hist, coastal_spinup"],
    [EXAMPLE, "coastal_spinup", "has no postProcess, nor has any it inherits from"],
    ['<s><experiment name="e" inherit="f"/></s>', "e", "e inherits from f, which is not in this file"],
    ['<s><experiment name="e" inherit="e"/></s>', "e", "e inherits from itself"],
  ])("%#: what cannot be read says why", (text, experiment, expected) => {
    expect(errorOf(text, experiment)).toContain(expected);
  });

  test("law: properties that name each other come to an end; any text is read or refused", () => {
    const text = suite(
      '<property name="A" value="$(B)$(B)"/><property name="B" value="$(A)"/><postProcess><component type="$(A)"><timeSeries freq="daily" chunkLength="1yr"/></component></postProcess>',
    );
    expect(imported({ experiment: "e" }, text).told.join()).toContain("$(A)");
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        importExperiment(
          suite(`<postProcess><component type="${a}">${b}</component></postProcess>`),
          wishes({ experiment: "e" }),
        );
      }),
    );
  });
});

test("elements in elements without end are refused in words", () => {
  expect(errorOf(suite(`${"<a>".repeat(200_000)}${"</a>".repeat(200_000)}`))).toBe(
    "it is no XML: line 1: nested deeper than 64",
  );
  expect(errorOf("<a>".repeat(200_000))).toContain("it is no XML");
});
