import { copyFileSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../../tests/support/temp-dir.ts";
import { makeTestCa, type TestCa } from "../../../../tests/support/tls.ts";
import type { WorldError } from "../../../core/base/errors.ts";
import { busy, notLetIn, plainRefusal, type Question, type ServiceRules } from "./question.ts";
import { json } from "./rows.ts";
import { HttpService, type HttpWorld } from "./service.ts";
import { makeTrust, type Trust, type TrustFiles } from "./trust.ts";

/** A server that asks for certificates, as those of CMS do. */
let ca: TestCa;
let server: Server;
let base: string;
let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
let heard: { readonly name: string; readonly headers: IncomingMessage["headers"] }[];
let told: { readonly outcome: string; readonly operation: string }[];
let logged: string[];
let waits: number[];
let trusts: Trust[];

beforeAll(async () => {
  ca = makeTestCa();
  const own = ca.issue("localhost");
  const [cert, key, authority] = [own.cert, own.key, ca.file].map((file) => readFileSync(file));
  server = createServer(
    { cert, key, ca: authority, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const peer = (request.socket as TLSSocket).getPeerCertificate();
      heard.push({ name: String(peer.subject?.CN), headers: request.headers });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(request, response);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `https://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  ca.remove();
});

beforeEach(() => {
  [answers, heard, told, logged, waits, trusts] = [[], [], [], [], [], []];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const trust of trusts) await trust.close();
  server.closeAllConnections();
});

const rules: ServiceRules = {
  name: "dbs",
  requestsPerSec: 100,
  concurrency: 4,
  outage: (answer) => notLetIn(answer) ?? busy(answer),
  refusal: plainRefusal,
  brokenRow: () => null,
};

const files = (proxyFile: string): TrustFiles => ({ proxyFile, certFile: null, keyFile: null, caFile: ca.file });

function service(
  trustFiles: TrustFiles = files(ca.issue("robot").proxy),
  change: Partial<ServiceRules> = {},
): HttpService {
  const trust = makeTrust(trustFiles, 5);
  trusts.push(trust);
  const world: HttpWorld = {
    trust,
    patience: { answerSec: 5, silenceSec: 5, peaceSec: 30 },
    clock: { now: () => new Date() },
    wait: async (ms) => void waits.push(ms),
    random: () => 0.5,
    newId: () => "call-1",
    log: {
      info: (event, detail) => void logged.push(JSON.stringify({ event, ...detail })),
      warn: (event, detail) => void logged.push(JSON.stringify({ event, ...detail })),
      error: () => {},
    },
    metrics: { observeCall: (_, operation, outcome) => void told.push({ operation, outcome }) },
  };
  return new HttpService({ ...rules, ...change }, world);
}

const question = (more: Partial<Question> = {}): Question => ({
  operation: "look",
  method: "GET",
  url: `${base}/look`,
  repeatable: true,
  ...more,
});

const says =
  (text: string | Buffer, status = 200, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(text);
/** Promises more than it sends. */
const breaksOff =
  (text: string | Buffer, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, headers).write(text, () => setImmediate(() => response.destroy()));
  };
const read = (from: HttpService, more: Partial<Question> = {}) =>
  from.read(
    question(more),
    json((value) => value),
  );
const trouble = async (call: Promise<unknown>): Promise<WorldError> =>
  call.then(
    () => Promise.reject(new Error("there was an answer")),
    (error: WorldError) => error,
  );

test("we are who the proxy says, answers may be compressed, and each call is counted and told", async () => {
  answers = [says(gzipSync('[{"a":1}]'), 200, { "content-encoding": "gzip" })];
  expect(await read(service())).toEqual([{ a: 1 }]);
  expect(heard).toMatchObject([{ name: "robot", headers: { "x-correlation-id": "call-1" } }]);
  expect(told).toEqual([{ operation: "look", outcome: "ok" }]);
  expect(logged.join()).toContain('"call":"call-1"');
});

test.each<[story: string, answer: () => (typeof answers)[number], words: RegExp]>([
  ["half a list behind 200", () => says('[{"a":1},{"a"'), /no whole JSON/],
  ["a connection cut in the middle", () => breaksOff('[{"a":1}', { "content-length": "999" }), /cut|shorter/],
  ["a cut answer without a length", () => breaksOff('[{"a":1}'), /cut/],
  [
    "half a compressed answer",
    () => says(gzipSync('[{"a":1}]').subarray(0, 15), 200, { "content-encoding": "gzip" }),
    /ends early/,
  ],
  ["a page of a gateway", () => says("<html>please log in</html>"), /no whole JSON/],
  ["a gateway that has nobody behind it", () => says("Bad Gateway", 502), /HTTP 502/],
  ["too many questions", () => says("Limit exceeded", 429), /too often/],
])("%s is no answer, is asked for three times, and is told", async (_story, answer, words) => {
  answers = [answer()];
  const error = await trouble(read(service()));
  expect(error).toMatchObject({ code: "catalog-unreachable", subject: "dbs", message: expect.stringMatching(words) });
  expect(heard).toHaveLength(3);
  expect(waits).toEqual([250, 500]);
  expect(told.map(({ outcome }) => outcome)).toEqual(["unreachable", "unreachable", "unreachable"]);
});

test("the second try helps", async () => {
  answers = [breaksOff("["), says("[]")];
  expect(await read(service())).toEqual([]);
});

test("what may not be repeated is asked once", async () => {
  answers = [says("", 503)];
  await trouble(service().ask(question({ repeatable: false })));
  expect(heard).toHaveLength(1);
});

test("a certificate that is not let in is told at once, with what to look at", async () => {
  answers = [says("", 403)];
  const error = await trouble(service().ask(question()));
  expect(error).toMatchObject({ code: "catalog-unreachable", hint: expect.stringContaining("openssl x509") });
  expect(heard).toHaveLength(1);
});

test("after five failures in a row nobody is asked for half a minute, then one is", async () => {
  answers = [says("", 503)];
  const dbs = service();
  await trouble(read(dbs));
  await trouble(read(dbs));
  const asked = heard.length;
  expect(asked).toBe(5);
  expect(await trouble(read(dbs))).toMatchObject({
    message: expect.stringMatching(/failed 5 times in a row/),
    cause: { message: expect.stringMatching(/HTTP 503/) },
  });
  expect(heard).toHaveLength(asked);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
  answers = [says("[]")];
  expect(await read(dbs)).toEqual([]);
  expect(await read(dbs)).toEqual([]);
});

test("refusals never open the breaker", async () => {
  answers = [says("no such thing", 404)];
  const dbs = service();
  for (let i = 0; i < 8; i += 1) expect((await dbs.ask(question())).status).toBe(404);
  expect(await trouble(read(dbs))).toMatchObject({ code: "catalog-refused" });
});

test("a renewed proxy is used from the next call on, without a restart", async () => {
  const path = join(tempDir("proxy"), "proxy.pem");
  copyFileSync(ca.issue("first").proxy, path);
  answers = [says("[]")];
  const dbs = service(files(path));
  await read(dbs);
  copyFileSync(ca.issue("second and longer").proxy, path);
  await read(dbs);
  expect(heard.map(({ name }) => name)).toEqual(["first", "second and longer"]);
});

test("a proxy that has run out is told with its date, and a new one is taken at once", async () => {
  const path = join(tempDir("proxy"), "proxy.pem");
  copyFileSync(ca.issue("old", -1).proxy, path);
  answers = [says("[]")];
  const dbs = service(files(path));
  const error = await trouble(read(dbs));
  expect(error.message).toMatch(/does not accept our certificate in .*proxy\.pem: it expired at 20/);
  expect(error.hint).toContain("renew");
  copyFileSync(ca.issue("fresh and longer").proxy, path);
  expect(await read(dbs)).toEqual([]);
});

test("a server of another authority is not believed, and one that does not know our authority says so", async () => {
  const other = makeTestCa();
  onTestFinished(() => other.remove());
  answers = [says("[]")];
  const wrongCa = service({ ...files(ca.issue("robot").proxy), caFile: other.file });
  expect(await trouble(read(wrongCa))).toMatchObject({
    message: expect.stringMatching(/signed by nobody we trust/),
    hint: expect.stringContaining("catalog.cms.ca_file"),
  });
  const unknown = service({ ...files(other.issue("unknown").proxy), caFile: ca.file });
  expect((await trouble(read(unknown))).hint).toMatch(/may not like our certificate/);
  const missing = service(files("/nowhere/proxy.pem"));
  expect((await trouble(read(missing))).message).toMatch(/cannot be used: .*\/nowhere\/proxy\.pem/);
  expect(heard).toEqual([]);
});

test("nobody at home is told with the address", async () => {
  const error = await trouble(read(service(), { url: "https://localhost:1/look" }));
  expect(error.message).toBe("DBS: localhost:1: nobody listens there");
});

test("a long list comes in pieces, and may be left early", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ n, text: 'a "quoted" }]' }));
  const dbs = service();
  for (const text of [`${lines.join("\n")}\n`, `[${lines.join(",\n")}]`]) {
    answers = [says(gzipSync(text), 200, { "content-encoding": "gzip" })];
    const seen: number[] = [];
    let pieces = 0;
    for await (const rows of dbs.rows(question(), (row) => (row as { n: number }).n)) {
      seen.push(...rows);
      pieces += 1;
    }
    expect(seen).toEqual(lines.map((_, n) => n));
    expect(pieces).toBeGreaterThan(5);
    for await (const _ of dbs.rows(question(), (row) => row)) break;
  }
});

test("who is told to end does so while nobody answers, and that is no failure", async () => {
  const ending = new AbortController();
  answers = [() => ending.abort(new Error("enough"))];
  const reading = async () => {
    for await (const _ of service().rows(question(), (row) => row, ending.signal));
  };
  await expect(reading()).rejects.toThrow("enough");
  expect(heard).toHaveLength(1);
  expect(told).toEqual([]);
});

test("a list that ends in the middle throws what it was, after what came before", async () => {
  answers = [breaksOff('[{"n":1},{"n":2},{"n"')];
  const seen: unknown[] = [];
  const reading = async () => {
    for await (const rows of service().rows(question(), (row) => row)) seen.push(...rows);
  };
  expect(await trouble(reading())).toMatchObject({ code: "catalog-unreachable" });
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
});

test("not more at once than allowed", async () => {
  let under = 0;
  let most = 0;
  answers = [
    (_, response) => {
      under += 1;
      most = Math.max(most, under);
      setImmediate(() => {
        under -= 1;
        response.end("[]");
      });
    },
  ];
  const dbs = service(undefined, { concurrency: 2 });
  await Promise.all(Array.from({ length: 12 }, () => read(dbs)));
  expect(most).toBeLessThanOrEqual(2);
});

test("tokens and keys are in no log", async () => {
  answers = [says("", 500)];
  await trouble(service().ask(question({ headers: { "x-rucio-auth-token": "s3cret" } })));
  expect(logged.join()).not.toContain("s3cret");
  expect(logged.join()).not.toContain("PRIVATE KEY");
});
