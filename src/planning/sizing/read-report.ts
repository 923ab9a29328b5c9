import { isRow, parseJson, type Row } from "../../core/base/json.ts";
import { MEMORY_SOURCES, type MemorySource } from "../../core/metrics.ts";
import type { MeasuredJob, MeasuredStep } from "./metrics.ts";

/**
 * report.json of a job that succeeded, as measurements. Its worker may be of another version and its text anything: what is no
 * number is not measured. `planned`: the events it was to do, which say more than those a filter left. null: it is no report.
 */
export function readReport(text: string, planned: number | null): MeasuredJob | null {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRow(parsed.value)) return null;
  const report = parsed.value;
  const events = amount(planned) ?? amount(report.eventsRead) ?? amount(report.eventsWritten);
  const sizes = rows(report.outputs).map(({ sizeBytes }) => amount(sizeBytes));
  const outputBytes = sizes.some((size) => size !== null)
    ? sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    : null;
  return {
    steps: rows(report.steps).flatMap((step) => readStep(step, events)),
    wallSec: amount(report.wallSec),
    memoryMb: amount(report.peakMemoryMb),
    // What it leaves is the least it had on its disk.
    diskMb: outputBytes === null ? null : outputBytes / 1e6,
    events,
    outputBytes,
  };
}

function readStep(step: Row, events: number | null): readonly MeasuredStep[] {
  if (typeof step.name !== "string" || step.name === "") return [];
  const isSource = (value: unknown): value is MemorySource => MEMORY_SOURCES.some((one) => one === value);
  return [
    {
      name: step.name,
      wallSec: amount(step.wallSec),
      cpuSec: amount(step.cpuSec),
      threads: Math.min(MOST_THREADS, Math.max(1, Math.round(amount(step.threads) ?? 1))),
      instances: Math.min(MOST_THREADS, Math.max(1, Math.round(amount(step.instances) ?? 1))),
      memoryMb: amount(step.peakMemoryMb),
      memorySource: isSource(step.memorySource) ? step.memorySource : "process-tree",
      events: amount(step.eventsRead) ?? events,
      startSec: amount(step.startSec),
    },
  ];
}
const MOST_THREADS = 1024;

const rows = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);
const amount = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
