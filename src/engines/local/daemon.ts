import { readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeError, WorldError } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/json.ts";
import { lockDirectory } from "../../core/disk/lock.ts";
import { replace } from "../dag/dag-files.ts";
import { lineReader } from "../dag/lines.ts";
import type { EngineSite } from "../port.ts";
import { LocalCore } from "./core.ts";
import { fence, submitOnce } from "./fence.ts";
import { type Answer, type Ask, EXIT_LOCKED, socketPath } from "./protocol.ts";

/**
 * The local engine process: `node daemon.js --dir D`. It is apart from the server so that starting processes does
 * not copy the server's memory, a busy server does not delay jobs, and killing the server stops nothing.
 * Killed itself, it loses nothing either: the next one goes on from journals and task directories.
 *
 * It answers questions on a unix socket, and leaves when nobody asks and nothing runs.
 */
const IDLE_SEC = 3;

const { values } = parseArgs({ options: { dir: { type: "string" }, "idle-sec": { type: "string" } } });
if (values.dir === undefined) {
  console.error("usage: daemon --dir DIR [--idle-sec N]");
  process.exit(2);
}
const dir = resolve(values.dir);
const idleMs = Number(values["idle-sec"] ?? IDLE_SEC) * 1000;
const lock = await lockDirectory(dir, "the local engine").catch((error: unknown) => {
  console.error(`engine directory ${describeError(error)}`);
  process.exit(error instanceof WorldError && error.code === "store-locked" ? EXIT_LOCKED : 1);
});

let core: LocalCore;
try {
  core = new LocalCore({ dir, sites: readSites() });
  core.recover();
} catch (error) {
  console.error(`the engine cannot start in ${dir}: ${describeError(error)}`);
  await lock.release();
  process.exit(1);
}

const path = socketPath(dir);
const clients = new Set<Socket>();
rmSync(path, { force: true });
const server = createServer((socket) => {
  clients.add(socket);
  socket.setEncoding("utf8");
  socket.on("error", () => {});
  socket.on("close", () => clients.delete(socket));
  socket.on(
    "data",
    lineReader((line) => socket.write(`${JSON.stringify(reply(line))}\n`)),
  );
});
server.on("error", (error) => {
  console.error(`the engine cannot listen on ${path}: ${describeError(error)}`);
  leave();
});
server.listen(path, () => replace(join(dir, "socket"), path));
let lastBusy = Date.now();
setInterval(() => {
  if (clients.size > 0 || core.busy) lastBusy = Date.now();
  else if (Date.now() - lastBusy > idleMs) leave();
}, 250);
process.on("SIGTERM", leave);
process.on("SIGINT", leave);

/** Leaves running jobs to themselves; the next engine takes them over. */
function leave(): void {
  server.close();
  rmSync(dirname(path), { recursive: true, force: true });
  core.close();
  void lock.release().finally(() => process.exit(0));
}

function readSites(): EngineSite[] {
  try {
    return JSON.parse(readFileSync(join(dir, "sites.json"), "utf8")) as EngineSite[];
  } catch {
    return [];
  }
}

function reply(line: string): Answer {
  const parsed = parseJson(line);
  if (!parsed.ok) return { id: 0, ok: false, error: parsed.error };
  const ask = parsed.value as Ask & { id: number };
  try {
    return { id: ask.id, ok: true, value: answer(ask) };
  } catch (error) {
    return { id: ask.id, ok: false, error: describeError(error) };
  }
}

function answer(ask: Ask): unknown {
  switch (ask.op) {
    case "submit":
      return submitOnce(core, ask.submission, ask.ticket);
    case "fence":
      return fence(ask.submitDir, ask.batchName, ask.ticket);
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
    case "ping":
      return { pid: process.pid, isContained: core.isContained };
  }
}
