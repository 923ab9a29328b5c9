import { Form } from "../../src/intake/reading/form.ts";
import { shown } from "../../src/intake/reading/notes.ts";

/** What the readers of a scenario's parts share. */

export const DAY = 86_400;
export const SPAN = { min: 0, max: 400 * DAY };

/** The rows of a list, each read by its own form; `what` and `example` say what a row should have been. */
export function readRows<T>(
  top: Form,
  { key, max, what, example }: { key: string; max: number; what: string; example: string },
  read: (form: Form, index: number) => T,
): readonly T[] {
  return top.list(key, max).flatMap((spot, index) => {
    const form = Form.at(spot, what, example);
    return form ? [closed(form, (row) => read(row, index))] : [];
  });
}

/** The entries of a map by name, each read by its own form. */
export function readMap<T>(section: Form, read: (name: string, form: Form) => T): readonly T[] {
  return closed(section, () =>
    Object.keys(section.row).map((name) => closed(section.section(name), (form) => read(name, form))),
  );
}

/** Reads, and complains about the keys nobody asked for. */
export function closed<T>(form: Form, read: (form: Form) => T): T {
  const value = read(form);
  form.close();
  return value;
}

export const textOrNull = (form: Form, key: string): string | null => form.text(key, "") || null;

/** Names with `*` for anything; a list: any of them. */
export function readPattern(form: Form, key: string): RegExp | null {
  const spot = form.spot(key);
  if (spot === null) return null;
  const words = Array.isArray(spot.value) ? spot.value : [spot.value];
  if (!words.every((word) => typeof word === "string" && word !== ""))
    return spot.mustBe("a name, * standing for anything");
  const parts = words.map((word: string) =>
    word
      .split("*")
      .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*"),
  );
  return new RegExp(`^(?:${parts.join("|")})$`);
}

/** "3", ">2", "<5", "1-2": a set of whole numbers as people write it. */
interface NumberTest {
  readonly text: string;
  readonly min: number;
  readonly max: number;
}

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
  const allowed = '3, "1-2", ">2", ">=2", "<5" or "<=5"';
  return parseNumberTest(spot.value) ?? spot.problem(`is no number or range (got ${shown(spot.value)})`, allowed);
}
