import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FjrReader, readFjr } from "./read-fjr.ts";
import { cpuEfficiency } from "./step-report.ts";

const SAMPLE = readFileSync(new URL("../../../tests/support/sample.fjr.xml", import.meta.url), "utf8");
const report = (inside: string) => `<FrameworkJobReport>${inside}</FrameworkJobReport>`;
const summary = (name: string, metrics: Record<string, string>) =>
  `<PerformanceReport><PerformanceSummary Metric="${name}">${Object.entries(metrics)
    .map(([key, value]) => `<Metric Name="${key}" Value="${value}"/>`)
    .join("")}</PerformanceSummary></PerformanceReport>`;

test("a report is a step: what it read, wrote, took and why it failed", () => {
  const step = readFjr(SAMPLE);
  expect(step).toMatchObject({
    code: 8021,
    hint: null,
    errors: [{ code: 8021, type: "FileReadError" }],
    wallSec: 200.5,
    cpuSec: 640.1,
    threads: 4,
    streams: 4,
    peakRssMb: 2750.25,
    peakPssMb: null,
    eventsPerSec: 0.25,
    eventsRead: 40,
    outputs: [{ module: "RECOoutput", file: "out.root", events: 38 }],
  });
  expect(step.errors[0]?.message).toContain("category 'FileReadError' occurred while reading in.root");
  expect(step.lumisRead.get(1001)).toEqual(new Map([[7, 25], [8, 15]])); // biome-ignore format: one line
  expect(step.outputs[0]?.lumis.get(1001)).toEqual(new Map([[7, null], [8, null]])); // biome-ignore format: one line
  expect(cpuEfficiency(step)).toBeCloseTo(0.798, 3);
});

describe("numbers as cmsRun prints them", () => {
  const wall = (value: string) => readFjr(report(summary("Timing", { TotalJobTime: value }))).wallSec;
  test.each([
    ["1e+06", 1_000_000],
    ["   12.5", 12.5],
    ["nan", null],
    ["-nan", null],
    ["", null],
    ["0", null],
    ["AMD EPYC", null],
  ])("%j is %d", (text, value) => expect(wall(text)).toBe(value));

  test("of several reports of services, all count; children are part of the CPU time", () => {
    const step = readFjr(
      report(
        summary("Timing", { TotalJobTime: "10", TotalJobCPU: "30", TotalJobChildrenCPU: "5", NumberOfStreams: "2" }) +
          summary("ApplicationMemory", { PeakValueRss: "900", PeakValueVsize: "2000" }) +
          summary("ApplicationMemory", { "LargestRssEvent-h-PSS": "850" }) +
          summary("StorageStatistics", {
            "Timing-tstoragefile-read-numOperations": "9",
            "Timing-root-read-numOperations": "4",
            "Timing-root-read-totalMegabytes": "30",
            "Timing-root-readv-totalMegabytes": "10",
            "Timing-root-read-totalMsecs": "2000",
          }),
      ),
    );
    expect(step).toMatchObject({ cpuSec: 35, streams: 2, peakRssMb: 900, peakPssMb: 850, peakVsizeMb: 2000 });
    expect(step.storage).toEqual({ technology: "root", readMb: 40, readSec: 2, readMbPerSec: 20 });
  });
});

describe("what went wrong", () => {
  const error = (attributes: string) => `<FrameworkError ${attributes}><![CDATA[ deep ]]></FrameworkError>`;
  test.each([
    ["no error", "", 0],
    ["an error without attributes", error(""), 8001],
    ["an error whose code is no number", error('ExitStatus="x"'), 99999],
    ["of several, the first that has a code", error('ExitStatus=""') + error('ExitStatus="8028"'), 8028],
    ["all inputs skipped", '<SkippedFile Pfn="root://x//store/a" Lfn="/store/a"/>', 8020],
    ["an input skipped, another read", '<SkippedFile Lfn="/a"/><InputFile><EventsRead>1</EventsRead></InputFile>', 0],
  ])("%s", (_story, inside, code) => expect(readFjr(report(inside)).code).toBe(code));

  test("a report that was cut short is 50115, and keeps what it still says", () => {
    expect(readFjr("")).toMatchObject({ code: 50115, hint: null });
    const cut = SAMPLE.slice(0, SAMPLE.lastIndexOf("</FrameworkJobReport>"));
    expect(readFjr(cut)).toMatchObject({ code: 50115, hint: 8021, eventsRead: 40 });
  });
});

test("pile-up does not count as events read; files opened twice count their lumis once", () => {
  const input = (type: string) =>
    `<InputFile><LFN/><InputType> ${type} </InputType><EventsRead> 5 </EventsRead><Runs><Run ID="1"><LumiSection ID="2"/></Run></Runs></InputFile>`;
  const step = readFjr(report(input("primaryFiles") + input("primaryFiles") + input("mixingFiles")));
  expect(step.eventsRead).toBe(10);
  expect([...(step.lumisRead.get(1)?.keys() ?? [])]).toEqual([2]);
  expect(readFjr(report("")).eventsRead).toBeNull();
});

test("however it is damaged, there is a step and never an exception", () => {
  const damage = fc.tuple(fc.nat(SAMPLE.length), fc.nat(80), fc.string({ maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
      const text = damages.reduce((all, [at, cut, put]) => all.slice(0, at) + put + all.slice(at + cut), SAMPLE);
      expect(typeof readFjr(text).code).toBe("number");
    }),
    { numRuns: 1000 },
  );
});

test("cut anywhere into pieces, it is the same step", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(SAMPLE.length), { maxLength: 20 }), (cuts) => {
      const reader = new FjrReader();
      const places = [0, ...cuts.sort((a, b) => a - b), SAMPLE.length];
      for (const [index, at] of places.entries()) reader.write(SAMPLE.slice(at, places[index + 1]));
      expect(reader.end()).toEqual(readFjr(SAMPLE));
    }),
    { numRuns: 100 },
  );
});

test("5 MB, most of it branches, are read in a quarter of a second", () => {
  const branches = `<Branches>${'<Branch Name="recoTracks_generalTracks__RECO." ReadCount="12"/>'.repeat(80_000)}</Branches>`;
  const large = SAMPLE.replace("<EventsRead>", `${branches}<EventsRead>`);
  expect(large.length).toBeGreaterThan(5_000_000);
  const secondsOf = () => {
    const began = process.cpuUsage();
    expect(readFjr(large).eventsRead).toBe(40);
    return process.cpuUsage(began).user / 1e6;
  };
  expect(Math.min(...[1, 2, 3, 4].map(secondsOf))).toBeLessThan(0.25);
});
