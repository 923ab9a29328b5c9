import { digitsAt, parseDecimal, writeDecimal } from "./decimal.ts";

/** A text with `{name}` and `{name:03d}` in it, taken apart. */
export type Pattern = readonly (string | Placeholder)[];
interface Placeholder {
  readonly name: string;
  /** As written after the colon; "": as it is. */
  readonly format: string;
}

export const PARAMETER = /^[A-Za-z_][A-Za-z0-9_]{0,59}$/;
export const PARAMETER_RULE = "letters, digits and '_', no digit first; at most 60 characters";
const PIECE = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]{0,59})(?::([^{}]{0,20}))?\}|[{}]/g;
const FORMAT = /^(0?)(\d{0,2})(?:(d)|(?:\.(\d{1,2}))?f)$/;
const BRACES = "{name} or {name:03d} stands for a parameter; a brace itself is written {{ or }}";

/** The pieces of a text, or what is wrong with it. */
export function parsePattern(text: string): Pattern | { readonly why: string } {
  const pieces: (string | Placeholder)[] = [];
  const add = (words: string): void => {
    const last = pieces.at(-1);
    if (typeof last === "string") pieces[pieces.length - 1] = last + words;
    else if (words !== "") pieces.push(words);
  };
  let at = 0;
  for (const match of text.matchAll(PIECE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [all, name, format = ""] = match;
    if (all === "{{" || all === "}}") add(all[0]!);
    else if (name === undefined) return { why: `has a ${all} on its own: ${BRACES}` };
    else if (format !== "" && !FORMAT.test(format))
      return { why: `{${name}:${format}} is no known format: {x:03d} for whole numbers, {x:.2f} for others` };
    else pieces.push({ name, format });
  }
  add(text.slice(at));
  return pieces;
}

/** A value as a format has it; null: it is not a number, or not a whole one. */
export function formatValue(value: string, format: string): string | null {
  if (format === "") return value;
  const [, zero = "", width = "", whole, places] = FORMAT.exec(format) ?? [];
  const number = parseDecimal(value.trim());
  if (number === null || (whole && number.places > 0)) return null;
  const wanted = whole ? 0 : Number(places ?? 6);
  const text = writeDecimal({ digits: digitsAt(number, wanted), places: wanted });
  if (zero === "") return text.padStart(Number(width));
  const sign = text.startsWith("-") ? "-" : "";
  return sign + text.slice(sign.length).padStart(Number(width) - sign.length, "0");
}
