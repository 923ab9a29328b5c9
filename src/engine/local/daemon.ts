import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeError } from "../../base/errors.ts";
import type { EngineSite } from "../port.ts";
import { LocalCore } from "./core.ts";
import { replace } from "./dag-files.ts";
import { freeLock, takeLock } from "./lock.ts";
import { socketPath } from "./protocol.ts";
import { serve } from "./serve.ts";

/**
 * The local engine process: `node daemon.js --dir D`. It is apart from the server so that starting processes does
 * not copy the server's memory, a busy server does not delay jobs, and killing the server stops nothing.
 * Killed itself, it loses nothing either: the next one goes on from journals and task directories.
 */
const EXIT_LOCKED = 3;
const IDLE_SEC = 3;

const { values } = parseArgs({
  options: { dir: { type: "string" }, "idle-sec": { type: "string" }, "grace-ms": { type: "string" } },
});
if (values.dir === undefined) {
  console.error("usage: daemon --dir DIR [--idle-sec N] [--grace-ms N]");
  process.exit(2);
}
const dir = resolve(values.dir);
mkdirSync(dir, { recursive: true });
const lock = join(dir, "lock");
const taken = takeLock(lock);
if (taken) {
  console.error(`engine directory ${dir} is in use by process ${taken.holder.pid}`);
  process.exit(EXIT_LOCKED);
}

let core: LocalCore;
try {
  core = new LocalCore({
    dir,
    sites: readSites(),
    ...(values["grace-ms"] ? { graceMs: Number(values["grace-ms"]) } : {}),
  });
  core.recover();
} catch (error) {
  console.error(`the engine cannot start in ${dir}: ${describeError(error)}`);
  freeLock(lock);
  process.exit(1);
}

const path = socketPath(dir);
const server = serve(core, path, {
  idleSec: Number(values["idle-sec"] ?? IDLE_SEC),
  onListening: () => replace(join(dir, "socket"), path),
  onShutdown: leave,
});
server.on("error", (error) => {
  console.error(`the engine cannot listen on ${path}: ${describeError(error)}`);
  leave();
});
process.on("SIGTERM", leave);
process.on("SIGINT", leave);

/** Leaves running jobs to themselves; the next engine takes them over. */
function leave(): void {
  server.close();
  rmSync(path, { force: true });
  core.close();
  freeLock(lock);
  process.exit(0);
}

function readSites(): EngineSite[] {
  try {
    return JSON.parse(readFileSync(join(dir, "sites.json"), "utf8")) as EngineSite[];
  } catch {
    return [];
  }
}
