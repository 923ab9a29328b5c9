import { expect, test } from "vitest";
import { z } from "zod";
import { anything, big, strings, time } from "../wire.ts";
import { viewOf } from "./view-of.ts";

const inner = z.strictObject({ memory_mb: z.number(), next_first_event: big });
const schema = z.strictObject({
  request_name: z.string(),
  created_at: time,
  ended_at: time.nullable().describe("null: it runs"),
  events_done: big,
  inner,
  none: inner.nullable(),
  maybe: inner.optional(),
  missing: inner.optional(),
  list: z.array(inner),
  by_role: z.record(z.string(), inner),
  detail: anything,
  names: strings,
  ended_because: z.string().nullable(),
});
const at = new Date("2026-11-15T12:00:00.000Z");
const source = {
  requestName: "r",
  createdAt: at,
  endedAt: at,
  eventsDone: 9_007_199_254_740_993n,
  inner: { memoryMb: 1, nextFirstEvent: 5n, secret: "not in the schema" },
  none: null,
  maybe: { memoryMb: 4, nextFirstEvent: 8n },
  list: [{ memoryMb: 2, nextFirstEvent: 6n }],
  byRole: { by_any_name: { memoryMb: 3, nextFirstEvent: 7n } },
  detail: { camelCase: { as_it: "is" } },
  names: ["a"] as readonly string[],
  endedBecause: "enough",
};

test("a value by its schema: its fields in its order, renamed and converted", () => {
  const view = viewOf(schema);
  const expected = {
    request_name: "r",
    created_at: "2026-11-15T12:00:00.000Z",
    ended_at: "2026-11-15T12:00:00.000Z",
    events_done: "9007199254740993",
    inner: { memory_mb: 1, next_first_event: 5 },
    none: null,
    maybe: { memory_mb: 4, next_first_event: 8 },
    list: [{ memory_mb: 2, next_first_event: 6 }],
    by_role: { by_any_name: { memory_mb: 3, next_first_event: 7 } },
    detail: { camelCase: { as_it: "is" } },
    names: ["a"],
    ended_because: "enough",
  };
  expect(JSON.stringify(view(source))).toBe(JSON.stringify(expected));
  expect(schema.parse(view({ ...source, endedAt: null })).ended_at).toBeNull();
});

test("what the source lacks is an error of types", () => {
  const view = viewOf(z.strictObject({ memory_mb: z.number(), at: time }));
  // @ts-expect-error memoryMb is missing
  view({ memory_mb: 3, at });
  // @ts-expect-error memoryMb is no text
  view({ memoryMb: "3", at });
  expect(view({ memoryMb: 3, at })).toEqual({ memory_mb: 3, at: at.toISOString() });
});
