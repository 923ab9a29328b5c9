import { expect, test } from "vitest";
import { AUTH, fakeApi, fakeStore, TOKEN } from "../../../tests/support/api-fakes.ts";
import { NOW } from "../../../tests/support/api-samples.ts";

/** An API off loopback whose store keeps sessions. */
function desk() {
  let now = NOW;
  const kept = new Map<string, Date>();
  const store = fakeStore(undefined, {
    settings: {
      addSession: async ({ sha256, until }) => void kept.set(sha256, until),
      findSession: async (sha256, at) => {
        const until = kept.get(sha256);
        return until && until > at ? { name: "operator", until } : null;
      },
      removeSession: async (sha256) => kept.delete(sha256),
    },
  });
  const { app } = fakeApi({ store, requireAuthForReads: true, clock: { now: () => now } });
  const ask = (
    method: "GET" | "POST" | "DELETE",
    path: string,
    headers: Record<string, string> = {},
    payload?: object,
  ) => app.inject({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
  const signIn = (token: string, headers = {}) => ask("POST", "/session", headers, { token });
  return { ask, signIn, later: (sec: number) => (now = new Date(now.getTime() + sec * 1000)) };
}
const cookieIn = (answer: { headers: Record<string, unknown> }): string =>
  String(answer.headers["set-cookie"]).split(";", 1)[0]!;

test("a browser signs in with the token, reads and changes with the cookie, and signs out", async () => {
  const { ask, signIn } = desk();
  const answer = await signIn(TOKEN);
  expect(answer.json()).toMatchObject({ actor: "operator", role: "operator", needs_token: true });
  expect(answer.headers["set-cookie"]).toMatch(
    /^wms2_session_80=[\w-]{32}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  expect(answer.body).not.toContain(TOKEN);
  const cookie = cookieIn(answer);
  expect((await ask("GET", "/whoami")).statusCode).toBe(401);
  expect((await ask("GET", "/whoami", { cookie })).json()).toMatchObject({ actor: "operator" });
  const own = { cookie, "wms2-desk": "1" };
  expect((await ask("POST", "/requests/muons-2026/stop", own, { reason: "x" })).statusCode).toBe(202);
  expect((await ask("DELETE", "/session", own)).json()).toEqual({ signed_out: true });
  expect((await ask("GET", "/whoami", { cookie })).statusCode).toBe(401);
});

test("two servers on one host do not sign each other out: the port is in the name, a proxy's path in the path", async () => {
  const [one, two] = [desk(), desk()];
  const at = (host: string, path = "1") => ({ host, "wms2-desk": path });
  const first = await one.signIn(TOKEN, at("localhost:8420"));
  const second = await two.signIn(TOKEN, at("localhost:8421"));
  // As a browser does: one jar for all ports of a host.
  const cookie = `${cookieIn(first)}; ${cookieIn(second)}`;
  expect((await one.ask("GET", "/whoami", { host: "localhost:8420", cookie })).statusCode).toBe(200);
  expect((await two.ask("GET", "/whoami", { host: "localhost:8421", cookie })).statusCode).toBe(200);
  const out = await one.ask("DELETE", "/session", { ...at("localhost:8420"), cookie });
  expect(out.json()).toEqual({ signed_out: true });
  expect(out.headers["set-cookie"]).toMatch(/^wms2_session_8420=; Path=\/; Max-Age=0;/);
  expect((await two.ask("GET", "/whoami", { host: "localhost:8421", cookie })).statusCode).toBe(200);
  const below = await one.signIn(TOKEN, at("tools.example", "/tools/wms2/"));
  expect(below.headers["set-cookie"]).toMatch(/^wms2_session=[\w-]+; Path=\/tools\/wms2\/;/);
  for (const odd of ["tools", "/a b/", "//x/", "/x; Domain=example/"])
    expect((await one.signIn(TOKEN, at("h", odd))).headers["set-cookie"]).toContain("; Path=/;");
});

test("behind a proxy that speaks TLS the cookie is for TLS only", async () => {
  const answer = await desk().signIn(TOKEN, { "x-forwarded-proto": "https" });
  expect(answer.headers["set-cookie"]).toMatch(/; Secure$/);
});

test("a change that comes from another page is refused, whatever cookie comes with it", async () => {
  const { ask, signIn } = desk();
  const cookie = cookieIn(await signIn(TOKEN));
  const change = (headers: Record<string, string>) => ask("POST", "/requests/muons-2026/stop", { cookie, ...headers });
  expect((await change({})).statusCode).toBe(401);
  expect((await change({ "wms2-desk": "1", "sec-fetch-site": "cross-site" })).statusCode).toBe(401);
  expect((await change({ "wms2-desk": "1", "sec-fetch-site": "same-site" })).statusCode).toBe(401);
  expect((await change({ "wms2-desk": "1", "sec-fetch-site": "same-origin" })).statusCode).toBe(202);
});

test("a session ends after twelve hours", async () => {
  const { ask, signIn, later } = desk();
  const cookie = cookieIn(await signIn(TOKEN));
  later(12 * 3600 - 1);
  expect((await ask("GET", "/whoami", { cookie })).statusCode).toBe(200);
  later(2);
  expect((await ask("GET", "/whoami", { cookie })).statusCode).toBe(401);
});

test("after ten wrong tokens an address waits for a minute, unless its token is right", async () => {
  const { signIn, later } = desk();
  for (let i = 0; i < 10; i++) expect((await signIn("guess")).statusCode).toBe(401);
  const refused = await signIn("guess");
  expect([refused.statusCode, refused.json().code]).toEqual([429, "too-many"]);
  expect((await signIn(TOKEN)).statusCode).toBe(200);
  expect((await signIn("guess")).statusCode).toBe(429);
  later(61);
  expect((await signIn("guess")).statusCode).toBe(401);
});

test("wrong tokens that come all at once are counted like any others; right ones are not", async () => {
  const { signIn } = desk();
  for (let i = 0; i < 20; i++) expect((await signIn(TOKEN)).statusCode).toBe(200);
  const answers = await Promise.all(Array.from({ length: 200 }, () => signIn("guess")));
  expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(190);
});

test("on loopback nobody has to say who they are, and who does is told", async () => {
  const { app } = fakeApi();
  expect((await app.inject("/api/v1/whoami")).json()).toMatchObject({ actor: null, role: "reader", version: "1.2.3" });
  expect((await app.inject({ url: "/api/v1/whoami", headers: AUTH })).json()).toMatchObject({ role: "operator" });
});
