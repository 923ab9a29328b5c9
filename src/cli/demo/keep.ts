import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WorldError } from "../../base/errors.ts";
import type { Config } from "../../config/settings.ts";
import { type RunningServer, runningServer } from "../reach.ts";

const KEPT = [
  "engine.kind",
  "engine.local.sites",
  "engine.dagman.prefix",
  "engine.dagman.submit_uid",
  "engine.dagman.submit_gid",
] as const;

/** A server on the demo's data directory that stays when the demo is over. */
export async function keepServer(config: Config): Promise<RunningServer> {
  const log = openSync(join(config.data_dir, "server.log"), "a");
  const settings = KEPT.filter((key) => config[key] !== null).flatMap((key) => [
    "--set",
    `${key}=${JSON.stringify(config[key])}`,
  ]);
  const main = join(import.meta.dirname, "..", "main.js");
  const words = [main, "serve", "--data-dir", config.data_dir, "--port", "0", ...settings];
  const child = spawn(process.execPath, words, { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  child.unref();
  for (const end = Date.now() + 30_000; Date.now() < end && child.exitCode === null; await sleep(50)) {
    const server = runningServer(config.data_dir);
    if (server !== null && server.pid === child.pid) return server;
  }
  throw new WorldError("server-unreachable", config.data_dir, "the server that was to stay did not start", {
    hint: `see ${join(config.data_dir, "server.log")}`,
  });
}
