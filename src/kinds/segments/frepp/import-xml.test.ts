import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeProblems, RULES, readSubmission } from "../../../../tests/support/request-documents.ts";
import { monthOf } from "../../../core/calendar.ts";
import type { SegmentsWork } from "../../../core/segments.ts";
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
/** `files`: others that it may name. */
const suiteFile = (text: string, files: Readonly<Record<string, string>> = {}, properties = {}) => ({
  text,
  path: "suite.xml",
  read: (path: string) => (path in files ? { text: files[path]!, path } : null),
  properties: new Map(Object.entries<string>(properties)),
});
function imported(change: Partial<FreppWishes> = {}, text = EXAMPLE, files = {}, properties = {}) {
  const made = importExperiment(suiteFile(text, files, properties), wishes(change));
  if (!made.ok) throw new Error(made.error);
  return made.value;
}
const suite = (body: string): string => `<experimentSuite><experiment name="e">${body}</experiment></experimentSuite>`;
const errorOf = (text: string, experiment = "e"): string => {
  const made = importExperiment(suiteFile(text), wishes({ experiment }));
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

  test("without commands it calls scripts that are laid beside it, and intake takes it", () => {
    const { document, missing, scripts } = imported({ commands: {}, directory: "/archive" });
    expect({ missing, scripts }).toEqual({ missing: {}, scripts: ["series.sh", "average.sh"] });
    const read = readSubmission(document, RULES);
    // Files that travel with it are attached by whoever hands it in.
    const problems = read.ok ? [] : describeProblems(read.error);
    expect(problems.filter((one) => !/series\.sh|average\.sh/.test(one))).toEqual([]);
    const { components } = document as { components: { ts: { run: string[] }[]; ta: { run: string[] }[] }[] };
    expect(components[0]!.ts[0]!.run).toEqual(["./series.sh", "{output}", "atmos_month", "{inputs}"]);
    expect(components[0]!.ta[0]!.run).toEqual(["./average.sh", "{output}", "atmos_month", "{frequency}", "{inputs}"]);
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

  /** The runs of its series, by component and the lengths they are for. */
  const runs = (document: object) =>
    (document as { components: { name: string; ts: { lengths: string[]; run: string[] }[] }[] }).components.map(
      ({ name, ts }) => [name, ...ts.map(({ lengths, run }) => `${lengths}: ${run[1]}`)],
    );
  const series = (chunk: string, more = "") => `<timeSeries freq="monthly" chunkLength="${chunk}" ${more}/>`;
  const component = (type: string, body: string, more = "") => `<component type="${type}" ${more}>${body}</component>`;

  test("a series has the source it names, else that of its component; two of one name are two components", () => {
    const body = series("5yr") + series("10yr") + series("5yr", 'source="ocean_z"') + series("20yr", 'source="o2"');
    const text = suite(`<postProcess>${component("ocean", body, 'source="ocean_month"')}</postProcess>`);
    const { document, told } = imported({ experiment: "e" }, text);
    expect(runs(document)).toEqual([
      ["ocean", "5y,10y: ocean_month", "20y: o2"],
      ["ocean-ocean_z", "5y: ocean_z"],
    ]);
    expect(told.join()).toContain("series of ocean_z that others of it would be called like: they are ocean-ocean_z");
  });

  const PIECES = `<freInclude name="pp"><postProcess>${component("atmos", series("5yr"))}</postProcess></freInclude>`;
  test.each([
    ["by name", "<xi:include xpointer=\"xpointer(//freInclude[@name='pp']/postProcess/node())\"/>"],
    ["by star", '<xi:include xpointer="xpointer(*/freInclude/*/component)"/>'],
    ["of another file", '<xi:include href="pp.xml" xpointer="xpointer(//postProcess/*)"/>'],
    ["of a whole file", '<xi:include href="atmos.xml"/>'],
    ["within an include", '<xi:include href="more.xml" xpointer="xpointer(//more/node())"/>'],
    ["an entity", "&pp;"],
    ["an entity that is a file", "&file;"],
  ])("what it includes is part of it: %s", (_, include) => {
    const files = {
      "pp.xml": `<x>${PIECES}</x>`,
      "atmos.xml": component("atmos", series("5yr")),
      "more.xml": `<x>${PIECES}<more><xi:include xpointer="xpointer(//postProcess/node())"/></more></x>`,
    };
    const entities = `<!DOCTYPE x [\n<!ENTITY c "${component("atmos", series("5yr")).replaceAll('"', "'")}">\n<!ENTITY pp "&c;">\n<!ENTITY file SYSTEM "atmos.xml">]>`;
    const text = `${entities}\n<suite>${PIECES}<experiment name="e"><postProcess>${include}</postProcess></experiment></suite>`;
    const { document, told } = imported({ experiment: "e" }, text, files);
    expect(runs(document)).toEqual([["atmos", "5y: atmos"]]);
    expect(told.join()).not.toMatch(/include|entity/);
  });

  test("what cannot be included is told, with its line; a fallback stands for it", () => {
    const atmos = component("atmos", series("5yr"));
    const includes = [
      '<xi:include href="none.xml"/>',
      '<xi:include xpointer="xpointer(//none/node())"/>',
      '<xi:include xpointer="xpointer(id(x))"/>',
      `<xi:include href="none.xml"><xi:fallback>${component("ice", series("1yr"))}</xi:fallback></xi:include>`,
    ];
    const entities = '<!DOCTYPE x [<!ENTITY a SYSTEM "none.xml"><!ENTITY % b SYSTEM "b.dtd"> %b;]>';
    const text = `${entities}\n${suite(`<postProcess>${atmos}\n${includes.join("\n")}&a;</postProcess>`)}`;
    const { document, told } = imported({ experiment: "e" }, text);
    expect(runs(document).map(([name]) => name)).toEqual(["atmos", "ice"]);
    expect(told.filter((one) => /left out: (?!<)/.test(one)).slice(0, 5)).toEqual([
      "&a; is left out: none.xml cannot be read",
      "%b; is left out: declarations in other files (b.dtd) are not read",
      "<xi:include> in line 3 is left out: none.xml cannot be read",
      "<xi:include> in line 4 is left out: there is nothing at xpointer(//none/node())",
      "<xi:include> in line 5 is left out: xpointer(id(x)) is not understood",
    ]);
  });

  test("names and inheritance have their properties expanded; some may be given by hand", () => {
    const text = `<s><property name="V">2</property><experiment name="base$(V)"><postProcess>${component("atmos", series("$(LEN)"))}</postProcess></experiment><experiment name="hist" inherit="base$(V)"/></s>`;
    expect(runs(imported({ experiment: "hist" }, text, {}, { LEN: "5yr" }).document)).toEqual([["atmos", "5y: atmos"]]);
    expect(errorOf(text, "base2")).toContain("$(LEN)");
    expect(errorOf(text, "base3")).toContain("it has no experiment base3; it has base2, hist");
  });

  test("a series of named variables is a folder with a file of each; one of others is not made of it", () => {
    const some = (chunk: string, names: string) =>
      `<timeSeries freq="monthly" chunkLength="${chunk}"><variables>${names}</variables></timeSeries>`;
    const text = suite(`<postProcess>${component("ocean", some("5yr", "so, thetao") + some("10yr", "so thetao"))}
      ${component("ice", some("5yr", "siconc") + series("10yr"))}${component("land", some("5yr", "a/b"))}</postProcess>`);
    const made = imported({ experiment: "e", commands: {}, start: "0001", directory: "/archive" }, text);
    expect(made.document.components).toEqual(
      [
        {
          name: "ocean",
          ts: [
            {
              ...{ frequency: "monthly", lengths: ["5y", "10y"] },
              run: ["./series.sh", "{output}", "ocean", "-v", "so,thetao", "{inputs}"],
              outputs: { path: "pp/{component}/{product}/{span}/", files: 2 },
            },
          ],
        },
        {
          name: "ice",
          ts: [
            { lengths: ["5y"], from: "history", outputs: { files: 1 } },
            { lengths: ["10y"], from: "history" },
          ],
        },
        { name: "land", ts: [{ lengths: ["5y"], run: ["./series.sh", "{output}", "land", "{inputs}"] }] },
      ].map((one) =>
        expect.objectContaining({
          ...one,
          ts: one.ts.map((entry) =>
            expect.objectContaining(
              "outputs" in entry ? { ...entry, outputs: expect.objectContaining(entry.outputs) } : entry,
            ),
          ),
        }),
      ),
    );
    expect(made.told.join()).toContain("a/b is no name of a variable; all are in one file");
    const read = readSubmission(made.document, RULES);
    expect((read.ok ? [] : describeProblems(read.error)).filter((one) => !one.includes("series.sh"))).toEqual([]);
  });

  test("a julian calendar is one", () => {
    const times = "<namelist>calendar = 'julian'\ncurrent_date = 1980,1,1,0,0,0</namelist>";
    const text = suite(`${times}<postProcess>${component("atmos", series("5yr"))}</postProcess>`);
    expect(imported({ experiment: "e" }, text).document).toMatchObject({ calendar: "julian", start: "19800101" });
  });

  test("a run that goes on is one, whatever the file says of its end", () => {
    const { document } = imported({ end: "ongoing", directory: "/archive" });
    expect(document).toMatchObject({ end: "ongoing" });
    expect(readSubmission(document, RULES).ok).toBe(true);
  });

  test.each([
    [
      "entities",
      `<!DOCTYPE x [${[..."abcdefghij"].map((one, at) => `<!ENTITY ${one} "${`&${"bcdefghijk"[at]};`.repeat(10)}">`).join("")}<!ENTITY k "xxxxxxxxxx">]><s><experiment name="e">&a;</experiment></s>`,
      "its entities make more than",
    ],
    [
      "includes",
      `<s><experiment name="e">${'<xi:include xpointer="xpointer(//experiment/node())"/>'.repeat(9)}</experiment></s>`,
      "its includes make more than",
    ],
    [
      "properties, each used often",
      suite(`<property name="L" value="${"x".repeat(50_000)}"/><property name="M" value="${"$(L)".repeat(900)}"/>
        <postProcess><component type="$(M)"/></postProcess>`),
      "its properties make more than 20000000 characters of it",
    ],
    [
      "properties in all of its texts",
      suite(
        `<property name="L" value="${"x".repeat(50_000)}"/><postProcess>${`<component type="a" source="${"$(L)".repeat(90)}"/>`.repeat(9)}</postProcess>`,
      ),
      "its properties make more than 20000000 characters of it",
    ],
    [
      "properties that double each other",
      suite(
        `${Array.from({ length: 40 }, (_, at) => `<property name="p${at}" value="$(p${at + 1})$(p${at + 1})"/>`).join("")}<property name="p40" value=""/><postProcess><component type="$(p0)"/></postProcess>`,
      ),
      "its properties make more than 20000000 characters of it",
    ],
    [
      "properties, one in the other",
      suite(
        `${Array.from({ length: 9000 }, (_, at) => `<property name="p${at}" value="$(p${at + 1})"/>`).join("")}<property name="p9000" value="a"/><postProcess><component type="$(p0)"/></postProcess>`,
      ),
      "its properties name each other more than 64 deep",
    ],
    [
      "properties in its name",
      `<s><property name="L" value="${"x".repeat(50_000)}"/><experiment name="${"$(L)".repeat(900)}"/></s>`,
      "its properties make more than",
    ],
  ])("a small document does not become a huge one by its %s", (_, text, why) => {
    expect(errorOf(text, "e")).toContain(why);
  });

  test("law: properties that name each other come to an end; any text is read or refused", () => {
    const text = suite(
      '<property name="A" value="$(B)$(B)"/><property name="B" value="$(A)"/><postProcess><component type="$(A)"><timeSeries freq="daily" chunkLength="1yr"/></component></postProcess>',
    );
    expect(imported({ experiment: "e" }, text).told.join()).toContain("$(A)");
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        importExperiment(
          suiteFile(suite(`<postProcess><component type="${a}">${b}</component></postProcess>`)),
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
