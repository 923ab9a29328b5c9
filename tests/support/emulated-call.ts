import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Emulated } from "../../lab/emulate/index.ts";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; null where it is none. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is text. */
  readonly body?: unknown;
  readonly gzip?: boolean;
  /** "none": without a certificate. */
  readonly as?: "good" | "expired" | "none";
}

/** One call on a connection of its own, without any help: what is on the wire is what a test sees. */
export function call(emulated: Emulated, method: string, url: string, options: CallOptions = {}): Promise<Reply> {
  const { as = "good", body, gzip = false } = options;
  const cert = as === "none" ? {} : { cert: read(as === "good" ? emulated.certFile : emulated.expiredCertFile) };
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const sent = gzip ? gzipSync(text) : Buffer.from(text);
  // Node sends no length of its own with a DELETE, and then nobody finds its body.
  const length = body === undefined ? {} : { "content-length": String(sent.length) };
  const headers = { ...options.headers, ...length, ...(gzip && { "content-encoding": "gzip" }) };
  return new Promise((resolve, reject) => {
    const key = as === "none" ? {} : { key: read(emulated.keyFile) };
    const asked = request(
      url,
      { method, headers, ca: read(emulated.caFile), ...cert, ...key, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => {
          const whole = Buffer.concat(parts);
          const said = String(answer.headers["content-encoding"] === "gzip" ? gunzipSync(whole) : whole);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: said, body: parsed(said) });
        });
      },
    );
    asked.on("error", reject);
    asked.end(sent);
  });
}

const read = (file: string): Buffer => readFileSync(file);
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
export const lines = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
