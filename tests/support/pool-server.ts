import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { resolve } from "node:path";
import { ServerUnderTest } from "./server.ts";

const pool = resolve(import.meta.dirname, "../../scripts/pool");

export interface PoolStatus {
  readonly up: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly prefix: readonly string[];
}

export const poolStatus = (): PoolStatus => JSON.parse(execFileSync(pool, ["status", "--json"], { encoding: "utf8" }));

/** Below /var/tmp: the same path inside the pool, and DAGMan refuses to keep its logs below /tmp. */
export function sharedDir(what: string): string {
  const dir = mkdtempSync(`/var/tmp/wms2-${what}-`);
  chmodSync(dir, 0o777);
  return dir;
}

/** A server whose jobs run on the live pool. */
export function poolServer(settings: Readonly<Record<string, unknown>> = {}): ServerUnderTest {
  const { prefix, uid, gid } = poolStatus();
  const dataDir = sharedDir("pool-server");
  return new ServerUnderTest(
    {
      "engine.kind": "dagman",
      "engine.dagman.prefix": prefix,
      "engine.dagman.submit_uid": uid,
      "engine.dagman.submit_gid": gid,
      "dag.status_interval_sec": 1,
      "dag.scan_interval_sec": 1,
      "dag.hold_removal_sec": 5,
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
