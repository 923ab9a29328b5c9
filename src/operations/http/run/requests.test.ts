import { afterEach, describe, expect, test } from "vitest";
import { AUTH, fakeApi, fakeCommands, fakeStore } from "../../../../tests/support/api-fakes.ts";
import { sampleRequest, sampleSpec } from "../../../../tests/support/api-samples.ts";
import { err } from "../../../core/base/result.ts";
import type { RequestName } from "../../../core/names.ts";
import type { RequestRecord } from "../../../core/request.ts";
import type { Commands } from "../../handlers/port.ts";

let apps: { close(): Promise<unknown> }[] = [];
const api = (parts: Parameters<typeof fakeApi>[0] = {}) => {
  const { app } = fakeApi(parts);
  apps.push(app);
  return app;
};
afterEach(async () => {
  await Promise.all(apps.map((app) => app.close()));
  apps = [];
});

const named = (name: string, over: Partial<RequestRecord> = {}, previous: string | null = null): RequestRecord =>
  sampleRequest({
    ...over,
    spec: sampleSpec({ name: name as RequestName, previousVersion: previous as RequestName | null }),
  });

describe("the list", () => {
  const many = Array.from({ length: 250 }, (_, i) => named(`r${i}`, i % 2 ? { status: "held" } : {}));

  test("pages through everything, by cursor and by link", async () => {
    const app = api({ store: fakeStore(many) });
    const names: string[] = [];
    let url: string | null = "/api/v1/requests?limit=100&status=active&status=held";
    while (url) {
      const answer: Awaited<ReturnType<typeof app.inject>> = await app.inject(url);
      names.push(...answer.json().items.map((row: { request_name: string }) => row.request_name));
      const link = answer.headers.link as string | undefined;
      expect(link === undefined).toBe(answer.json().next_cursor === null);
      url = link ? /<(.*)>; rel="next"/.exec(link)![1]! : null;
    }
    expect(names).toEqual(many.map((record) => record.spec.name));
  });

  test("a cursor is of no use with other filters", async () => {
    const app = api({ store: fakeStore(many) });
    const cursor = (await app.inject("/api/v1/requests?limit=10&status=held")).json().next_cursor;
    expect((await app.inject(`/api/v1/requests?limit=50&status=held&cursor=${cursor}`)).statusCode).toBe(200);
    expect((await app.inject(`/api/v1/requests?limit=10&cursor=${cursor}`)).statusCode).toBe(400);
    expect((await app.inject(`/api/v1/workflows?limit=10&cursor=${cursor}`)).statusCode).toBe(400);
  });

  test("filters reach the store", async () => {
    const seen: unknown[] = [];
    const list = async (filter: unknown) => {
      seen.push(filter);
      return { items: [], nextCursor: null };
    };
    const app = api({ store: fakeStore([], { requests: { list } }) });
    await app.inject("/api/v1/requests?status=held&requestor=alice&campaign=c&name=mu&limit=5");
    expect(seen).toEqual([{ status: ["held"], requestor: "alice", campaign: "c", nameContains: "mu", limit: 5 }]);
  });

  test("leaves out what is big", async () => {
    const row = (await api().inject("/api/v1/requests")).json().items[0];
    expect(row).not.toHaveProperty("spec");
  });
});

describe("one request", () => {
  test("its version is the ETag", async () => {
    const answer = await api().inject("/api/v1/requests/muons-2026");
    expect(answer.headers.etag).toBe('"7"');
    expect(answer.json()).toMatchObject({ status: "active", workflow: { round: 1 }, version: 7 });
  });

  test("what it asked for and used is a picture, with or without anything measured", async () => {
    const app = api({ store: fakeStore([sampleRequest(), named("young")]) });
    const drawn = await app.inject("/api/v1/requests/muons-2026/metrics.svg");
    expect([drawn.statusCode, drawn.headers["content-type"]]).toEqual([200, "image/svg+xml"]);
    expect(drawn.body).toMatch(/^<svg .*muons-2026: asked for and used, by round.*<\/svg>\n$/s);
    expect(drawn.body.match(/fill="#2563eb"/g)?.length).toBeGreaterThan(1);
    expect((await app.inject("/api/v1/requests/young/metrics.svg")).body).not.toContain("#2563eb");
    expect((await app.inject("/api/v1/requests/unknown/metrics.svg")).statusCode).toBe(404);
  });

  test("outputs are paged, and none before there is a workflow", async () => {
    const app = api({ store: fakeStore([sampleRequest(), named("young")]) });
    const first = (await app.inject("/api/v1/requests/muons-2026/outputs?limit=2")).json();
    expect(first.items.map((file: { lfn: string }) => file.lfn)).toEqual(["/hits/a.csv", "/hits/b.csv"]);
    const rest = await app.inject(`/api/v1/requests/muons-2026/outputs?limit=2&cursor=${first.next_cursor}`);
    expect(rest.json()).toMatchObject({ items: [{ lfn: "/hits/c.csv" }], next_cursor: null });
    expect((await app.inject("/api/v1/requests/young/outputs")).json()).toEqual({ items: [], next_cursor: null });
  });
});

