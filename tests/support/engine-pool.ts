import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DagmanEngine } from "../../src/engine/dagman/dagman-engine.ts";
import { type EngineSeat, removeTree } from "./engine-runs.ts";

const project = path.resolve(import.meta.dirname, "../..");

export interface PoolStatus {
  readonly up: boolean;
  readonly prefix: readonly string[];
  readonly uid: number;
  readonly gid: number;
  readonly sites: readonly { readonly name: string; readonly cores: number; readonly memoryMb: number }[];
}
export function poolStatus(): PoolStatus {
  return JSON.parse(
    execFileSync(path.join(project, "scripts/pool"), ["status", "--json"], { encoding: "utf8" }),
  );
}

/** An engine on the running pool. Not below /tmp: there DAGMan is told to be less strict than in production. */
export async function poolSeat(name: string): Promise<EngineSeat> {
  const pool = poolStatus();
  const root = path.join(project, "tmp", `${name}-${process.pid}`);
  await mkdir(root, { recursive: true });
  const submitAs = process.getuid?.() === 0 ? { uid: pool.uid, gid: pool.gid } : undefined;
  const engine = new DagmanEngine({ commandPrefix: pool.prefix, submitAs });
  return { engine, root, close: () => engine.close().then(() => removeTree(root)) };
}
