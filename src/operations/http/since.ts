import { usageError } from "./problem.ts";

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };

/** A time, or how long ago: 30m, 8h, 2d. */
export function sinceWhen(text: string, now: Date): Date {
  const [, number, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const at = number === undefined ? new Date(text) : new Date(now.getTime() - Number(number) * UNIT_MS[unit]!);
  const isTime = number !== undefined || /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);
  if (isTime && at.getTime() > 0) return at;
  throw usageError("bad query", {
    path: "since",
    message: `"${text}" is no time`,
    allowed: "a time like 2026-11-16T08:00:00Z, or how long ago: 30m, 8h, 2d",
  });
}
