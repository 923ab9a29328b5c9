import type { Form } from "../intake/form.ts";
import { shown } from "../intake/notes.ts";
import type { NumberTest } from "./scenario.ts";

export const NUMBER_FORMS = '3, "1-2", ">2", ">=2", "<5" or "<=5"';

export function parseNumberTest(value: unknown): NumberTest | null {
  if (typeof value === "number" && Number.isFinite(value)) return { text: String(value), min: value, max: value };
  if (typeof value !== "string" || value.length > 40) return null;
  const range = /^(\d+)\s*-\s*(\d+)$/.exec(value);
  if (range) return { text: value, min: Number(range[1]), max: Number(range[2]) };
  const side = /^(>=|<=|>|<)\s*(\d+)$/.exec(value);
  if (!side) return null;
  const number = Number(side[2]);
  const above = { ">=": number, ">": number + 1 }[side[1]!];
  const below = { "<=": number, "<": number - 1 }[side[1]!];
  return { text: value, min: above ?? Number.NEGATIVE_INFINITY, max: below ?? Number.POSITIVE_INFINITY };
}

export const passes = (test: NumberTest | null, value: number): boolean =>
  test === null || (value >= test.min && value <= test.max);

export function readNumberTest(form: Form, key: string): NumberTest | null {
  const spot = form.spot(key);
  if (spot === null) return null;
  const test = parseNumberTest(spot.value);
  if (test === null) form.notes.problem(spot.path, `is no number or range (got ${shown(spot.value)})`, NUMBER_FORMS);
  return test;
}
