import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ReapedServer } from "./reaper.ts";

const pool = resolve(import.meta.dirname, "../../scripts/pool");

export interface PoolStatus {
  readonly up: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly prefix: readonly string[];
  readonly logs: string;
  readonly sites: readonly { readonly name: string; readonly cores: number; readonly memoryMb: number }[];
}

export const poolStatus = (): PoolStatus => JSON.parse(execFileSync(pool, ["status", "--json"], { encoding: "utf8" }));

/** Another pool beside the first, with a schedd of its own: another submit host. It shares the first one's programs. */
export class SecondPool {
  readonly dir = sharedDir("second-pool");
  readonly #env = { ...process.env, WMS2_POOL_DIR: this.dir };

  constructor() {
    const programs = resolve(poolStatus().logs, "../../rootfs-1");
    if (existsSync(programs)) symlinkSync(programs, join(this.dir, "rootfs-1"));
    execFileSync(pool, ["up"], { env: this.#env, stdio: "pipe" });
  }

  get prefix(): readonly string[] {
    return ["env", `WMS2_POOL_DIR=${this.dir}`, pool, "exec"];
  }
  exec(...argv: string[]): string {
    return execFileSync(pool, ["exec", ...argv], { env: this.#env, encoding: "utf8" });
  }
  remove(): void {
    execFileSync(pool, ["wipe"], { env: this.#env, stdio: "pipe" });
  }
}

/**
 * The same path inside the pool, and the job owner may go there wherever the clone lies: not below it, since a clone may lie below
 * a closed folder, and not below /tmp, where DAGMan refuses to keep its logs.
 */
export function sharedDir(what: string): string {
  const place = `${tmpdir()}/`.startsWith("/var/tmp/") ? tmpdir() : "/var/tmp";
  const dir = mkdtempSync(join(place, `wms2-${what}-`));
  chmodSync(dir, 0o777);
  return dir;
}

/** A server whose jobs run on the live pool. */
export function poolServer(
  settings: Readonly<Record<string, unknown>> = {},
  dataDir = sharedDir("pool-server"),
): ReapedServer {
  const { prefix, uid, gid } = poolStatus();
  return new ReapedServer(
    {
      "engine.kind": "dagman",
      "engine.dagman.prefix": prefix,
      "engine.dagman.submit_uid": uid,
      "engine.dagman.submit_gid": gid,
      "dag.status_interval_sec": 1,
      "dag.scan_interval_sec": 1,
      "dag.hold_removal_sec": 5,
      "dag.lost_job_sec": 10,
      "lifecycle.interval_sec": 0.5,
      "lifecycle.resubmit_grace_sec": 2,
      ...settings,
    },
    dataDir,
  );
}

export const inPool = (...argv: string[]): string => execFileSync(pool, ["exec", ...argv], { encoding: "utf8" });
export const asPoolRoot = (...argv: string[]): string =>
  execFileSync(pool, ["exec", "--root", ...argv], { encoding: "utf8" });
