import {
  type Interval,
  timeLevels,
  writeDate,
  writeDuration,
  writeInterval,
  writeMonth,
  writeYear,
  yearOf,
} from "../../core/calendar.ts";
import type { Component, Product, SegmentsWork } from "../../core/segments.ts";
import { formatValue, type Pattern, parsePattern } from "../graph/placeholders.ts";

/** What texts may have in braces, by where they stand. docs/segments.md says what each of them is. */
const OF_INTERVALS = ["experiment", "date", "first", "last", "first_year", "year", "span"] as const;
const OF_PRODUCTS = [...OF_INTERVALS, "component", "product", "frequency", "length"] as const;
const OF_FILES = ["inputs", "output", "outputs"] as const;
export const PLACEHOLDERS = {
  history: OF_INTERVALS,
  transfer: [...OF_INTERVALS, "output"],
  path: OF_PRODUCTS,
  run: [...OF_PRODUCTS, "levels", ...OF_FILES],
  levels: [...OF_PRODUCTS, "levels", "output"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What is wrong with a text; null: nothing. {inputs} and {outputs} are as many words as there are, so they stand alone. */
export function faultOf(text: string, known: readonly string[]): string | null {
  const pattern = parsePattern(text);
  if ("why" in pattern) return pattern.why;
  for (const piece of pattern) {
    if (typeof piece === "string") continue;
    if (!known.includes(piece.name))
      return `{${piece.name}} is not known here: ${known.map((name) => `{${name}}`).join(" ")}`;
    if (isList(piece.name) && text !== `{${piece.name}}`) return `{${piece.name}} must be a word of its own`;
    if (piece.format !== "" && !NUMBERS.includes(piece.name))
      return `{${piece.name}} is not a number and takes no format`;
  }
  return null;
}
const isList = (name: string): boolean => name === "inputs" || name === "outputs";
const NUMBERS = ["first_year", "year", "levels"];

type Values = Readonly<Record<string, string>>;

/** A text, ready to be filled again and again; what intake refused stands as it was written. */
export function textOf(text: string): (values: Values) => string {
  const parsed = parsePattern(text);
  const pattern: Pattern = "why" in parsed ? [text] : parsed;
  return (values) => {
    let filled = "";
    for (const piece of pattern)
      filled += typeof piece === "string" ? piece : (formatValue(values[piece.name] ?? "", piece.format) ?? "");
    return filled;
  };
}

export const intervalValues = ({ experiment, startDay }: SegmentsWork, interval: Interval) => ({
  experiment,
  date: writeDate(interval.from, startDay),
  first: writeMonth(interval.from),
  last: writeMonth(interval.to - 1),
  first_year: writeYear(yearOf(interval.from)),
  year: writeYear(yearOf(interval.to - 1)),
  span: writeInterval(interval),
});

export const productValues = (work: SegmentsWork, component: Component, product: Product, interval: Interval) =>
  Object.assign(intervalValues(work, interval), {
    component: component.name,
    product: product.name,
    frequency: product.frequency,
    length: writeDuration(product.lengthMonths),
    levels: String(levelsOf(work, product, interval)),
  });

/** Time levels of a product: all of a series; of an average, those of one year. */
export const levelsOf = ({ calendar }: SegmentsWork, { family, frequency }: Product, { from, to }: Interval): number =>
  timeLevels(frequency, { from, to: family === "ts" ? to : Math.min(to, from + 12) }, calendar);

/** A command with its values. Files are words of their own, whatever is in their names. */
export const fillCommand = (
  argv: readonly string[],
  values: Values,
  { inputs, outputs }: { readonly inputs: readonly string[]; readonly outputs: readonly string[] },
): readonly string[] =>
  argv.flatMap((word) => {
    if (word === "{inputs}") return inputs;
    if (word === "{outputs}") return outputs;
    return textOf(word)({ ...values, output: outputs[0] ?? "" });
  });
