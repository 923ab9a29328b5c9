import type { Sample } from "../../core/metrics.ts";
import { median } from "./sample.ts";

/** What memory does with the number of threads. */
interface MemoryModel {
  readonly baseMb: number;
  readonly perThreadMb: number;
}

/** The line through the medians, weighted by jobs. null: only one number of threads was seen, or more of them took less. */
export function memoryModel(byThreads: Readonly<Record<string, Sample>>): MemoryModel | null {
  const points = Object.entries(byThreads).map(([threads, sample]) => ({
    x: Number(threads),
    y: median(sample),
    weight: sample.jobs,
  }));
  if (points.length < 2) return null;
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + point.weight * of(point), 0) / total;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const perThreadMb = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  return perThreadMb >= 0 ? { baseMb: Math.max(0, y - perThreadMb * x), perThreadMb } : null;
}
