import type { ServerResponse } from "node:http";
import { WorldError } from "../base/errors.ts";
import { stringify } from "../base/json.ts";
import type { system } from "../operations/system.ts";
import type { Run } from "./call.ts";
import { asList } from "./cursor.ts";
import type { LiveEvent } from "./event-bus.ts";
import type { RunPorts } from "./ports.ts";

const MAX_STREAMS = 200;
/** A reader this far behind is cut off: it reads the state again when it comes back. */
const MAX_BEHIND_BYTES = 1_000_000;

/** Server-sent events. A hint to look again, never the only way to learn something: none are kept or repeated. */
export function eventStreams({ events, clock, tuning, beforeClose }: RunPorts): Run<(typeof system)["events"]> {
  const streams = new Set<ServerResponse>();
  beforeClose(() => {
    for (const stream of streams) stream.end();
  });
  return ({ type, request: only }, { reply }) => {
    if (streams.size >= MAX_STREAMS) {
      throw new WorldError("conflict", "events", `${MAX_STREAMS} streams are open already`, {
        hint: "close some, or ask for the state every few seconds instead",
      });
    }
    const types = asList(type);
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    stream.write("retry: 3000\n\n");
    streams.add(stream);
    const unsubscribe = events.subscribe((event) => {
      if (types && !types.includes(event.type)) return;
      if (only !== undefined && event.detail.request !== only) return;
      if (stream.writableLength > MAX_BEHIND_BYTES) stream.destroy();
      else stream.write(eventFrame(event, clock.now()));
    });
    const heartbeat = setInterval(() => stream.write(": still here\n\n"), tuning?.heartbeatMs ?? 15_000);
    stream.on("close", () => {
      clearInterval(heartbeat);
      unsubscribe();
      streams.delete(stream);
    });
    stream.on("error", () => stream.destroy());
    return reply;
  };
}

/** The names of the log's fields and those of the API. */
const RENAMED: Readonly<Record<string, string>> = { request: "request_name", dag: "dag_id", units: "work_units" };

/** One frame of text/event-stream. JSON has no raw line breaks, so one data line is enough. */
function eventFrame({ type, detail }: LiveEvent, at: Date): string {
  const fields = Object.entries(detail).map(([key, value]) => [RENAMED[key] ?? key, value]);
  return `event: ${type}\ndata: ${stringify({ type, ...Object.fromEntries(fields), at })}\n\n`;
}
