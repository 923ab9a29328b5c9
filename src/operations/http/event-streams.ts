import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { WorldError } from "../../core/base/errors.ts";
import { stringify } from "../../core/base/json.ts";
import type { LiveEvent } from "./event-bus.ts";
import type { ApiPorts } from "./ports.ts";

const MAX_STREAMS = 200;
/** A reader this far behind is cut off: it reads the state again when it comes back. */
const MAX_BEHIND_BYTES = 1_000_000;

export type EventStreams = ReturnType<typeof makeEventStreams>;

/** Server-sent events. A hint to look again, never the only way to learn something: none are kept or repeated. */
export function makeEventStreams({ events, clock, tuning }: ApiPorts) {
  const streams = new Set<ServerResponse>();
  return {
    close: () => {
      for (const stream of streams) stream.end();
    },
    open(reply: FastifyReply, isWanted: (event: LiveEvent) => boolean): FastifyReply {
      if (streams.size >= MAX_STREAMS) {
        throw new WorldError("conflict", "events", `${MAX_STREAMS} streams are open already`, {
          hint: "close some, or ask for the state every few seconds instead",
        });
      }
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
        if (!isWanted(event)) return;
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
    },
  };
}

/** The names of the log's fields and those of the API. */
const RENAMED: Readonly<Record<string, string>> = { request: "request_name", dag: "dag_id", units: "work_units" };

/** One frame of text/event-stream. JSON has no raw line breaks, so one data line is enough. */
function eventFrame({ type, detail }: LiveEvent, at: Date): string {
  const fields = Object.entries(detail).map(([key, value]) => [RENAMED[key] ?? key, value]);
  return `event: ${type}\ndata: ${stringify({ type, ...Object.fromEntries(fields), at })}\n\n`;
}
