import { MAX_DEPTH, TOO_DEEP } from "./nesting.ts";
import type { Notes } from "./notes.ts";
import { childPath } from "./paths.ts";
import { MAX_VALUES } from "./read-json.ts";

/** Each key nobody asked for is compared with all that are known. */
const MAX_KEYS = 5000;
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/**
 * A copy of a document that is surely plain: maps, lists, text, finite numbers, bigints, true, false, null. Text that
 * no database would take (NUL, half of a surrogate pair) and `__proto__` are problems; cycles end at the depth
 * limit. After this, reading needs no further care about what a value really is.
 */
export function plainData(document: unknown, notes: Notes): unknown {
  let values = 0;
  const refuse = (path: string, message: string): null => {
    notes.problem(path, message);
    return null;
  };
  const copy = (value: unknown, path: string, depth: number): unknown => {
    values += 1;
    if (values > MAX_VALUES) return null;
    if (depth > MAX_DEPTH) return refuse(path, `is ${TOO_DEEP}`);
    switch (typeof value) {
      case "boolean":
      case "bigint":
        return value;
      case "number":
        return Number.isFinite(value) ? value : refuse(path, `must be an ordinary number (got ${value})`);
      case "string":
        if (isStorable(value)) return value;
        return refuse(path, "contains a character that cannot be stored (NUL or half a surrogate pair)");
      case "undefined":
        return null;
      case "object":
        return value === null ? null : copyObject(value, path, depth);
      default:
        return refuse(path, `must be plain data (got a ${typeof value})`);
    }
  };
  const copyObject = (value: object, path: string, depth: number): unknown => {
    if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, childPath(path, index), depth + 1));
    const kind: unknown = Object.getPrototypeOf(value);
    if (kind !== Object.prototype && kind !== null)
      return refuse(path, "must be plain data: a map, a list, text, a number, true or false");
    const row: Record<string, unknown> = {};
    const keys = Object.keys(value);
    if (keys.length > MAX_KEYS) return refuse(path, `has ${keys.length} keys; at most ${MAX_KEYS}`);
    for (const key of keys) {
      if (key === "__proto__" || !isStorable(key)) refuse(childPath(path, key), "is not allowed as a key");
      else row[key] = copy((value as Record<string, unknown>)[key], childPath(path, key), depth + 1);
    }
    return row;
  };
  const result = copy(document, "", 0);
  if (values > MAX_VALUES) refuse("", `holds more than ${MAX_VALUES} values`);
  return result;
}

const isStorable = (text: string): boolean => !text.includes("\0") && !LONE_SURROGATE.test(text);

/** Data to be carried as it is: bigints become text, as everywhere beyond 2^53. */
export function carried(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(carried);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, carried(item)]));
}
