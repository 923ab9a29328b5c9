import { MONTHS_FORMS, POINT_FORMS, parseMonths, parsePoint } from "../../core/calendar.ts";
import { shown } from "../../intake/reading/notes.ts";
import type { Spot } from "../../intake/reading/values.ts";

/** Whole months; null after a problem. */
export function readMonths(spot: Spot): number | null {
  const months = typeof spot.value === "string" ? parseMonths(spot.value) : null;
  return months ?? spot.mustBe("a duration in years or months", MONTHS_FORMS);
}

/** A year, month or date. As a number it has lost its zeros, so only those that have none are taken. */
export function readPoint(spot: Spot): ReturnType<typeof parsePoint> {
  const { value } = spot;
  const isWhole = typeof value === "number" && /^[1-9]\d{3}(\d\d){0,2}$/.test(String(value));
  const point = typeof value === "string" || isWhole ? parsePoint(String(value)) : null;
  if (point && point.day <= 28) return point;
  if (typeof value === "number")
    return spot.problem(`lost its zeros (got ${shown(value)}): put it in quotes`, POINT_FORMS);
  return spot.mustBe("a point in time, with a day up to 28", POINT_FORMS);
}
