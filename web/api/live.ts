import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { apiUrl, send } from "./client.ts";

/**
 * Live events as hints: whoever hears one reads again, at most once a second. One tab of a browser holds the stream (Web
 * Locks) and tells the others (BroadcastChannel), since HTTP/1.1 gives a browser six connections in all. Where there are
 * no locks (plain HTTP off this machine), a tab streams only while it is seen.
 */
interface Message {
  readonly alive: true;
  readonly types: readonly string[];
}

const SILENT_MS = 30_000;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
/** Which queries an event is about, by the beginning of their names. */
const ABOUT: Readonly<Record<string, readonly string[]>> = {
  "request.moved": [
    "requests.",
    "workflows.",
    "dags.",
    "results.",
    "attempts.",
    "recovery.",
    "admission.",
    "system.",
    "desk.",
    "fill.",
    "blocks.",
  ],
  "dag.progress": [
    "fill.",
    "blocks.",
    "requests.",
    "workflows.",
    "dags.",
    "results.",
    "attempts.",
    "recovery.",
    "desk.",
  ],
  "loop.pass": ["desk.causes", "desk.history", "desk.handover", "system.", "alerts.", "admission.", "sites.", "audit."],
};

/** Those that cost the server more than a look are read again less often. */
const LARGE: ReadonlySet<string> = new Set([
  "dags.map",
  "fill.plan",
  "recovery.groups",
  "attempts.errors",
  "desk.causes",
]);
const LARGE_MS = 5000;

type Connection = "connecting" | "live" | "lost";
let connection: Connection = "connecting";
let lastHeard = Date.now();
const listeners = new Set<() => void>();

function become(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}

/** Live, connecting, or lost: silent for more than 30 s, so that what is shown may be old. */
export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );

export function startLive(queries: QueryClient): void {
  const channel = new BroadcastChannel(`wms2 ${apiUrl("").href}`);
  const dirty = new Set<string>();
  let timer: number | null = null;
  const flush = () => {
    timer = null;
    const names = [...dirty];
    dirty.clear();
    void queries.invalidateQueries({
      predicate: ({ queryKey, state }) => {
        const name = String(queryKey[0]);
        if (!names.some((begin) => name.startsWith(begin))) return false;
        const isTooSoon = LARGE.has(name) && Date.now() - state.dataUpdatedAt < LARGE_MS;
        if (isTooSoon) dirty.add(name);
        return !isTooSoon;
      },
    });
    if (dirty.size > 0) timer = window.setTimeout(flush, 1000);
  };
  const heard = ({ types }: Message) => {
    const wasLost = connection === "lost";
    lastHeard = Date.now();
    become("live");
    for (const type of types) for (const name of ABOUT[type] ?? []) dirty.add(name);
    if (wasLost) void queries.invalidateQueries();
    if (dirty.size > 0 && timer === null) timer = window.setTimeout(flush, 1000);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => heard(data);
  const tell = (message: Message) => {
    heard(message);
    channel.postMessage(message);
  };
  setInterval(() => {
    if (Date.now() - lastHeard > SILENT_MS) become("lost");
  }, 1000);
  if (navigator.locks) void navigator.locks.request(`wms2 ${apiUrl("").href}`, () => streamForever(tell));
  else void streamForever(tell, () => document.visibilityState === "visible");
}

async function streamForever(tell: (message: Message) => void, isWanted = () => true): Promise<never> {
  for (let tries = 0; ; ) {
    if (isWanted()) {
      const began = Date.now();
      await streamOnce(tell).catch(() => undefined);
      tries = Date.now() - began > 5000 ? 0 : tries + 1;
    }
    await new Promise((resume) => setTimeout(resume, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]));
  }
}

/** Reads frames until the stream ends. A heartbeat, too, shows that the server is there. */
async function streamOnce(tell: (message: Message) => void): Promise<void> {
  const answer = await send(apiUrl("/events"), { headers: { accept: "text/event-stream" } });
  if (!answer.ok || !answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    const types = lines.flatMap((line) => (line.startsWith("event: ") ? [line.slice(7)] : []));
    tell({ alive: true, types: [...new Set(types)] });
  }
}
