import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AUTH, fakeApi, TOKEN } from "../../../tests/support/api-fakes.ts";
import { generation, makeWorld } from "../../../tests/support/world.ts";

/**
 * Whatever is asked of whichever route, with words that are nearly right: the answer fits its schema or is a problem
 * of the caller's, never a bug. Over the real lifecycle and a real store, with a request that is held and one that runs.
 */
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
}

/** An API with something behind it, what may be asked of it, and ids of what is there. */
async function prepare() {
  const world = await makeWorld();
  const { store, engine, commands, ports } = world;
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  await store.settings.addToken({ sha256, name: "ann", at: ports.clock.now() });
  const { app } = fakeApi({ store, engine, commands, clock: ports.clock });
  const name = await world.submit(generation("r", 3));
  for (let pass = 0; pass < 5; pass++) await world.pass();
  world.engine.fail(3, {});
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.submit(generation("s", 2));
  for (let pass = 0; pass < 3; pass++) await world.pass();
  const { id, currentDagId } = await world.workflow(name);
  const ids = ["r", "s", id, currentDagId ?? "", "north", "mg_000000", "proc_000000", "mg_000000:merge"];
  await app.ready();
  const { paths, components } = app.swagger() as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, unknown> };
  };
  const keysOf = (part: unknown): string[] => {
    const refs = [...JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    return [part, ...refs.map(([, ref = ""]) => components.schemas[ref])].flatMap((each) =>
      Object.keys(propertiesIn(each)),
    );
  };
  const operations = Object.entries(paths)
    .filter(([path]) => !path.endsWith("/events"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase() as "GET",
        path,
        query: parameters.filter((each) => each.in === "query").map((each) => each.name),
        body: keysOf(requestBody),
      })),
    );
  return { app, operations, ids };
}

/** All properties that a schema names, at whatever depth. */
function propertiesIn(part: unknown): Record<string, unknown> {
  if (part === null || typeof part !== "object") return {};
  const { properties = {}, ...rest } = part as { properties?: Record<string, unknown> };
  return Object.assign({ ...properties }, ...Object.values({ ...rest, ...properties }).map(propertiesIn));
}

const word = fc.oneof(
  fc.constantFrom(
    "true",
    "false",
    "0",
    "-1",
    "100",
    "failed",
    "held",
    "north",
    "release",
    "a b",
    "%",
    "../x",
    "é\u0000",
  ),
  fc.string({ maxLength: 12 }),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  word,
  fc.constantFrom<unknown>(null, true, 0, 1, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER),
  fc.array(word, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("name", "node", "action", "status", "reason", "x"), word, { maxKeys: 3 }),
);
const question = fc.record({
  at: fc.nat(),
  ids: fc.array(fc.oneof({ arbitrary: fc.nat(100), weight: 5 }, { arbitrary: word, weight: 1 }), {
    minLength: 3,
    maxLength: 3,
  }),
  query: fc.array(fc.tuple(fc.nat(100), word), { maxLength: 3 }),
  body: fc.array(fc.tuple(fc.nat(100), value), { maxLength: 4 }),
  raw: fc.option(fc.oneof(fc.string(), fc.json()), { freq: 8 }),
});

test("any question gets an answer that fits, or is told what is wrong with it", { timeout: 120_000 }, async () => {
  const { app, operations, ids } = await prepare();
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const { method, path, query, body } = operations[asked.at % operations.length]!;
      const places = asked.ids.values();
      const url = path.replaceAll(/\{\w+\}/g, () => {
        const place = places.next().value ?? 0;
        return encodeURIComponent(typeof place === "number" ? (ids[place % ids.length] ?? "") : place || "-");
      });
      const named = query.length
        ? asked.query.map(([at, text]): [string, string] => [query[at % query.length]!, text])
        : [];
      const parts = body.length ? asked.body.map(([at, part]) => [body[at % body.length], part]) : [];
      const payload = asked.raw ?? JSON.stringify(Object.fromEntries(parts));
      const answer = await app.inject({
        method,
        url: `${url}?${new URLSearchParams(named)}`,
        headers: { ...AUTH, "content-type": "application/json" },
        ...(method === "GET" ? {} : { payload }),
      });
      expect(answer.statusCode, `${method} ${url}: ${answer.body.slice(0, 500)}`).toBeLessThan(500);
      if (answer.statusCode >= 400)
        expect(answer.headers["content-type"], `${method} ${url}`).toContain("application/problem+json");
    }),
    { numRuns: Number(process.env.WMS2_LAW_RUNS ?? 400) },
  );
});

