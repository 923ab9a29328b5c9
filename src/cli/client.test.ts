import { afterEach, expect, test, vi } from "vitest";
import { joined, makeClient } from "./client.ts";

afterEach(() => vi.unstubAllGlobals());

const NUMBERS = [1, 2, 3, 4, 5];

/** Two numbers a page, or fewer when fewer are asked for. */
async function ask(cursor: string | undefined, left: number) {
  const from = Number(cursor ?? 0);
  const to = from + Math.min(2, left);
  const odd = NUMBERS.slice(from, to).filter((number) => number % 2 === 1);
  return { items: NUMBERS.slice(from, to), odd, open: to, next_cursor: to < NUMBERS.length ? String(to) : null };
}

test("pages as one: their lists one after another, all else as the last page says it", async () => {
  expect(await joined(ask)).toEqual({ items: NUMBERS, odd: [1, 3, 5], open: 6, next_cursor: null });
});

test("there are more when it was enough before the last page", async () => {
  expect(await joined(ask, 3)).toEqual({ items: [1, 2, 3], odd: [1, 3], open: 3, next_cursor: "3" });
  expect(await joined(ask, 5)).toMatchObject({ items: NUMBERS, next_cursor: null });
});

test("an operation's input goes where its entry in the table says: path, query, body", async () => {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (url: string, { method, body }: { method: string; body: string | null }) => {
    asked.push(`${method} ${url}`, body);
    return new Response("{}", { headers: { "wms2-instance": "i" } });
  });
  const client = makeClient(() => ({ url: "http://here", token: null }));
  await client.requests.list({ status: ["held", "queued"], limit: 5 });
  await client.sites.ban({ name: "T2/x", reason: "down", dry_run: true });
  await client.requests.submit({ body: { name: "r", events: 9_007_199_254_740_993n } });
  await client.tokens.remove({ id: "ann" });
  expect(asked).toEqual([
    "GET http://here/api/v1/requests?limit=5&status=held&status=queued",
    null,
    "POST http://here/api/v1/sites/T2%2Fx/ban?dry_run=true",
    '{"reason":"down"}',
    "POST http://here/api/v1/requests",
    '{"name":"r","events":"9007199254740993"}',
    "DELETE http://here/api/v1/tokens/ann",
    null,
  ]);
  expect(client.instance).toBe("i");
});
