import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CallOptions, call, lines, type Reply } from "../../../tests/support/emulated-call.ts";
import { type Emulated, startEmulators } from "../index.ts";

const RAW = "/PD/Era26-v1/RAW";
const SET = "/PD/Era26-Re-v1/AOD";
const BLOCK = `${SET}#6d5c`;
const enc = encodeURIComponent;
let emulated: Emulated;
let token = "";

beforeAll(async () => {
  emulated = await startEmulators({
    seed: {
      rses: {
        T1_US_X_Disk: { attributes: { tier: 1 } },
        T1_US_X_Tape: { type: "TAPE", attributes: { tier: 1 } },
        T2_CH_Y: { attributes: { tier: 2, dm_weight: 5 } },
        T2_DE_Z: { attributes: { tier: 2, cms_type: "test" } },
      },
      accounts: {
        wms2: { limits: { "*": null } },
        poor: { admin: true, limits: { T2_CH_Y: 1500 } },
        guest: { admin: false, limits: {} },
      },
      datasets: { [RAW]: { blocks: 1, files_per_block: 2, rses: ["T1_US_X_Tape", "T2_CH_Y"] } },
    },
  });
  token = await tokenOf("wms2");
});
afterAll(() => emulated.close());

async function tokenOf(account: string): Promise<string> {
  const reply = await call(emulated, "GET", `${emulated.urls.rucioAuth}/auth/x509`, {
    headers: { "x-rucio-account": account },
  });
  return String(reply.headers["x-rucio-auth-token"]);
}
/** The certificate is not shown to this host: a token is enough. */
const ask = (method: string, path: string, body?: unknown, headers: CallOptions["headers"] = {}): Promise<Reply> =>
  call(emulated, method, emulated.urls.rucio + path, {
    body,
    as: "none",
    headers: { "x-rucio-auth-token": token, ...headers },
  });
const said = ({ status, headers }: Reply): unknown[] => [status, headers.exceptionclass];
const did = (name: string): string => `/dids/cms/${enc(name)}`;
const names = (...all: readonly string[]) => all.map((name) => ({ scope: "cms", name }));

describe("tokens", () => {
  const auth = (path: string, options: CallOptions) => call(emulated, "GET", emulated.urls.rucioAuth + path, options);
  const account = { "x-rucio-account": "wms2" };

  test("come in headers, for an hour, with nothing in the body", async () => {
    const reply = await auth("/auth/x509_proxy", { headers: account });
    expect(reply).toMatchObject({ status: 200, text: "", headers: { "x-rucio-auth-account": "wms2" } });
    expect(reply.headers["x-rucio-auth-token-expires"]).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC$/);
    expect(reply.headers["x-rucio-auth-token"]).toMatch(
      /^wms2-\/O=WMS2 emulation\/CN=robot wms2-unknown-[0-9a-f]{32}$/,
    );
  });
  test.each([
    ["no certificate", { as: "none", headers: account }, 401],
    ["a certificate of yesterday", { as: "expired", headers: account }, 401],
    ["an unknown account", { headers: { "x-rucio-account": "nobody" } }, 401],
    ["several accounts to choose from", {}, 401],
    ["several accounts, and they may be told", { headers: { "x-rucio-allow-return-multiple-accounts": "true" } }, 206],
    ["JSON asked for", { headers: { ...account, accept: "application/json" } }, 406],
  ] as const)("%s", async (_what, options, status) => {
    expect((await auth("/auth/x509", options)).status).toBe(status);
  });
  test("without one, with a wrong one, after its hour", async () => {
    const bare = await call(emulated, "GET", `${emulated.urls.rucio}/rules/`);
    expect([...said(bare), bare.text]).toEqual([400, "ValueError", expect.stringContaining("Token must be set.")]);
    expect(said(await ask("GET", "/rules/", undefined, { "x-rucio-auth-token": "x" }))).toEqual([
      401,
      "CannotAuthenticate",
    ]);
    emulated.faults({ do: "expired-token", service: "rucio" });
    const old = token;
    token = await tokenOf("wms2");
    expect(said(await ask("GET", "/rules/"))).toEqual([401, "CannotAuthenticate"]);
    token = old;
    expect((await ask("GET", "/ping", undefined, {})).body).toEqual({ version: "41.0.0rc1" });
  });
});

