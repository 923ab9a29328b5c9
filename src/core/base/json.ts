/**
 * JSON with 64-bit numbers: a bigint is written as a number while it is safe (at most 2^53 - 1) and as a
 * string above, and read back by `toBigInt`. Keys keep the order the code wrote them in.
 */
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export function jsonValue(value: bigint): number | string {
  return value <= SAFE && value >= -SAFE ? Number(value) : value.toString();
}

export function stringify(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? jsonValue(item) : item), indent);
}

export function toBigInt(value: number | string | bigint): bigint {
  return BigInt(value);
}

/** Parses text that came from outside: a value or the parser's words, never an exception. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false; error: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** A JSON object, of which nothing more is known. */
export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);
