/** Durations and sizes as people write them. A number without its unit is not understood, on purpose. */
export const DURATION_FORMS = '"30 s", "20 min", "8 h", "2 d" or "1 h 30 min"';
export const SIZE_FORMS = '"500 MB", "4 GB", "1.5 TB" (powers of 1000) or "512 MiB", "2 GiB" (powers of 1024)';

type Units = ReadonlyMap<string, number>;

/** How much each of the words stands for. */
const unitsOf = (...rows: readonly [amount: number, words: string][]): Units =>
  new Map(rows.flatMap(([amount, words]) => words.split(" ").map((word) => [word, amount] as const)));

const SECONDS = unitsOf(
  [0.001, "ms"],
  [1, "s sec second seconds"],
  [60, "m min minute minutes"],
  [3600, "h hour hours"],
  [86_400, "d day days"],
);
const BYTES = new Map([
  ...["b", "kb", "mb", "gb", "tb", "pb"].map((word, power) => [word, 1000 ** power] as const),
  ...["b", "kib", "mib", "gib", "tib", "pib"].map((word, power) => [word, 1024 ** power] as const),
]);

const PART = /^\s*(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z]{1,8})(?=[\s\d]|$)\s*/;

function sumOfParts(text: string, units: Units): number | null {
  if (text.length > 60) return null;
  let rest = text;
  let sum = 0;
  for (let parts = 0; rest.trim() !== ""; parts++) {
    const match = PART.exec(rest);
    const unit = match ? units.get(match[2]!.toLowerCase()) : undefined;
    if (match === null || unit === undefined || parts === 4) return null;
    sum += Number(match[1]) * unit;
    rest = rest.slice(match[0].length);
  }
  return text.trim() === "" ? null : sum;
}

/** Seconds, or null when this is no duration. */
export const parseDuration = (text: string): number | null => sumOfParts(text, SECONDS);

/** Bytes, or null when this is no size. */
export const parseSize = (text: string): number | null => sumOfParts(text, BYTES);
