import { type Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";
import { didYouMean } from "./spelling.ts";

export { isRow, type Row } from "../../core/base/json.ts";

/** A long list of keys, as text. */
export const keysIn = (text: string): readonly string[] => text.trim().split(/\s+/);

export interface Range {
  readonly min: number;
  /** Instead of min, where the border itself is not allowed. */
  readonly above?: number;
  readonly max: number;
}

export const MAX_INT64 = 2n ** 63n - 1n;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * A value and where it stands in the document, by the key that was really written. Its readers note what is wrong with
 * it and then answer null.
 */
export class Spot {
  readonly path: string;
  readonly value: unknown;
  readonly notes: Notes;

  constructor(path: string, value: unknown, notes: Notes) {
    this.path = path;
    this.value = value;
    this.notes = notes;
  }

  problem(message: string, allowed: string | null = null): null {
    this.notes.problem(this.path, message, allowed);
    return null;
  }

  mustBe(what: string, allowed: string | null = null): null {
    return this.problem(`must be ${what} (got ${shown(this.value)})`, allowed);
  }

  /** None of the known ones, though perhaps one of them was meant. */
  unknown(complaint: string, known: readonly string[], allowed = known.join(", ")): null {
    const hint = typeof this.value === "string" ? didYouMean(this.value, known) : "";
    return this.problem(`${shown(this.value)} ${complaint}${hint}`, allowed);
  }

  /** One of the known ones; those that come later have another message than those nobody ever heard of. */
  oneOf<T extends string>(known: readonly T[], complaint: string, toCome: readonly string[] = []): T | null {
    const found = known.find((word) => word === this.value);
    if (found !== undefined) return found;
    if (!toCome.includes(this.value as string)) return this.unknown(complaint, known);
    return this.problem(`${shown(this.value)} comes later`, known.join(", "));
  }

  child(key: string | number, value: unknown): Spot {
    return new Spot(childPath(this.path, key), value, this.notes);
  }

  /** The entries of a list; a single value is not a list. `casts`: text with commas will do, and entries of digits. */
  list(max: number, casts = false): readonly Spot[] {
    const value = casts ? castList(this.value) : this.value;
    if (!Array.isArray(value)) this.mustBe("a list");
    else if (value.length <= max) return value.map((item, index) => this.child(index, item));
    else this.problem(`has ${value.length} entries; at most ${max} are allowed`);
    return [];
  }

  /** Text of one line, at most 1000 characters unless the pattern says otherwise. `rule`: the pattern for people. */
  text(pattern?: RegExp, rule: string | null = null): string | null {
    const { value } = this;
    if (typeof value !== "string") {
      const quotes = typeof value === "number" || typeof value === "boolean" ? "; put it in quotes" : "";
      return this.problem(`must be text (got ${shown(value)})${quotes}`, rule);
    }
    if (pattern !== undefined)
      return pattern.test(value) ? value : this.problem(`is not allowed (got ${shown(value)})`, rule);
    if (value.length > 1000) return this.problem(`is too long: ${value.length} characters, at most 1000`);
    return CONTROL.test(value) ? this.mustBe("one line without control characters") : value;
  }

  /** `casts`: digits as text will do. */
  number({ min, above, max }: Range, casts: boolean): number | null {
    const { value } = this;
    const isDigits = casts && typeof value === "string" && DIGITS.test(value.trim());
    const number = isDigits ? Number(value) : value;
    if (typeof number === "bigint") return this.mustBe(`at most ${max}`);
    if (typeof number !== "number") return this.mustBe("a number");
    const broken =
      above !== undefined && number <= above
        ? `above ${above}`
        : number < min
          ? `at least ${min}`
          : number > max
            ? `at most ${max}`
            : null;
    return broken === null ? number : this.problem(`must be ${broken} (got ${number})`);
  }

  /** A 64-bit whole number from `min`: a number, or text with its digits (which JSON of others may need). */
  bigInteger(min: bigint): bigint | null {
    const { value } = this;
    const isWhole =
      typeof value === "bigint" ||
      (typeof value === "number" && Number.isInteger(value)) ||
      (typeof value === "string" && /^-?\d{1,30}$/.test(value));
    if (!isWhole) return this.mustBe("a whole number");
    if (typeof value === "number" && !Number.isSafeInteger(value))
      return this.problem(`lost digits on its way (got ${shown(value)}); write numbers above 2^53 as text`);
    const number = BigInt(value as bigint | number | string);
    if (number < min) return this.problem(`must be at least ${min} (got ${number})`);
    return number > MAX_INT64 ? this.mustBe(`at most ${MAX_INT64}`) : number;
  }
}

const DIGITS = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(e[+-]?\d{1,2})?$/i;

/** "[1, 2]", "a,b" and "a" are lists to ReqMgr2; whole numbers in them may be text. */
function castList(value: unknown): unknown {
  const items = typeof value === "string" ? value.replaceAll(/^\s*\[|\]\s*$|["'\s]/g, "").split(",") : value;
  if (!Array.isArray(items)) return items;
  const given = items.length === 1 && items[0] === "" ? [] : items;
  return given.map((item) => (typeof item === "string" && /^\d{1,15}$/.test(item) ? Number(item) : item));
}

/** The values that are as they should be, each once; the others are complained about. */
export function distinct<T>(
  spots: readonly Spot[],
  isGood: (value: unknown) => value is T,
  complain: (spot: Spot) => void,
): T[] {
  const good = new Set<T>();
  for (const spot of spots) {
    if (isGood(spot.value)) good.add(spot.value);
    else complain(spot);
  }
  return [...good];
}

/** No two things of a kind may have the same name. */
export function refuseTwins(names: readonly Spot[]): void {
  const seen = new Set<unknown>();
  for (const name of names) {
    if (seen.has(name.value)) name.problem(`${shown(name.value)} is used twice; names must differ`);
    seen.add(name.value);
  }
}
