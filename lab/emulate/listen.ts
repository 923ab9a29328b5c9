import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import type { CertificateFiles } from "./certificates.ts";
import type { Fault } from "./faults.ts";
import { type Answer, type Asked, type Routes, route, type Service } from "./http.ts";
import { steering } from "./steering.ts";
import type { World } from "./world.ts";

/** Certificates are asked for, and checked by each service in its own words. */
export function listen(
  world: World,
  services: readonly Service[],
  files: CertificateFiles,
  port: number,
): Promise<Server> {
  const tls = {
    cert: readFileSync(files.serverCertFile),
    key: readFileSync(files.serverKeyFile),
    ca: readFileSync(files.caFile),
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer({ ...tls, keepAliveTimeout: 60_000 }, (request, response) => {
    answer(world, services, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" }).end(`${error}\n`);
      else response.destroy();
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

async function answer(
  world: World,
  services: readonly Service[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", search = ""] = (request.url ?? "").split(/\?(.*)/s, 2);
  const isFor = ({ prefix }: Routes): boolean => path.startsWith(`${prefix}/`);
  if (isFor(steering)) return send(request, response, perform(world, steering, await askedOf(request, steering)));
  const service = services.find(isFor);
  if (!service) return void response.writeHead(404).end();
  const shown = readable(path.slice(service.prefix.length)) + (search ? `?${readable(search)}` : "");
  const { method = "GET" } = request;
  const fault = world.faults.strike(service.name, method, shown);
  const log = (status: number): void => {
    const at = new Date().toISOString();
    world.calls.add({ at, service: service.name, method, path: shown, status, fault: fault?.do ?? null });
  };
  if (fault?.do === "delay") await sleep(fault.delay_ms ?? 1000);
  const made = fault?.do === "refuse" ? null : struck(world, service, await askedOf(request, service), fault);
  const isLost = made === null || fault?.do === "lost-reply";
  log(isLost ? 0 : made.status);
  if (isLost) request.socket.destroy();
  else await send(request, response, { ...made, headers: { ...service.headers?.(world), ...made.headers } }, fault);
}

async function askedOf(request: IncomingMessage, { prefix }: Routes): Promise<Asked> {
  const [path = "", search = ""] = (request.url ?? "").split(/\?(.*)/s, 2);
  return {
    method: request.method ?? "GET",
    path: path.slice(prefix.length),
    query: new URLSearchParams(search),
    headers: request.headers,
    body: await bodyOf(request),
    person: personOf(request.socket as TLSSocket),
    base: `https://${request.headers.host}${prefix}`,
  };
}

/** The call with what the fault makes of it, short of how the answer travels. */
function struck(world: World, service: Service, call: Asked, fault: Fault | null): Answer {
  const { status = 503 } = fault ?? {};
  if (fault?.do === "status") return { status, body: status === 429 ? "Limit exceeded" : "" };
  if (fault?.do === "expired-token") world.tokens.remove(String(call.headers["x-rucio-auth-token"]));
  const made = perform(world, service, call);
  return fault?.do === "duplicate" ? perform(world, service, call) : made;
}

/** What the call changed is on disk before its answer goes out. */
function perform(world: World, service: Routes, call: Asked): Answer {
  const made = route(world, service, call);
  world.journal.commit();
  return made;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const whole = Buffer.concat(parts);
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(whole) : whole;
}

function personOf(socket: TLSSocket): string | null {
  if (!socket.authorized) return null;
  const { subject } = socket.getPeerCertificate();
  return Object.entries(subject ?? {})
    .map(([key, value]) => `/${key}=${value}`)
    .join("");
}

function readable(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, body = "" }: Answer,
  fault: Fault | null = null,
): Promise<void> {
  const zips = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const cut = fault?.do === "half" || fault?.do === "truncate";
  if (typeof body === "string") {
    const plain = Buffer.from(body);
    const zip = zips && plain.length > 0;
    const whole = zip ? gzipSync(plain, { level: 1 }) : plain;
    const encoding = zip ? { "content-encoding": "gzip" } : {};
    if (!cut)
      return void response.writeHead(status, { ...headers, ...encoding, "content-length": whole.length }).end(whole);
    // Cut before it is packed where it is to look whole, after that where the connection breaks.
    response.writeHead(status, { ...headers, ...encoding });
    const half = plain.subarray(0, Math.floor(plain.length / 2));
    if (fault.do === "truncate") return void response.end(zip ? gzipSync(half) : half);
    response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => request.socket.destroy());
    return;
  }
  response.writeHead(status, { ...headers, ...(zips ? { "content-encoding": "gzip" } : {}) });
  const source = Readable.from(cut ? firstOf(body) : body, { objectMode: true });
  const end = fault?.do !== "half";
  const sent = zips
    ? pipeline(source, createGzip({ level: 1 }), response, { end })
    : pipeline(source, response, { end });
  // A reader who goes away in the middle is nobody's error.
  await sent.catch(() => response.destroy());
  if (fault?.do === "half") request.socket.destroy();
}

function* firstOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const piece of pieces) {
    yield piece.subarray(0, Math.floor(piece.length / 2) || piece.length);
    if (piece.length > 1) return;
  }
}