describe("names", () => {
  const create = (name: string, type: string) =>
    ask("POST", did(name), { type, statuses: {}, meta: {}, rules: [], lifetime: null });

  test("are made once, fit their type, and only in scope cms", async () => {
    const made = await create(SET, "CONTAINER");
    expect([made.status, made.text]).toEqual([201, "Created"]);
    expect(said(await create(SET, "CONTAINER"))).toEqual([409, "DataIdentifierAlreadyExists"]);
    expect((await create(BLOCK, "DATASET")).status).toBe(201);
    expect(said(await create("/PD/no-block/AOD", "DATASET"))).toEqual([400, "InvalidObject"]);
    expect(said(await ask("POST", `/dids/other/${enc(SET)}`, { type: "CONTAINER" }))).toEqual([404, "ScopeNotFound"]);
    const rows = [`${SET}#new`, BLOCK].map((name) => ({ scope: "cms", name, type: "DATASET" }));
    expect(said(await ask("POST", "/dids", rows))).toEqual([409, "DataIdentifierAlreadyExists"]);
    expect((await ask("GET", did(`${SET}#new`))).status).toBe(404);
  });

  test("are attached; twice is refused, unless duplicates do not matter", async () => {
    const attach = (parent: string, ...children: string[]) =>
      ask("POST", `${did(parent)}/dids`, { dids: names(...children), rse: null });
    expect((await attach(SET, BLOCK)).status).toBe(201);
    expect(said(await attach(SET, BLOCK))).toEqual([409, "DuplicateContent"]);
    expect(said(await attach(BLOCK, "/store/data/none.root"))).toEqual([404, "DataIdentifierNotFound"]);
    const file = { scope: "cms", name: "/store/data/a.root", bytes: 1000, adler32: "0cc737eb" };
    const attachment = { scope: "cms", name: BLOCK, rse: "T2_CH_Y", dids: [file] };
    const many = (change: object) =>
      ask("POST", "/dids/attachments", { ignore_duplicate: true, attachments: [{ ...attachment, ...change }] });
    for (const _ of [1, 2]) expect((await many({})).status).toBe(201);
    expect(said(await attach(BLOCK, "/store/data/a.root"))).toEqual([409, "FileAlreadyExists"]);
    expect(said(await many({ dids: [{ ...file, bytes: 7 }] }))).toEqual([412, "FileConsistencyMismatch"]);
    expect(said(await ask("POST", `${did(BLOCK)}/dids`, { ...attachment, dids: [{ ...file, bytes: 7 }] }))).toEqual([
      500,
      "FileConsistencyMismatch",
    ]);
    expect(said(await many({ rse: "T9_NO" }))).toEqual([404, "RSENotFound"]);
    expect(lines((await ask("GET", `${did(BLOCK)}/files`)).text)).toMatchObject([
      { name: "/store/data/a.root", bytes: 1000 },
    ]);
    expect(lines((await ask("GET", `${did(BLOCK)}/parents`)).text)).toMatchObject([{ name: SET }]);
  });

  test("are closed once, and then nothing is attached", async () => {
    const late = `${SET}#late`;
    await create(late, "DATASET");
    expect((await ask("GET", did(late))).body).toMatchObject({
      type: "DATASET",
      open: true,
      length: null,
      bytes: null,
    });
    expect((await ask("PUT", `${did(late)}/status`, { open: false })).status).toBe(200);
    expect(said(await ask("PUT", `${did(late)}/status`, { open: false }))).toEqual([409, "UnsupportedOperation"]);
    const attach = await ask("POST", `${did(late)}/dids`, { dids: names("/store/data/a.root") });
    expect([...said(attach), attach.text]).toEqual([409, "UnsupportedOperation", expect.stringContaining("is closed")]);
    expect((await ask("GET", did(late))).body).toMatchObject({ open: false, length: 0, bytes: 0 });
  });

  test("in scope cms are not for everybody", async () => {
    const guest = { "x-rucio-auth-token": await tokenOf("guest") };
    expect(said(await ask("POST", did("/G/G-v1/AOD"), { type: "CONTAINER" }, guest))).toEqual([401, "AccessDenied"]);
  });
});

