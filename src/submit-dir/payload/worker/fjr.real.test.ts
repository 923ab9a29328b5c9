import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinRanges } from "../../../core/base/ranges.ts";
import { readFjr } from "../../reports/read-fjr.ts";
import type { RunLumiEvents } from "../../reports/step-report.ts";

/**
 * Two readers of cmsRun's report: the worker's (fjr.awk, as no grid node has Node) and the one that people ask (reports/). What
 * the worker takes into report.json, and sizing by it, must be what the other one reads.
 */
const program = join(import.meta.dirname, "fjr.awk");

function byWorker(xml: string) {
  const { stdout } = spawnSync("awk", ["-f", program], {
    input: xml,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  const lines = stdout.split("\n").map((line) => line.split(" "));
  const of = (key: string) => lines.find(([name]) => name === key)?.[1];
  const number = (key: string) => (of(key) === undefined ? null : Number(of(key)));
  const files = lines.filter(([name]) => name === "file");
  const isUnread = number("opened") === 0 && (number("skipped") ?? 0) > 0;
  return {
    code: of("closed") === undefined ? 50115 : (number("code") ?? (isUnread ? 8020 : 0)),
    hint: of("closed") === undefined ? number("code") : null,
    read: number("read"),
    written: number("written"),
    rssMb: number("rss"),
    threads: number("threads") ?? 1,
    startSec: number("start"),
    files: files.map(([, events, lumis = "", ...name]) => [
      Number(events),
      name.join(" "),
      lumis === "-" ? {} : sorted(lumis),
    ]),
  };
}

const sorted = (text: string) =>
  Object.fromEntries(
    Object.entries(JSON.parse(text) as Record<string, [number, number][]>).map(([run, all]) => [run, joinRanges(all)]),
  );

function byReader(xml: string): ReturnType<typeof byWorker> {
  const { code, hint, eventsRead, outputs, peakRssMb, threads, initSec } = readFjr(xml);
  const counted = outputs.filter(({ events }) => events !== null);
  const byModule = new Map<string, number>();
  for (const { module, events } of counted) byModule.set(module, (byModule.get(module) ?? 0) + events!);
  return {
    code,
    hint,
    read: eventsRead,
    written: byModule.size > 0 ? Math.max(...byModule.values()) : null,
    rssMb: peakRssMb === null ? null : Math.round(peakRssMb + 0.4999),
    threads,
    startSec: initSec !== null && initSec > 0 ? Number(initSec.toFixed(2)) : null,
    files: counted.map(({ events, file, lumis }) => [events!, file.replace(/^file:/, ""), ranges(lumis)]),
  };
}

const ranges = (lumis: RunLumiEvents) =>
  Object.fromEntries(
    [...lumis].map(([run, own]) => [run, joinRanges([...own.keys()].map((lumi): [number, number] => [lumi, lumi]))]),
  );

const SAMPLE = readFileSync(new URL("../../../../tests/support/sample.fjr.xml", import.meta.url), "utf8");
const report = (inside: string) => `<FrameworkJobReport>\n${inside}\n</FrameworkJobReport>\n`;
const metric = (summary: string, name: string, value: string) =>
  `<PerformanceReport><PerformanceSummary Metric="${summary}"><Metric Name="${name}" Value="${value}"/></PerformanceSummary></PerformanceReport>`;
const input = (events: string, type = "primaryFiles") =>
  `<InputFile><LFN></LFN><PFN>root://x//a.root</PFN><ModuleLabel>source</ModuleLabel><InputType>${type}</InputType><EventsRead>${events}</EventsRead><Runs><Run ID="1"><LumiSection ID="2"/></Run></Runs></InputFile>`;
const file = (module: string, pfn: string, events: string, lumis = "") =>
  `<File><State Value="closed"/><LFN></LFN><PFN>${pfn}</PFN><ModuleLabel>${module}</ModuleLabel><TotalEvents>${events}</TotalEvents><Runs>${lumis}</Runs><Inputs><Input><LFN>/store/in.root</LFN><PFN>root://x//in.root</PFN></Input></Inputs></File>`;
const run = (id: string, ...lumis: string[]) =>
  `<Run ID="${id}">${lumis.map((lumi) => `<LumiSection ID="${lumi}"/>`).join("")}</Run>`;

const CASES: [string, string][] = [
  ["the sample", SAMPLE],
  ["no report", ""],
  ["a generator without inputs", report(file("A", "a.root", "10"))],
  [
    "several reports of services",
    report(
      metric("Timing", "NumberOfThreads", "8") +
        metric("Timing", "TotalInitTime", " 12.5 ") +
        metric("ApplicationMemory", "PeakValueRss", "   900.4"),
    ),
  ],
  ["blocks that are missing", report("")],
  ...["nan", "-nan", "1e+03", "1.5E+02", "   0", "", "true", "AMD EPYC", "-1"].map((value): [string, string] => [
    `a number that is ${JSON.stringify(value)}`,
    report(
      metric("ApplicationMemory", "PeakValueRss", value) +
        metric("Timing", "TotalInitTime", value) +
        metric("Timing", "NumberOfThreads", value),
    ),
  ]),
  [
    "a metric of the same name in a module",
    report(
      `${metric("ApplicationMemory", "PeakValueRss", "700")}<PerformanceReport><PerformanceModule Metric="X" Module="m"><Metric Name="PeakValueRss" Value="9000"/></PerformanceModule></PerformanceReport>`,
    ),
  ],
  [
    "a metric of the same name in another summary",
    report(metric("ApplicationMemory", "PeakValueRss", "700") + metric("SystemMemory", "PeakValueRss", "9000")),
  ],
  [
    "a memory that is told twice",
    report(metric("ApplicationMemory", "PeakValueRss", "900") + metric("ApplicationMemory", "PeakValueRss", "700")),
  ],
  [
    "pile-up, and a file opened twice",
    report(input("5") + input("5") + input("9000", "mixingFiles") + input("7", "secondaryFiles")),
  ],
  ["padded texts", report(input("\n  40  \n", " primaryFiles "))],
  [
    "events in scientific notation, or none",
    report(input("1e+03") + input("") + file("A", "a.root", "1e+02") + file("A", "b.root", "")),
  ],
  [
    "several files of a module, and several modules",
    report(file("A", "a.root", "10") + file("A", "b.root", "5") + file("B", "file:c d.root", "15")),
  ],
  ["no events are events", report(file("A", "a.root", "0"))],
  [
    "lumis in any order",
    report(file("A", "a.root", "3", run("2", "9", "8", "7") + run("1", "1", "2", "5") + run("2", "6"))),
  ],
  ["skipped files only", report('<SkippedFile Pfn="root://x//a" Lfn="/store/a"/>')],
  ["one skipped, one read", report(`<SkippedFile Pfn="root://x//a" Lfn="/store/a"/>${input("3")}`)],
  ["an error without attributes", report("<FrameworkError><![CDATA[ x > y </FrameworkError> ]]></FrameworkError>")],
  [
    "an error without a code, then one with",
    report('<FrameworkError ExitStatus="" Type="a"/><FrameworkError ExitStatus="8028" Type="b"/>'),
  ],
  ["an error with attributes in other quotes", report("<FrameworkError ExitStatus='8021' Type='a \"b\"'/>")],
  ["an error whose code is no number", report('<FrameworkError ExitStatus="x"/>')],
  ["an error whose code is 0", report('<FrameworkError ExitStatus="0"/>')],
  ["attributes over lines", report('<FrameworkError\n  ExitStatus = " 8021 "\n  Type="a > b"></FrameworkError>')],
  [
    "unknown elements, comments, branches",
    report(
      `<Odd a="1">text</Odd><!-- <FrameworkError ExitStatus="1"/> --><ReadBranches><Branch Name="x" ReadCount="1"/></ReadBranches>${input("3")}`,
    ),
  ],
  ["cut before its end", SAMPLE.slice(0, SAMPLE.lastIndexOf("</FrameworkJobReport>"))],
  ["cut in the middle", SAMPLE.slice(0, 700)],
  ["not XML", "Segmentation fault\n"],
];
test.each(CASES)("both read the same: %s", (_story, xml) => expect(byWorker(xml)).toEqual(byReader(xml)));

test("whatever a report is made of, both read the same", () => {
  const number = fc.oneof(fc.nat(100_000).map(String), fc.constantFrom(" 7 ", "nan", "1e+03", "", "x"));
  const part = fc.oneof(
    fc
      .tuple(fc.constantFrom("PeakValueRss", "PeakValueVsize"), number)
      .map(([name, value]) => metric("ApplicationMemory", name, value)),
    fc
      .tuple(fc.constantFrom("NumberOfThreads", "TotalInitTime", "TotalJobCPU"), number)
      .map(([name, value]) => metric("Timing", name, value)),
    fc.tuple(number, fc.constantFrom("primaryFiles", "mixingFiles", "")).map(([events, type]) => input(events, type)),
    fc
      .tuple(fc.constantFrom("A", "B"), number, fc.array(fc.nat(20).map(String), { maxLength: 6 }))
      .map(([module, events, lumis]) => file(module, "a.root", events, run("1", ...lumis))),
    number.map((code) => `<FrameworkError ExitStatus="${code}" Type="x"><![CDATA[ <a> ]]></FrameworkError>`),
    fc.constant('<SkippedFile Pfn="a" Lfn="b"/>'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.boolean(), (parts, isCut) => {
      const whole = report(parts.join("\n"));
      const xml = isCut ? whole.replace("</FrameworkJobReport>", "") : whole;
      expect(byWorker(xml)).toEqual(byReader(xml));
    }),
    { numRuns: 150 },
  );
});
