import { createReadStream } from "node:fs";
import { WorldError } from "../core/base/errors.ts";
import { cpuEfficiency, type RunLumiEvents, type StepReport } from "../submit-dir/reports/step-report.ts";
import { command } from "./command.ts";
import { count } from "./view/text.ts";

/** What cmsRun says of itself, for somebody who has only its report. */
export const addFjr = command("fjr <file>", {
  about: "what a FrameworkJobReport.xml says: time, memory, events, errors",
  options: {},
  json: "for programs",
  examples: ["wms2 fjr FrameworkJobReport.xml", "wms2 fjr FrameworkJobReport.xml --json"],
  more: "Reads reports of any size and release. One that was cut short is reported as 50115, with the error it still names.",
  async run(_call, file: string) {
    const report = await readReport(file);
    return { json: plain(report), page: () => page(report) };
  },
});

async function readReport(file: string): Promise<StepReport> {
  const { FjrReader } = await import("../submit-dir/reports/read-fjr.ts");
  const reader = new FjrReader();
  try {
    for await (const chunk of createReadStream(file, "utf8")) reader.write(chunk);
  } catch (error) {
    throw new WorldError("not-found", file, `${file} cannot be read`, { cause: error, hint: "give a file's path" });
  }
  return reader.end();
}

const lumis = (all: RunLumiEvents) =>
  Object.fromEntries([...all].map(([run, own]) => [run, Object.fromEntries(own)] as const));

const plain = ({ lumisRead, outputs, ...report }: StepReport) => ({
  ...report,
  cpuEfficiency: cpuEfficiency({ ...report }),
  lumisRead: lumis(lumisRead),
  outputs: outputs.map((output) => ({ ...output, lumis: lumis(output.lumis) })),
});

function page(report: StepReport): string {
  const { code, hint, errors, outputs, skippedFiles } = report;
  const efficiency = cpuEfficiency(report);
  const shown = (value: number | null, unit: string) => (value === null ? "not measured" : `${value} ${unit}`);
  return [
    `code      ${code}${hint === null ? "" : ` (cut short; it names ${hint})`}`,
    `time      ${shown(report.wallSec, "s")}, CPU ${shown(report.cpuSec, "s")} on ${count(report.threads, "thread")}${efficiency === null ? "" : `, ${Math.round(efficiency * 100)} % busy`}`,
    `memory    ${shown(report.peakRssMb, "MB RSS")}${report.peakPssMb === null ? "" : `, ${report.peakPssMb} MB PSS`}`,
    `events    ${shown(report.eventsRead, "read")}${report.eventsPerSec === null ? "" : `, ${report.eventsPerSec} per second`}`,
    ...outputs.map(({ module, file, events }) => `wrote     ${events ?? "?"} events by ${module} to ${file}`),
    ...skippedFiles.map((file) => `skipped   ${file}`),
    ...errors.map(({ code, type, message }) => `error     ${code} ${type}: ${message.split("\n").at(-1)?.trim()}`),
  ].join("\n");
}
