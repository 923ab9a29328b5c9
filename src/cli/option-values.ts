import { InvalidArgumentError } from "commander";
import { WorldError } from "../core/base/errors.ts";
import { parseDuration, parseSize, SIZE_FORMS } from "../intake/reading/units.ts";

/** What people type after an option, as values; a bad one is refused with what would be good. */

export function wholeNumber(word: string): number {
  if (/^\d{1,9}$/.test(word) && Number(word) > 0) return Number(word);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

export function number(word: string): number {
  if (word.trim() !== "" && Number.isFinite(Number(word))) return Number(word);
  throw new InvalidArgumentError("It must be a number.");
}

export function days(word: string): number {
  if (Number(word) > 0) return Number(word);
  throw new InvalidArgumentError("It must be a number of days, more than 0.");
}

export function megabytes(word: string): number {
  const bytes = parseSize(word);
  if (bytes !== null && bytes >= 1e6) return Math.ceil(bytes / 1e6);
  throw new InvalidArgumentError(`It must be a size with its unit: ${SIZE_FORMS}.`);
}

export function minutes(word: string): number {
  const seconds = parseDuration(word);
  if (seconds !== null && seconds > 0) return Math.ceil(seconds / 60);
  throw new InvalidArgumentError('It must be a time with its unit: "90 min", "8 h".');
}

const FILTER_KEYS: readonly string[] = [
  "status",
  "hold",
  "wait",
  "needs",
  "campaign",
  "requestor",
  "name",
  "text",
  "kind",
  "code",
  "site",
  "file",
];

/** `status=held campaign=Run2026A` as the API's filter; a status, a hold or a wait may come several times. */
export function filterBody(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  const filter: Record<string, string | string[]> = {};
  for (const word of pairs) {
    const at = word.indexOf("=");
    const key = word.slice(0, at);
    const value = word.slice(at + 1);
    if (at < 1 || !FILTER_KEYS.includes(key) || value === "")
      throw new WorldError("bad-usage", "--filter", `--filter does not understand "${word}"`, {
        hint: `for example: --filter status=held campaign=Run2026A (${FILTER_KEYS.join(", ")})`,
      });
    if (key === "status" || key === "hold" || key === "wait")
      filter[key] = [...((filter[key] as string[] | undefined) ?? []), ...value.split(",")];
    else filter[key] = value;
  }
  return filter;
}

/** The fields that were said at all. */
export const given = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