describe("submission", () => {
  const post = (app: ReturnType<typeof api>, type: string | undefined, payload: string | Buffer, query = "") =>
    app.inject({
      method: "POST",
      url: `/api/v1/requests${query}`,
      headers: { ...AUTH, ...(type && { "content-type": type }) },
      payload,
    });
  const recording = () => {
    const seen: { text: string; format: string; actor: string }[] = [];
    const commands = fakeCommands({
      submit: async (document, actor) => {
        seen.push({ ...document, actor });
        return fakeCommands().submit(document, actor);
      },
    });
    return { seen, app: api({ commands }) };
  };

  test.each([
    ["application/json", '{"events": 9007199254740993,\n "events": 2}', "json"],
    ["application/json; charset=utf-8", "{", "json"],
    ["application/yaml", "name: é\n# comment", "yaml"],
    ["text/yaml", "a: 1", "yaml"],
    ["application/x-yaml", "a: 1", "yaml"],
  ])("%s arrives as it was written", async (type, text, format) => {
    const { app, seen } = recording();
    const answer = await post(app, type, text);
    expect(seen).toEqual([{ text, format, actor: "operator" }]);
    expect(answer.statusCode).toBe(201);
    expect(answer.headers).toMatchObject({ location: "/api/v1/requests/muons-2026", etag: '"1"' });
    expect(answer.json()).toMatchObject({
      request_name: "muons-2026",
      status: "submitted",
      warnings: ["check the sites"],
    });
  });

  test.each<[string, string | undefined, string | Buffer, number]>([
    ["a form", "application/x-www-form-urlencoded", "a=1", 415],
    ["no type", undefined, "a: 1", 415],
    ["nothing", "application/json", "", 400],
    ["blanks", "application/yaml", " \n ", 400],
    ["not UTF-8", "application/json", Buffer.from([0x22, 0xff, 0x22]), 400],
    ["too much", "application/json", Buffer.alloc(12_000_001, 32), 413],
  ])("%s is refused", async (_name, type, payload, status) => {
    const { app, seen } = recording();
    const answer = await post(app, type, payload);
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ status, code: "bad-usage" });
    expect(seen).toEqual([]);
  });

  test("11 MB are taken", async () => {
    const { app } = recording();
    expect((await post(app, "application/json", `"${"x".repeat(11_000_000)}"`)).statusCode).toBe(201);
  });

  test("all problems are told; a taken name is a conflict; both on a dry run too", async () => {
    const problems = [
      { path: "split.files_per_job", message: "is 0", allowed: "at least 1" },
      { path: "color", message: "unknown key", allowed: null, line: 7 },
    ];
    const refuse = (error: Parameters<typeof err>[0]) => async () => err(error) as never;
    for (const query of ["", "?dry_run=true"]) {
      const bad = refuse({ kind: "problems", problems });
      const answer = await post(
        api({ commands: fakeCommands({ submit: bad, check: bad }) }),
        "text/yaml",
        "a: 1",
        query,
      );
      expect(answer.statusCode).toBe(422);
      expect(answer.headers["content-type"]).toBe("application/problem+json");
      expect(answer.json()).toMatchObject({ code: "bad-request", detail: "the request has 2 problems", problems });
      const taken = refuse({ kind: "name-taken", name: "x" });
      const conflict = api({ commands: fakeCommands({ submit: taken, check: taken }) });
      expect((await post(conflict, "text/yaml", "a: 1", query)).json()).toMatchObject({
        status: 409,
        code: "conflict",
      });
    }
  });

  test("a dry run stores nothing", async () => {
    const { app, seen } = recording();
    const answer = await post(app, "text/yaml", "a: 1", "?dry_run=true");
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      dry_run: true,
      already: false,
      request: null,
      warnings: [],
      preview: null,
      name: null,
      taken: false,
      spec: null,
      work: null,
    });
    expect(seen).toEqual([]);
    expect((await post(app, "text/yaml", "a: 1", "?dry_run=yes")).statusCode).toBe(400);
  });
});

describe("changes", () => {
  const patch = (commands: Partial<Commands>, headers: Record<string, string> = {}) =>
    api({ commands: fakeCommands(commands) }).inject({
      method: "PATCH",
      url: "/api/v1/requests/muons-2026",
      headers: { ...AUTH, ...headers },
      payload: { priority: 5 },
    });

  test.each<[string | undefined, number | null]>([
    [undefined, null],
    ["*", null],
    ['"7"', 7],
    ["7", 7],
  ])("If-Match %s is version %s", async (header, version) => {
    let seen: unknown;
    const reprioritise: Commands["reprioritise"] = async (_name, _change, by) => {
      seen = by;
      return { kind: "changed", request: sampleRequest({ version: 8 }), message: "priority 1 → 2" };
    };
    const answer = await patch({ reprioritise }, header ? { "if-match": header } : {});
    expect(answer.headers.etag).toBe('"8"');
    expect(seen).toEqual({ actor: "operator", version, dryRun: false });
  });

  test("an If-Match that is no ETag of ours is refused", async () => {
    expect((await patch({}, { "if-match": '"abc"' })).statusCode).toBe(400);
  });

  test.each<[Awaited<ReturnType<Commands["reprioritise"]>>, number, string]>([
    [{ kind: "unknown-request" }, 404, "not-found"],
    [{ kind: "not-allowed", reason: "it is completed" }, 409, "conflict"],
    [{ kind: "stale", request: sampleRequest({ version: 9 }) }, 412, "stale"],
  ])("%o", async (outcome, status, code) => {
    const answer = await patch({ reprioritise: async () => outcome });
    expect(answer.json()).toMatchObject({ status, code });
    if (outcome.kind === "stale") expect(answer.headers.etag).toBe('"9"');
  });

  test("abort keeps who and why", async () => {
    const app = api();
    const abort = (payload: object) =>
      app.inject({ method: "POST", url: "/api/v1/requests/muons-2026/abort", headers: AUTH, payload });
    const answer = await abort({ reason: "enough" });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ action: "abort", already: false, dry_run: false });
    expect(answer.json().request.wish).toMatchObject({ actor: "operator", reason: "enough" });
    expect((await abort({})).statusCode).toBe(400);
    const url = "/api/v1/requests/muons-2026";
    const deleted = await app.inject({ method: "DELETE", url, headers: AUTH });
    expect(deleted.json().wish.reason).toBe("deleted by operator");
  });
});
