import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { describeError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { LocalCore } from "./core.ts";
import { type Answer, type Ask, lineReader } from "./protocol.ts";

/** Answers questions about an engine on a unix socket. `onIdle` is called when nobody asks and nothing runs. */
export function serve(
  core: LocalCore,
  path: string,
  options: { idleSec: number; onShutdown: () => void; onListening: () => void },
): Server {
  const clients = new Set<Socket>();
  let lastBusy = Date.now();
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    clients.add(socket);
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("close", () => clients.delete(socket));
    socket.on(
      "data",
      lineReader((line) => {
        const { answer, after } = reply(core, line, options.onShutdown);
        socket.write(`${JSON.stringify(answer)}\n`, after);
      }),
    );
  });
  server.listen(path, options.onListening);
  const watch = setInterval(() => {
    const now = Date.now();
    if (clients.size > 0 || core.busy) lastBusy = now;
    else if (now - lastBusy > options.idleSec * 1000) options.onShutdown();
  }, 250);
  server.on("close", () => {
    clearInterval(watch);
    for (const client of clients) client.destroy();
  });
  return server;
}

function reply(core: LocalCore, line: string, shutdown: () => void): { answer: Answer; after?: () => void } {
  const parsed = parseJson(line);
  if (!parsed.ok) return { answer: { id: 0, ok: false, error: parsed.error } };
  const { id, ...ask } = parsed.value as Ask & { id: number };
  try {
    const value = answer(core, ask as Ask);
    if (ask.op === "shutdown") return { answer: { id, ok: true, value }, after: shutdown };
    return { answer: { id, ok: true, value } };
  } catch (error) {
    return { answer: { id, ok: false, error: describeError(error) } };
  }
}

function answer(core: LocalCore, ask: Ask): unknown {
  switch (ask.op) {
    case "submit":
      return core.submit(ask.submission);
    case "find":
      return core.find(ask.batchName);
    case "stop":
      return core.stop(ask.batchName);
    case "hold":
    case "release":
      return core.hold(ask.batchName, ask.op === "hold");
    case "configure":
      return core.configure(ask.sites);
    case "list":
      return core.list();
    case "sites":
      return core.sites();
    case "ping":
    case "shutdown":
      return { pid: process.pid };
  }
}
