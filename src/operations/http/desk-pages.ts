import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "./api-types.ts";

/**
 * The pages of the desk: files that were built into one directory, and nothing else. They live below /desk/, where no
 * path of the API begins, and everything in them is relative, so that they work under any prefix of a proxy.
 */
export function deskRoutes(app: Api, directory: string): void {
  const hidden = { schema: { hide: true }, config: { role: "anyone" as const } };
  app.get("/", hidden, (_request, reply) => reply.redirect("desk/", 302));
  app.get("/desk", hidden, (request, reply) =>
    pathOf(request).endsWith("/") ? sendIndex(directory, request, reply) : reply.redirect("desk/", 302),
  );
  app.get("/desk/*", hidden, async (request, reply) => {
    const path = (request.params as { "*": string })["*"];
    const file = await readAsset(directory, path);
    if (file) return send(file, path.startsWith("assets/"), request, reply);
    // A page that asks for a script of an older build must not get a page instead.
    return path.startsWith("assets/") ? reply.callNotFound() : sendIndex(directory, request, reply);
  });
}

const pathOf = ({ url }: FastifyRequest): string => url.split("?", 1)[0]!;

/** Where a page may load from, and what it may do: itself only. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  json: "application/json",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json",
};

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer | string;
}

/** A built file; null: there is none of that name. Names are plain, so nothing outside of the directory can be meant. */
async function readAsset(directory: string, path: string): Promise<Asset | null> {
  const type = TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ""];
  const isPlain = path.split("/").every((part) => /^[\w-][\w.-]*$/.test(part));
  if (!type || !isPlain) return null;
  try {
    const full = join(directory, path);
    const { mtimeMs, size } = await stat(full);
    return { type, etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`, content: await readFile(full) };
  } catch {
    return null;
  }
}

/** Every address below /desk/ is the same page: it reads the address itself. Its base is given relative to it. */
async function sendIndex(directory: string, request: FastifyRequest, reply: FastifyReply) {
  const index = await readAsset(directory, "index.html");
  if (!index) return reply.code(404).header("content-type", TYPES.txt).serializer(String).send(NOT_BUILT);
  // As it was typed: to a browser, %2F is a part of a name and no step down.
  const depth = Math.max(0, pathOf(request).split("/").length - 3);
  const base = `<base href="${depth === 0 ? "./" : "../".repeat(depth)}">`;
  const content = String(index.content).replace("<head>", `<head>${base}`);
  return send({ ...index, content, etag: `${index.etag.slice(0, -1)}-${depth}"` }, false, request, reply);
}

/** What has a hash in its name never changes; the rest is asked for again each time. */
function send({ type, etag, content }: Asset, isHashed: boolean, request: FastifyRequest, reply: FastifyReply) {
  reply
    .header("content-security-policy", CSP)
    .header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
    .header("etag", etag)
    .header("content-type", type);
  if (request.headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
  return reply.serializer((value: unknown) => value as string).send(content);
}

const NOT_BUILT = `The pages of the operator's desk were not built into this installation.
To build them:  npm run build
Without them:   the API is at api/v1 (docs/ describes it), and wms2 --help shows the commands.
`;
