import { spawn } from "node:child_process";
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { liveServer, type RunningServer, runningServer } from "../../src/cli/reach.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/settings.ts";
import { WorldError } from "../../src/core/base/errors.ts";
import { builtProgram } from "../../src/core/disk/package-root.ts";

/** Everything the demo leaves behind; `.wms2/` is ignored by git. */
export interface DemoDirs {
  readonly root: string;
  readonly dataDir: string;
  readonly inputs: string;
}

const MARK = ".made-by-wms2-demo";

/** The requests, as a person would have written them, and their scripts. */
const REQUESTS = ["demo-warm-hours.yaml", "demo-minbias.yaml"];
const SCRIPTS = ["select.sh", "totals.sh", "merge-totals.sh"];

/** Answers with the request files. */
export function writeRequests(folder: string): readonly string[] {
  for (const name of [...REQUESTS, ...SCRIPTS]) copyFileSync(join(import.meta.dirname, name), join(folder, name));
  return REQUESTS.map((name) => join(folder, name));
}

/** A fresh directory. Only one that an earlier demo made is ever emptied. */
export function freshDirs(wanted: string | undefined): DemoDirs {
  const root = resolve(wanted ?? join(process.cwd(), ".wms2", "demo"));
  const dirs = { root, dataDir: join(root, "server"), inputs: join(root, "request") };
  const before = existsSync(root) ? readdirSync(root) : [];
  if (before.length > 0 && !before.includes(MARK)) {
    throw new WorldError("conflict", root, `${root} is not empty and was not made by a demo`, {
      hint: "give another --data-dir",
    });
  }
  const server = liveServer(dirs.dataDir);
  if (server) {
    throw new WorldError("conflict", root, `the server of an earlier demo is still up: ${server.url}`, {
      hint: `stop it with: kill ${server.pid}`,
    });
  }
  try {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(dirs.inputs, { recursive: true });
    writeFileSync(join(root, MARK), "");
  } catch (error) {
    throw new WorldError("disk-unwritable", root, `the demo cannot write to ${root}`, { cause: error });
  }
  return dirs;
}

/**
 * Settings of the demo's own server. Of the surroundings it takes only what concerns the engine: nobody's
 * production database or data directory is touched by a demo.
 */
export function demoSettings(
  dirs: DemoDirs,
  engine: string | undefined,
  file: string | undefined,
  more: Readonly<Record<string, unknown>> = {},
): Config {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith("WMS2_ENGINE_")),
  );
  const sites = ["north", "south"].map((name) => ({ name, cores: 2, memory_mb: 8000 }));
  const { config } = loadConfig({
    file,
    environment,
    flags: {
      data_dir: dirs.dataDir,
      spool_dir: join(dirs.dataDir, "spool"),
      storage_dir: join(dirs.dataDir, "storage"),
      "listen.host": "127.0.0.1",
      "listen.port": 0,
      "engine.kind": engine,
      "engine.local.sites": sites,
      "lifecycle.interval_sec": 0.3,
      "dag.status_interval_sec": 1,
      "dag.scan_interval_sec": 1,
      // Nobody waits a quarter of an hour for a demo's failures to cool off.
      "recovery.cooloff_base_sec": 0,
      "dag.defer_poll_sec": 1,
      "log.level": "silent",
      ...more,
    },
  });
  return { ...config, "database.url": null, "database.url_file": null };
}

/** A server on the demo's data directory that stays when the demo is over. */
export async function keepServer(config: Config): Promise<RunningServer> {
  const log = openSync(join(config.data_dir, "server.log"), "a");
  const ofEngine = Object.entries(config).filter(([key, value]) => key.startsWith("engine.") && value !== null);
  const settings = ofEngine.flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]);
  const main = builtProgram("src/cli/main.js");
  const argv = [main, "serve", "--data-dir", config.data_dir, "--port", "0", ...settings];
  const child = spawn(process.execPath, argv, { detached: true, stdio: ["ignore", log, log] });
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
