import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { AUTH, type FakeApi, fakeApi, fakeCommands, fakeStore, TOKEN } from "../../../tests/support/api-fakes.ts";
import { DAG_ID, WORKFLOW_ID } from "../../../tests/support/api-samples.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import { InvariantError, WorldError } from "../../core/base/errors.ts";
import type { Commands } from "../handlers/port.ts";

let open: FakeApi[] = [];
const api = (parts: Parameters<typeof fakeApi>[0] = {}) => {
  const made = fakeApi(parts);
  open.push(made);
  return made.app;
};
afterEach(async () => {
  await Promise.all(open.map(({ app }) => app.close()));
  open = [];
});

const READS = [
  "/requests",
  "/requests/muons-2026",
  "/requests/muons-2026/transitions",
  "/requests/muons-2026/versions",
  "/requests/muons-2026/outputs",
  "/workflows",
  `/workflows/${WORKFLOW_ID}`,
  `/workflows/${WORKFLOW_ID}/status`,
  "/dags",
  `/dags/${DAG_ID}`,
  `/dags/${DAG_ID}/nodes`,
  `/dags/${DAG_ID}/units`,
  `/dags/${DAG_ID}/logs`,
  "/admission/queue",
  "/admission/config",
  "/sites",
  "/sites/north",
  "/audit",
  "/requests/muons-2026/audit",
  "/lifecycle/status",
  "/status",
  "/metrics",
];
const CHANGES: [method: "POST" | "PATCH" | "DELETE", path: string, body: object | undefined, status: number][] = [
  ["POST", "/requests", { name: "x" }, 201],
  ["PATCH", "/requests/muons-2026", { priority: 1 }, 200],
  ["POST", "/requests/muons-2026/abort", { reason: "enough" }, 202],
  ["POST", "/requests/muons-2026/release", undefined, 202],
  ["POST", "/requests/muons-2026/stop?dry_run=true", { reason: "look only" }, 200],
  ["DELETE", "/requests/muons-2026", undefined, 202],
  ["PATCH", "/admission/config", { max_active_dags: 5 }, 200],
  ["PATCH", "/sites/north", { status: "disabled" }, 200],
  ["POST", "/sites/north/drain", undefined, 200],
  ["POST", "/sites/north/enable", { note: "back" }, 200],
  ["POST", "/sites/north/disable", {}, 200],
];

