import { z } from "zod";
import { jsonValue } from "../base/json.ts";

export const time = z.iso.datetime();
export const whole = z.int().min(0);
/** 64-bit: a number while it is safe, a string of digits above 2^53 - 1. */
export const big = z.union([z.int(), z.string().regex(/^-?\d+$/)]);
export const byWord = z.record(z.string(), z.int());
/** What others wrote and we hand on as it is. */
export const anything = z.record(z.string(), z.unknown());
export const strings = z.array(z.string());

/** Exactly these fields, under a name of their own in the docs. */
export const named = <F extends z.core.$ZodLooseShape>(id: string, fields: F) => z.strictObject(fields).meta({ id });

/** The fields of a page of such items. */
export const paged = <S extends z.ZodType>(item: S) => ({
  items: z.array(item),
  next_cursor: z.string().nullable().describe("Give it as ?cursor= for the next page; null: this is the last"),
});
export const pageOf = <S extends z.ZodType>(id: string, item: S) => named(id, paged(item));

/** The same value, not to be written to. */
type Fixed<V> = V extends object ? { readonly [K in keyof V]: Fixed<V[K]> } : V;
type Camel<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K;
/** The domain value whose wire form is V: the same fields in camelCase; a time may be a Date, a big number a bigint. */
type Source<V> = unknown extends V
  ? unknown
  : V extends string
    ? string extends V
      ? string | Date
      : V
    : V extends number
      ? number | bigint
      : V extends readonly unknown[]
        ? { readonly [K in keyof V]: Source<V[K]> }
        : V extends object
          ? string extends keyof V
            ? { readonly [K in keyof V]: Source<V[K]> }
            : { readonly [K in keyof V as Camel<K>]: Source<V[K]> }
          : V;

/**
 * How a domain value is told to callers, by the schema of its wire form: exactly the fields of the schema, in its order,
 * each from the field of the same name in camelCase; dates as ISO text, bigints as JSON can hold them. `own` tells
 * those fields that are named or made otherwise, in their final form. Worked out once for a schema, not for each value.
 */
export function viewOf<S extends z.ZodObject>(schema: S): (from: Source<z.output<S>>) => z.output<S>;
export function viewOf<S extends z.ZodObject, T, O extends Fixed<Partial<z.output<S>>>>(
  schema: S,
  own: (from: T) => O,
): (from: T & Source<Omit<z.output<S>, keyof O>>) => z.output<S>;
export function viewOf(schema: z.ZodObject, own?: (from: never) => object): (from: object) => object {
  const copy = copier(schema);
  return (from) => copy(from as Row, own?.(from as never) as Row | undefined);
}

type Row = Record<string, unknown>;
type Convert = (value: never) => unknown;

/** Which field of a row comes from which, and how; worked out before the first row. */
function copier(schema: z.ZodObject): (from: Row, own?: Row) => Row {
  const fields = Object.entries(schema.shape).map(([key, type]) => ({
    key,
    source: key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    convert: converter(type as z.ZodType),
  }));
  return (from, own) => {
    const row: Row = {};
    for (const { key, source, convert } of fields) {
      if (own && key in own) row[key] = own[key];
      else row[key] = convert ? convert(from[source] as never) : from[source];
    }
    return row;
  };
}

/** null: the value goes out as it is. */
function converter(schema: z.core.$ZodType): Convert | null {
  if (schema === big) return (value: bigint | number) => (typeof value === "bigint" ? jsonValue(value) : value);
  if (schema instanceof z.ZodISODateTime)
    return (at: Date | string) => (typeof at === "string" ? at : at.toISOString());
  if (schema instanceof z.ZodObject) {
    const copy = copier(schema);
    return (from: Row) => copy(from);
  }
  if (schema instanceof z.ZodNullable) {
    const inner = converter(schema.unwrap());
    return inner && ((value: unknown) => (value === null ? null : inner(value as never)));
  }
  if (schema instanceof z.ZodArray) {
    const inner = converter(schema.element);
    return inner && ((items: readonly never[]) => items.map(inner));
  }
  if (schema instanceof z.ZodRecord) {
    const inner = converter(schema.valueType);
    return (
      inner &&
      ((items: Record<string, never>) =>
        Object.fromEntries(Object.entries(items).map(([key, item]) => [key, inner(item)])))
    );
  }
  return null;
}
