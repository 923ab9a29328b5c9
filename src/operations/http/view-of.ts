import { z } from "zod";
import { jsonValue } from "../../core/base/json.ts";
import { big } from "../wire.ts";

type Camel<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K;
/** The domain value whose wire form is V: the same fields in camelCase; a time may be a Date, a big number a bigint. */
export type Source<V> = unknown extends V
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
 * How a domain value is shown to callers, by the schema of its wire form: exactly the fields of the schema, in its order,
 * each from the field of the same name in camelCase; dates as ISO text, bigints as JSON can hold them. Worked out once
 * for a schema, not for each value.
 */
export function viewOf<S extends z.ZodType>(schema: S): (from: Source<z.output<S>>) => z.output<S> {
  const convert = converter(schema) ?? ((value: unknown) => value);
  return convert as (from: Source<z.output<S>>) => z.output<S>;
}

type Row = Record<string, unknown>;
type Convert = (value: never) => unknown;

/** Which field of a row comes from which, and how; worked out before the first row. */
function copier(schema: z.ZodObject): (from: Row) => Row {
  const fields = Object.entries(schema.shape).map(([key, type]) => ({
    key,
    source: key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    convert: converter(type as z.ZodType),
  }));
  return (from) => {
    const row: Row = {};
    for (const { key, source, convert } of fields) row[key] = convert ? convert(from[source] as never) : from[source];
    return row;
  };
}

/** null: the value goes out as it is. */
function converter(schema: z.core.$ZodType): Convert | null {
  if (schema === big) return (value: bigint | number) => (typeof value === "bigint" ? jsonValue(value) : value);
  if (schema instanceof z.ZodISODateTime)
    return (at: Date | string) => (typeof at === "string" ? at : at.toISOString());
  if (schema instanceof z.ZodObject) return copier(schema);
  if (schema instanceof z.ZodNullable) {
    const inner = converter(schema.unwrap());
    return inner && ((value: unknown) => (value === null ? null : inner(value as never)));
  }
  if (schema instanceof z.ZodOptional) {
    const inner = converter(schema.unwrap());
    return inner && ((value: unknown) => (value === undefined ? undefined : inner(value as never)));
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
