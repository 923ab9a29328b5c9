import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Agent } from "undici";
import { type Answer, isSuccess, type Question } from "./question.ts";
import { BrokenAnswer } from "./rows.ts";

/** Time-outs are per phase, in seconds: until the answer begins, and between two pieces of it. */
export interface Patience {
  readonly answerSec: number;
  readonly silenceSec: number;
  /** For how long a service that failed several times in a row is not asked. */
  readonly peaceSec: number;
}

/** A success is still to be read; everything else is short, and read. */
export type Opened =
  | { readonly kind: "success"; readonly answer: Omit<Answer, "text">; readonly body: Readable }
  | { readonly kind: "other"; readonly answer: Answer };

/** What is not streamed is small; more would be somebody else's page. */
const MOST_BYTES = 64 * 1024 * 1024;

/** One question over one connection: nothing is repeated or checked here. */
export async function exchange(
  agent: Agent,
  question: Question,
  more: Readonly<Record<string, string>>,
  { answerSec, silenceSec }: Patience,
): Promise<Opened> {
  const { origin, pathname, search } = new URL(question.url);
  const answered = await agent.request({
    origin,
    path: pathname + search,
    method: question.method,
    headers: { "accept-encoding": "gzip", ...question.headers, ...more },
    body: question.body ?? null,
    headersTimeout: Math.min(question.answerSec ?? answerSec, answerSec) * 1000,
    bodyTimeout: silenceSec * 1000,
    signal: question.signal,
  });
  const { statusCode: status, body: packed } = answered;
  const headers = Object.fromEntries(Object.entries(answered.headers).map(([name, value]) => [name, String(value)]));
  const body = headers["content-encoding"] === "gzip" ? pipeline(packed, createGunzip(), () => {}) : packed;
  if (isSuccess({ status, headers, text: "" })) return { kind: "success", answer: { status, headers }, body };
  return { kind: "other", answer: { status, headers, text: await wholeText(body) } };
}

export const wholeAnswer = async (opened: Opened): Promise<Answer> =>
  opened.kind === "other" ? opened.answer : { ...opened.answer, text: await wholeText(opened.body) };

async function wholeText(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new BrokenAnswer(`the answer is longer than ${MOST_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}
