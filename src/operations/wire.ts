import { z } from "zod";

export const time = z.iso.datetime();
export const whole = z.int().min(0);
/** 64-bit: a number while it is safe, a string of digits above 2^53 - 1. */
export const big = z.union([z.int(), z.string().regex(/^-?\d+$/)]);
export const byWord = z.record(z.string(), z.int());
/** What others wrote and we hand on as it is. */
export const anything = z.record(z.string(), z.unknown());
export const strings = z.array(z.string());

/** Several fields of one type. */
export const each = <T extends z.ZodType, const N extends string>(type: T, ...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, type])) as Record<N, T>;

/** Exactly these fields, under a name of their own in the docs. */
export const named = <F extends z.core.$ZodLooseShape>(id: string, fields: F) => z.strictObject(fields).meta({ id });

/** The fields of a page of such items. */
export const paged = <S extends z.ZodType>(item: S) => ({
  items: z.array(item),
  next_cursor: z.string().nullable().describe("Give it as ?cursor= for the next page; null: this is the last"),
});
export const pageOf = <S extends z.ZodType>(id: string, item: S) => named(id, paged(item));