/** Where a database, a date, an array or a file has its end, one on each side of it. */
const NUMBERS = [
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  8_640_000_000_001,
  2 ** 53,
  "9223372036854775808",
  "1e308",
  "0.5",
];

test("a number of any size, in whatever field of whichever operation, is answered or refused", {
  timeout: 120_000,
}, async () => {
  const { app, operations, ids } = await prepare();
  const broken: string[] = [];
  const ask = async (method: "GET", url: string, payload?: object): Promise<void> => {
    const answer = await app.inject({ method, url, headers: AUTH, ...(payload && { payload }) });
    if (answer.statusCode >= 500)
      broken.push(`${method} ${url} ${JSON.stringify(payload ?? "")}: ${answer.statusCode}`);
  };
  for (const { method, path, query, body } of operations) {
    const places = path.match(/\{\w+\}/g) ?? [];
    const filled = (place: string, text: unknown) =>
      path.replaceAll(/\{\w+\}/g, (each) =>
        encodeURIComponent(each === place ? String(text) : ids[path.includes("dag") ? 3 : 0]!),
      );
    for (const number of NUMBERS) {
      for (const place of places) await ask(method, filled(place, number), method === "GET" ? undefined : {});
      for (const key of query)
        await ask(method, `${filled("", "")}?${key}=${number}`, method === "GET" ? undefined : {});
      for (const key of method === "GET" ? [] : body)
        await ask(method, filled("", ""), {
          reason: "a test",
          [key]: number,
          ...(key !== "reason" && { dry_run: true }),
        });
    }
  }
  expect(broken).toEqual([]);
});

test("several fields at once, each as odd as can be, are answered or refused", { timeout: 120_000 }, async () => {
  const { app, operations, ids } = await prepare();
  const odd = fc.oneof(fc.constantFrom<unknown>(...NUMBERS, null, true, "", [], {}, "r", "north", "failed"), value);
  const combination = fc.record({
    at: fc.nat(),
    fields: fc.uniqueArray(fc.tuple(fc.nat(200), odd), { minLength: 2, maxLength: 5, selector: ([key]) => key }),
    isDry: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(combination, async ({ at, fields, isDry }) => {
      const { method, path, query, body } = operations[at % operations.length]!;
      const url = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(ids[path.includes("dag") ? 3 : 0]!));
      const some = (keys: readonly string[]) =>
        keys.length > 0 ? fields.map(([key, part]): [string, unknown] => [keys[key % keys.length]!, part]) : [];
      const named = some(query).map(([key, part]): [string, string] => [
        key,
        typeof part === "string" ? part : JSON.stringify(part),
      ]);
      const payload = { reason: "a test", ...Object.fromEntries(some(body)), ...(isDry && { dry_run: true }) };
      const answer = await app.inject({
        method,
        url: `${url}?${new URLSearchParams(named)}`,
        headers: AUTH,
        ...(method !== "GET" && { payload }),
      });
      const asked = `${method} ${url} ${JSON.stringify([named, payload])}`;
      expect(answer.statusCode, `${asked}: ${answer.body.slice(0, 500)}`).toBeLessThan(500);
    }),
    { numRuns: Number(process.env.WMS2_LAW_RUNS ?? 400) },
  );
});
