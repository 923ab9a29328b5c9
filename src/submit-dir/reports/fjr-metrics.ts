import type { StepReport, StepStorage } from "./step-report.ts";

/** summary → name → value, over all PerformanceReports of a job report: newer releases write one for each service. */
export class FjrMetrics {
  readonly #values = new Map<string, Map<string, string>>();

  /** Of one that is told twice, the last that is a number. */
  add(summary: string, name: string, value: string): void {
    const own = this.#values.get(summary) ?? new Map<string, string>();
    if (own.has(name) && numberOf(value) === null) return;
    this.#values.set(summary, own.set(name, value));
  }

  /** null: it is not there, or no number: "nan", free text. */
  number(summary: string, name: string): number | null {
    return numberOf(this.#values.get(summary)?.get(name));
  }

  names(summary: string): Iterable<string> {
    return this.#values.get(summary)?.keys() ?? [];
  }
}

/** "   0", "1e+06", "-nan": as cmsRun prints numbers. */
export function numberOf(text: string | undefined): number | null {
  const trimmed = text?.trim() ?? "";
  const value = trimmed === "" ? Number.NaN : Number(trimmed);
  return Number.isFinite(value) ? value : null;
}

type Measured = Pick<
  StepReport,
  | "wallSec"
  | "cpuSec"
  | "threads"
  | "streams"
  | "peakRssMb"
  | "peakPssMb"
  | "peakVsizeMb"
  | "eventsPerSec"
  | "initSec"
  | "loopSec"
  | "storage"
>;

export function measuredBy(metrics: FjrMetrics): Measured {
  const timing = (name: string) => metrics.number("Timing", name);
  const memory = (name: string) => positive(metrics.number("ApplicationMemory", name));
  const cpu = timing("TotalJobCPU");
  const children = timing("TotalJobChildrenCPU") ?? 0;
  const threads = Math.max(1, timing("NumberOfThreads") ?? 1);
  return {
    wallSec: positive(timing("TotalJobTime")),
    cpuSec: cpu === null ? null : cpu + children,
    threads,
    streams: Math.max(1, timing("NumberOfStreams") ?? threads),
    peakRssMb: memory("PeakValueRss"),
    peakPssMb: memory("LargestRssEvent-h-PSS"),
    peakVsizeMb: memory("PeakValueVsize"),
    eventsPerSec: positive(timing("EventThroughput")),
    initSec: timing("TotalInitTime"),
    loopSec: timing("TotalLoopTime"),
    storage: storageOf(metrics),
  };
}

/** A service that saw no event reports zero: that is not a measurement. */
const positive = (value: number | null): number | null => (value !== null && value > 0 ? value : null);

const READS = /^Timing-([^-]+)-read-numOperations$/;

/** Of the way the input was read by, the first that was used at all; "tstoragefile" is the layer above all of them. */
function storageOf(metrics: FjrMetrics): StepStorage | null {
  const value = (name: string) => metrics.number("StorageStatistics", name) ?? 0;
  for (const name of metrics.names("StorageStatistics")) {
    const technology = READS.exec(name)?.[1];
    if (technology === undefined || technology === "tstoragefile" || value(name) === 0) continue;
    const of = (call: string, what: string) => value(`Timing-${technology}-${call}-${what}`);
    const readMb = of("read", "totalMegabytes") + of("readv", "totalMegabytes");
    const readSec = (of("read", "totalMsecs") + of("readv", "totalMsecs")) / 1000;
    return { technology, readMb, readSec, readMbPerSec: readSec > 0 ? readMb / readSec : null };
  }
  return null;
}