describe("who may ask", () => {
  test.each(READS)("GET %s is open on loopback, closed elsewhere", async (path) => {
    const url = `/api/v1${path}`;
    expect((await api().inject(url)).statusCode).toBe(200);
    expect((await api().inject({ url, headers: { host: "evil.example" } })).statusCode).toBe(401);
    const guarded = api({ requireAuthForReads: true });
    const refused = await guarded.inject(url);
    expect(refused.statusCode).toBe(401);
    expect(refused.headers["www-authenticate"]).toBe('Bearer realm="wms2"');
    expect((await guarded.inject({ url, headers: AUTH })).statusCode).toBe(200);
  });

  test.each(CHANGES)("%s %s needs the operator token", async (method, path, payload, status) => {
    const app = api();
    const ask = (headers: Record<string, string>) =>
      app.inject({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
    expect((await ask({})).statusCode).toBe(401);
    const wrong = await ask({ authorization: "Bearer guess" });
    expect(wrong.statusCode).toBe(401);
    expect(wrong.headers["www-authenticate"]).toContain("invalid_token");
    expect(wrong.json()).toMatchObject({ code: "unauthenticated", status: 401 });
    expect((await ask({ authorization: `Basic ${TOKEN}` })).statusCode).toBe(401);
    expect((await ask(AUTH)).statusCode).toBe(status);
  });

  test("health never needs a token, and the docs are open", async () => {
    const app = api({ requireAuthForReads: true });
    expect((await app.inject("/api/v1/health")).statusCode).toBe(200);
    expect((await app.inject("/api/v1/openapi.json")).statusCode).toBe(200);
    expect((await app.inject("/docs/")).statusCode).toBe(200);
  });

  test("a token is asked for once in a while, not at every change", async () => {
    let asked = 0;
    const findToken = async () => {
      asked += 1;
      return { name: "operator" };
    };
    const app = api({ store: fakeStore(undefined, { settings: { findToken } }) });
    for (let i = 0; i < 3; i++) await app.inject({ method: "DELETE", url: "/api/v1/requests/x", headers: AUTH });
    expect(asked).toBe(1);
  });
});

describe("what is refused", () => {
  test.each([
    ["limit=-1", "limit", "a whole number, 1…1000; 100 when left out"],
    ["limit=0", "limit", "a whole number"],
    ["limit=1001", "limit", "a whole number"],
    ["limit=abc", "limit", "a whole number"],
    ["limit=1.5", "limit", "a whole number"],
    ["limit=1&limit=2", "limit", "a whole number"],
    ["cursor=garbage", "cursor", "next_cursor of the page before"],
    ["cursor=%00%ff", "cursor", "next_cursor of the page before"],
    ["status=done", "status", "one or more of new, submitted"],
    ["status=active&status=odd", "status", "one or more of"],
    ["color=red", "color", "limit, cursor, status, hold, wait, requestor, campaign, name"],
    ["name=", "name", "a part of the name"],
  ])("GET /requests?%s", async (query, path, allowed) => {
    const answer = await api().inject(`/api/v1/requests?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.json()).toMatchObject({ code: "bad-usage", status: 400, title: "Bad usage" });
    expect(answer.json().problems[0]).toMatchObject({ path, allowed: expect.stringContaining(allowed) });
  });

  test.each([
    ["GET", "/api/v1/requests/unknown", 404],
    ["GET", "/api/v1/requests/unknown/versions", 404],
    ["GET", "/api/v1/requests/unknown/transitions", 404],
    ["GET", "/api/v1/requests/unknown/outputs", 404],
    ["GET", "/api/v1/dags?request=unknown", 404],
    ["GET", "/api/v1/requests/..%2F..%2Fetc%2Fpasswd", 400],
    ["GET", `/api/v1/requests/${"x".repeat(201)}`, 400],
    ["GET", "/api/v1/workflows/1", 404],
    ["GET", "/api/v1/workflows/a%20b", 400],
    ["GET", `/api/v1/workflows/${DAG_ID}`, 404],
    ["GET", `/api/v1/dags/${WORKFLOW_ID}`, 404],
    ["GET", "/api/v1/sites/south", 404],
    ["POST", "/api/v1/sites/south/drain", 404],
    ["GET", "/api/v1/nothing", 404],
    ["GET", "/nothing", 404],
    ["PUT", "/api/v1/requests", 404],
    ["GET", "/api/v1/requests/%zz", 400],
  ] as const)("%s %s is a problem with status %i", async (method, url, status) => {
    const answer = await api().inject({ method, url, headers: AUTH });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.json()).toMatchObject({ status, type: expect.stringMatching(/^urn:wms2:problem:/) });
    expect(answer.json().hint).not.toBe("");
  });

  test("a body that is wrong says so", async () => {
    const app = api();
    const patch = (payload: string) =>
      app.inject({
        method: "PATCH",
        url: "/api/v1/requests/muons-2026",
        headers: { ...AUTH, "content-type": "application/json" },
        payload,
      });
    expect((await patch("{")).json()).toMatchObject({ status: 400, code: "bad-usage" });
    expect((await patch("{}")).json().detail).toContain("nothing to change");
    expect((await patch("")).statusCode).toBe(400);
    expect((await patch('{"priority":-1}')).json().problems[0].allowed).toBe("a whole number, 0…999999");
    expect((await patch('{"status":"held"}')).json().problems[0]).toMatchObject({ path: "status", message: "unknown" });
  });
});

/** What the server answers to bytes on a connection. */
async function answerTo(bytes: string, app: FakeApi["app"]): Promise<{ head: string; body: string }> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(bytes);
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  return { head, body };
}

test.each([
  ["no HTTP at all", "hello\r\n\r\n", 400],
  ["an unknown method", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
  ["too long headers", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ["two lengths", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
  ["no host", "GET /api/v1/requests HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  ["an expectation", "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nConnection: close\r\n\r\n", 417],
  ["a method nobody serves", "PROPFIND / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404],
])("%s is a problem of the caller's, in the usual form", async (_story, bytes, status) => {
  const { head, body } = await answerTo(bytes, api());
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain("content-type: application/problem+json");
  expect(JSON.parse(body)).toMatchObject({ status, type: expect.stringMatching(/^urn:wms2:problem:/) });
});

describe("what fails", () => {
  test("every answer of 500 or more is in the log, and no token is", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    const list = async () => Promise.reject(Object.assign(new Error("write failed"), { code: "ENOSPC" }));
    const app = api({ logger, store: fakeStore(undefined, { requests: { list } }) });
    const answer = await app.inject({ url: `/api/v1/requests?name=${TOKEN}`, headers: AUTH });
    expect(answer.json()).toMatchObject({ status: 507, code: "disk-unwritable", detail: "the disk is full" });
    const down = async () => Promise.reject(new WorldError("store-unreachable", "db", "no answer"));
    const sick = api({ logger, store: fakeStore(undefined, { ping: down }) });
    expect((await sick.inject("/api/v1/health")).statusCode).toBe(503);
    await app.inject({ method: "DELETE", url: `/api/v1/requests/muons-2026?token=${TOKEN}`, headers: AUTH });
    expect(lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "api.failed")).toMatchObject([
      { status: 507, url: "/api/v1/requests", err: { message: "write failed" } },
      { status: 503, url: "/api/v1/health" },
    ]);
    expect(lines.join("")).not.toContain(TOKEN);
  });

  const failing = (error: unknown) =>
    api({ store: fakeStore(undefined, { requests: { list: async () => Promise.reject(error) } }) });

  test("a store that is away is 503, soon, and worth another try", async () => {
    const answer = await failing(new WorldError("store-unreachable", "db", "no answer from db")).inject(
      "/api/v1/requests",
    );
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBe("5");
    expect(answer.json()).toMatchObject({ code: "store-unreachable", detail: "no answer from db" });
  });

  test("a store that hangs is 503 too", async () => {
    const list = () => new Promise<never>(() => {});
    const app = api({ store: fakeStore(undefined, { requests: { list } }), tuning: { answerMs: 30 } });
    const answer = await app.inject("/api/v1/requests");
    expect(answer.json()).toMatchObject({ status: 503, detail: "no answer in time" });
  });

  test("a deadline holds after the body was read, and work ends when its caller leaves", async () => {
    const ends: unknown[] = [];
    let began = () => {};
    const check = (_document: unknown, _actor: string, signal?: AbortSignal) => {
      began();
      return new Promise<never>((_, reject) =>
        signal?.addEventListener("abort", () => {
          ends.push((signal.reason as Error).message);
          reject(signal.reason);
        }),
      );
    };
    const commands = { ...fakeCommands(), check } as Commands;
    const post = { method: "POST", headers: { ...AUTH, "content-type": "application/json" }, body: "{}" };
    const hasty = api({ commands, tuning: { answerMs: 50 } });
    const late = await fetch(`${await hasty.listen({ port: 0 })}/api/v1/requests?dry_run=true`, post);
    expect(await late.json()).toMatchObject({ status: 503, detail: "no answer in time" });
    expect(ends).toEqual(["no answer in time"]);

    const patient = api({ commands });
    const leave = new AbortController();
    const hasBegun = new Promise<void>((resume) => {
      began = resume;
    });
    const left = fetch(`${await patient.listen({ port: 0 })}/api/v1/requests?dry_run=true`, {
      ...post,
      signal: leave.signal,
    });
    await hasBegun;
    expect(ends).toHaveLength(1);
    leave.abort();
    await expect(left).rejects.toThrow();
    await eventually("the work ends", () => ends[1] === "the caller left");
  });

  test("a bug is 500 without its stack; the message of an unknown error stays inside", async () => {
    const bug = await failing(new InvariantError("units went backwards", { secret: 1 })).inject("/api/v1/requests");
    expect(bug.statusCode).toBe(500);
    expect(bug.json()).toMatchObject({ code: "bug", detail: "units went backwards" });
    expect(bug.body).not.toContain("secret");
    const strange = await failing(new TypeError("password=hunter2")).inject("/api/v1/requests");
    expect(strange.statusCode).toBe(500);
    expect(strange.body).not.toContain("hunter2");
  });
});

test("answers carry the headers a browser should obey", async () => {
  const { headers } = await api().inject("/api/v1/requests");
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "content-type": "application/json; charset=utf-8",
  });
});

test("the OpenAPI document names every route and every view", async () => {
  const document = (await api().inject("/api/v1/openapi.json")).json();
  const paths = Object.keys(document.paths);
  for (const path of ["/api/v1/requests", "/api/v1/requests/{name}", "/api/v1/dags/{id}/logs", "/metrics"]) {
    expect(paths).toContain(path);
  }
  expect(document.components.schemas).toHaveProperty("RequestDetail");
  expect(document.components.schemas).not.toHaveProperty("RequestDetailInput");
  expect(document.components.schemas).toHaveProperty("Problem");
  expect(document.paths["/api/v1/requests"].post.security).toEqual([{ operator: [] }]);
});
