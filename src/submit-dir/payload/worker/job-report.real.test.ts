import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TestOutput } from "../../../../tests/support/payload-scratch.ts";
import { sh, unit } from "../../../../tests/support/working-unit.ts";

describe("FrameworkJobReport.xml", () => {
  const fjr = async (xml: string, script = "exit 0", outputs: TestOutput[] = []) => {
    const u = unit([sh(`cp given.xml FrameworkJobReport.xml; echo x >out.root; ${script}`, "RECO")], outputs);
    u.write("payload/given.xml", xml);
    return u.work("processing", "proc_000000");
  };
  const SAMPLE = readFileSync(new URL("../../../../tests/support/sample.fjr.xml", import.meta.url), "utf8");

  test("gives the true code, events and memory, and is kept under the step's name", async () => {
    const job = await fjr(SAMPLE, "exit 85");
    expect(job.report).toMatchObject({
      exitCode: 8021,
      error: "exit 8021 in step RECO",
      eventsRead: 40,
      eventsWritten: 38,
      peakMemoryMb: 2751,
    });
    expect(job.report.steps).toMatchObject([{ exitCode: 8021, status: 85, eventsRead: 40, eventsWritten: 38 }]);
    expect(job.report.steps).toMatchObject([{ threads: 4, memorySource: "framework", startSec: null }]);
    expect(job.code).toBe(1);
    expect(existsSync(join(job.dir, "RECO.fjr.xml"))).toBe(true);
  });

  test("tells threads and start-up as the framework does, whatever it prints", async () => {
    const timed = (init: string, threads: string) =>
      SAMPLE.replace(
        'Name="NumberOfThreads" Value="4"/>',
        `Name="NumberOfThreads" Value="${threads}"/>
        <Metric Name="TotalInitTime" Value="${init}"/>`,
      );
    expect((await fjr(timed(" 12.5 ", "8"))).report.steps).toMatchObject([{ threads: 8, startSec: 12.5 }]);
    expect((await fjr(timed("nan", "-nan"))).report.steps).toMatchObject([{ threads: 1, startSec: null }]);
  });

  test("an error in it fails a step that returned 0; none in it keeps the process code", async () => {
    expect((await fjr(SAMPLE)).report).toMatchObject({ exitCode: 8021 });
    const clean = SAMPLE.replace(/<FrameworkError[\s\S]*<\/FrameworkError>/, "");
    expect((await fjr(clean)).report).toMatchObject({ exitCode: 0, eventsWritten: 38 });
    expect((await fjr(clean, "exit 7")).report).toMatchObject({ exitCode: 7 });
  });

  test.each([
    ["empty", "", ""],
    ["cut in the middle", SAMPLE.slice(0, 700), ""],
    ["cut after its error", SAMPLE.replace("</FrameworkJobReport>", ""), "names exit code 8021"],
    ["not XML", "Segmentation fault\n", ""],
  ])("%s is 50115 with what can still be told", async (_what, xml, hint) => {
    const job = await fjr(xml, "exit 1");
    expect(job.report).toMatchObject({ exitCode: 50115 });
    expect(job.report.error).toContain("cut short");
    expect(job.report.error).toContain(hint);
  });

  test("a kill that cut the report short is still told", async () => {
    const job = await fjr(SAMPLE.slice(0, 700), "kill -9 $$");
    expect(job.report).toMatchObject({ exitCode: 50115, steps: [{ signal: 9, status: 137 }] });
    expect(job.report.error).toContain("killed by signal 9");
  });

  test.each([
    [
      "the first error with a code counts",
      '<FrameworkError ExitStatus="x"/><FrameworkError ExitStatus="8001" Type="a>b"/><FrameworkError ExitStatus="8020"/>',
      8001,
    ],
    ["an error without the attribute is 8001", "<FrameworkError Type='x'>bad</FrameworkError>", 8001],
    ["an error whose code is no number is 99999", '<FrameworkError ExitStatus=""/>', 99999],
    [
      "text in CDATA and comments is no markup",
      '<!-- <FrameworkError ExitStatus="1"/> --><X><![CDATA[ <FrameworkError ExitStatus="2"/> </FrameworkJobReport> ]]></X>',
      0,
    ],
    ["all inputs skipped is no success", '<SkippedFile Pfn="a" Lfn="b"/>', 8020],
    [
      "one skipped among others is",
      '<SkippedFile Pfn="a" Lfn="b"/><InputFile><EventsRead> 3 </EventsRead></InputFile>',
      0,
    ],
    [
      "odd numbers do not matter",
      '<PerformanceSummary Metric="ApplicationMemory"><Metric Name="PeakValueRss" Value="-nan"/></PerformanceSummary>',
      0,
    ],
  ])("%s", async (_what, body, code) => {
    expect((await fjr(`<FrameworkJobReport>\n${body}\n</FrameworkJobReport>\n`)).report.exitCode).toBe(code);
  });

  test("pile-up does not count as read; files of one module add up, modules do not", async () => {
    const input = (kind: string, n: number) =>
      `<InputFile><InputType>${kind}</InputType><EventsRead>${n}</EventsRead></InputFile>`;
    const out = (module: string, n: number, pfn: string) =>
      `<File><PFN>file:${pfn}</PFN><ModuleLabel>${module}</ModuleLabel><TotalEvents>\n ${n}\n</TotalEvents></File>`;
    const job = await fjr(
      `<FrameworkJobReport>${input("primaryFiles", 10)}${input("mixingFiles", 90000)}${input("primaryFiles", 5)}
${out("AOD", 7, "a.root")}${out("AOD", 6, "b.root")}${out("MINI", 12, "out.root")}</FrameworkJobReport>`,
      "exit 0",
      [{ name: "mini", file: "out.root" }],
    );
    expect(job.report).toMatchObject({
      exitCode: 0,
      eventsRead: 15,
      eventsWritten: 13,
      outputs: [{ name: "mini", events: 12 }],
    });
  });

  test("a report that was there before the step is not taken for its own", async () => {
    const u = unit([sh("exit 0", "RECO")]);
    u.write("payload/FrameworkJobReport.xml", SAMPLE);
    expect((await u.work("processing", "proc_000000")).report).toMatchObject({ exitCode: 0, eventsRead: null });
  });
});

/** A zombie that nobody reaped is as dead as one that was. */