describe("replicas", () => {
  test("are told by file: tape is in states only", async () => {
    const reply = await ask("POST", "/replicas/list", { dids: names(RAW) });
    expect(reply.headers["content-type"]).toBe("application/x-json-stream");
    const [row, ...others] = lines(reply.text) as Record<string, object>[];
    expect(others).toHaveLength(1);
    expect(row!.states).toEqual({ T1_US_X_Tape: "AVAILABLE", T2_CH_Y: "AVAILABLE" });
    expect(Object.keys(row!.rses!)).toEqual(["T2_CH_Y"]);
  });
  test("of nothing, or of an expression that means nothing", async () => {
    expect(await ask("POST", "/replicas/list", { dids: names("/No/No-v1/RAW") })).toMatchObject({
      status: 200,
      text: "",
    });
    const none = await ask("POST", "/replicas/list", { dids: names(RAW), rse_expression: "tier=9" });
    expect(said(none)).toEqual([500, "InvalidRSEExpression"]);
    expect((await ask("POST", "/replicas/list", { dids: [] }, { accept: "application/json" })).status).toBe(406);
  });
  test("may be added again; another size is passed over in silence", async () => {
    const add = (change: object) =>
      ask("POST", "/replicas", {
        rse: "T2_CH_Y",
        files: [{ scope: "cms", name: "/store/data/r.root", bytes: 5, adler32: "0cc737eb", state: "A", ...change }],
      });
    for (const change of [{}, {}, { bytes: 6 }]) expect((await add(change)).status).toBe(201);
    expect((await ask("GET", did("/store/data/r.root"))).body).toMatchObject({ bytes: 5, type: "FILE" });
    expect(said(await add({ adler32: "zz" }))).toEqual([500, "InvalidObject"]);
  });
  test("by block are counted when asked for deeply", async () => {
    const block = `${RAW}#00000000-0000-4000-8000-000000000000`;
    const count = async (query: string) =>
      lines((await ask("GET", `/replicas/cms/${enc(block)}/datasets${query}`)).text);
    expect(await count("?deep=True")).toMatchObject([{ length: 2, available_length: 2 }, { available_length: 2 }]);
    expect(await count("")).toMatchObject([{ length: 2, available_length: 0 }, {}]);
  });
});

