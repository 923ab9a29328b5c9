import { z } from "zod";

export const time = z.iso.datetime();
export const whole = z.int().min(0);
/** 64-bit: a number while it is safe, a string of digits above 2^53 - 1. */
export const big = z.union([z.int(), z.string().regex(/^-?\d+$/)]);
export const byWord = z.record(z.string(), z.int());

export const pageOf = <S extends z.ZodType>(id: string, item: S) =>
  z
    .strictObject({
      items: z.array(item),
      next_cursor: z.string().nullable().describe("Give it as ?cursor= for the next page; null: this is the last"),
    })
    .meta({ id });