describe("rules", () => {
  const base = { account: "wms2", copies: 1, rse_expression: "T2_CH_Y", dids: names(RAW) };
  const rule = (change: object, headers = {}) => ask("POST", "/rules/", { ...base, ...change }, headers);
  const idOf = ({ body }: Reply): string => (body as string[])[0]!;

  test.each([
    ["no account", { account: undefined }, 400, "KeyError"],
    ["copies in quotes", { copies: "1" }, 409, "InvalidObject"],
    ["no copies", { copies: 0 }, 500, "InvalidValueForKey"],
    ["an activity of one's own", { activity: "Fun" }, 409, "InvalidObject"],
    ["meta as an object", { meta: {} }, 409, "InvalidObject"],
    ["nothing there", { dids: names("/No/No-v1/RAW") }, 404, "DataIdentifierNotFound"],
    ["an expression that means nothing", { rse_expression: "tier=9" }, 409, "InvalidRSEExpression"],
    ["an expression with blanks", { rse_expression: "tier=1 | tier=2" }, 409, "InvalidRSEExpression"],
    ["more copies than RSEs", { copies: 2 }, 409, "InsufficientTargetRSEs"],
    ["a weight that no RSE has", { rse_expression: "T2_DE_Z", weight: "dm_weight" }, 409, "InsufficientTargetRSEs"],
    ["an unknown account", { account: "nobody" }, 500, "AccountNotFound"],
    ["quota used up", { account: "poor" }, 409, "InsufficientAccountLimit"],
    ["no quota at all", { account: "poor", rse_expression: "T2_DE_Z" }, 409, "InsufficientAccountLimit"],
    ["tape for a while", { rse_expression: "rse_type=TAPE", lifetime: 60 }, 500, "AccessDenied"],
  ])("%s", async (_what, change, status, exceptionClass) => {
    expect(said(await rule(change))).toEqual([status, exceptionClass]);
  });

  test("POST without the slash is sent elsewhere", async () => {
    const reply = await ask("POST", "/rules", base);
    expect([reply.status, reply.headers.location]).toEqual([308, `${emulated.urls.rucio}/rules/`]);
  });

  test("of four the same at once, one is made", async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => rule({})));
    expect(replies.map(said).sort()).toEqual([[201, undefined], ...[1, 2, 3].map(() => [409, "DuplicateRule"])]);
    const made = replies.find(({ status }) => status === 201)!;
    expect(made.headers["content-type"]).toMatch(/^text\/html/);
    const found = await ask("GET", `/rules/?scope=cms&name=${enc(RAW)}&account=wms2&rse_expression=T2_CH_Y`);
    expect(lines(found.text)).toMatchObject([
      { id: idOf(made), state: "OK", locked: false, expires_at: null, copies: 1 },
    ]);
  });

  test("a deleted one stays for an hour, in the way, and can be revived", async () => {
    const id = idOf(await rule({ rse_expression: "T1_US_X_Disk", meta: '{"a":1}', comment: "mine" }));
    expect((await ask("GET", `/rules/${id}`)).body).toMatchObject({
      comments: "mine",
      meta: '"{\\"a\\":1}"',
      state: "REPLICATING",
    });
    expect((await ask("DELETE", `/rules/${id}`)).status).toBe(400);
    for (const _ of [1, 2]) expect((await ask("DELETE", `/rules/${id}`, {})).status).toBe(200);
    expect((await ask("GET", `/rules/${id}`)).body).toMatchObject({ expires_at: expect.stringMatching(/UTC$/) });
    expect(said(await rule({ rse_expression: "T1_US_X_Disk" }))).toEqual([409, "DuplicateRule"]);
    expect((await ask("PUT", `/rules/${id}`, { options: { lifetime: null } })).status).toBe(200);
    expect((await ask("GET", `/rules/${id}`)).body).toMatchObject({ expires_at: null });
    expect(said(await ask("PUT", `/rules/${id}`, { options: { color: "red" } }))).toEqual([
      409,
      "InputValidationError",
    ]);
    await ask("DELETE", `/rules/${id}`, {});
    await call(emulated, "POST", `${emulated.urls.steering}/forget-rules`);
    expect(said(await ask("DELETE", `/rules/${id}`, {}))).toEqual([404, "RuleNotFound"]);
    expect((await rule({ rse_expression: "T1_US_X_Disk" })).status).toBe(201);
  });

  test("one on tape locks itself: it takes two calls to delete it", async () => {
    const id = idOf(await rule({ rse_expression: "rse_type=TAPE\\cms_type=test" }));
    expect((await ask("GET", `/rules/${id}`)).body).toMatchObject({ locked: true });
    expect(said(await ask("DELETE", `/rules/${id}`, {}))).toEqual([401, "UnsupportedOperation"]);
    await ask("PUT", `/rules/${id}`, { options: { locked: false } });
    expect((await ask("DELETE", `/rules/${id}`, {})).status).toBe(200);
  });

  test("those of others are not for guests; what is asked for wrongly is 500", async () => {
    const id = idOf(await rule({ rse_expression: "T2_DE_Z" }));
    const guest = { "x-rucio-auth-token": await tokenOf("guest") };
    expect(said(await ask("DELETE", `/rules/${id}`, {}, guest))).toEqual([401, "AccessDenied"]);
    expect((await rule({}, guest)).headers.exceptionclass).toBe("AccessDenied");
    expect((await ask("GET", "/rules/?color=red")).status).toBe(500);
    expect((await ask("GET", "/rules/not-an-id")).status).toBe(500);
    expect((await ask("GET", `/rules/${id}`, undefined, { accept: "application/x-json-stream" })).status).toBe(406);
  });
});

describe("RSEs", () => {
  test.each([
    ["T2_CH_Y", ["T2_CH_Y"]],
    ["tier=2\\cms_type=test", ["T2_CH_Y"]],
    ["(tier=2|tier=1)&cms_type=real&rse_type=DISK", ["T1_US_X_Disk", "T2_CH_Y"]],
    ["tier<2&rse_type=TAPE", ["T1_US_X_Tape"]],
    ["*", ["T1_US_X_Disk", "T1_US_X_Tape", "T2_CH_Y", "T2_DE_Z"]],
  ])("%s", async (expression, rses) => {
    const reply = await ask("GET", `/rses/?expression=${enc(expression)}`);
    expect(lines(reply.text)).toEqual(rses.map((rse) => ({ rse })));
  });
  test("nothing matches", async () => {
    for (const expression of ["tier=7", "tier=1|", "(tier=1", "tier=1)"])
      expect(said(await ask("GET", `/rses/?expression=${enc(expression)}`))).toEqual([400, "InvalidRSEExpression"]);
  });
  test("quota without a limit is a word that JSON does not know", async () => {
    const reply = await ask("GET", "/accounts/wms2/limits/local");
    expect(reply.body).toBeNull();
    expect(reply.text).toContain('"T2_CH_Y":Infinity');
  });
});
