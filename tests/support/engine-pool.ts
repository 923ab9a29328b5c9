import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { DagmanEngine } from "../../src/engines/dagman/dagman-engine.ts";
import { type EngineSeat, removeTree } from "./engine-runs.ts";
import { type PoolStatus, poolStatus, sharedDir } from "./pool-server.ts";

/** An engine on the running pool. */
export async function poolSeat(name: string): Promise<EngineSeat> {
  const pool = poolStatus();
  const root = sharedDir(name);
  const submitAs = process.getuid?.() === 0 ? { uid: pool.uid, gid: pool.gid } : undefined;
  const engine = new DagmanEngine({ commandPrefix: pool.prefix, submitAs });
  const close = async (): Promise<void> => {
    await engine.close();
    await emptyQueue(pool, root);
    await removeTree(root);
  };
  return { engine, root, close };
}

/** What a failed test left in the queue would look for its directory for ever. */
async function emptyQueue(pool: PoolStatus, root: string): Promise<void> {
  const [program, ...prefix] = pool.prefix as [string, ...string[]];
  const within = `substr(Iwd, 0, ${root.length}) == "${root}"`;
  const ask = (...argv: string[]): string => {
    const answer = spawnSync(program, [...prefix, ...argv], { cwd: "/", encoding: "utf8" });
    return answer.stdout.trim();
  };
  for (
    let tries = 0;
    tries < 30 && ask("condor_q", "-allusers", "-af", "ClusterId", "-constraint", within) !== "";
    tries++
  ) {
    if (tries % 10 === 0) ask("condor_rm", "-constraint", within);
    await sleep(1000);
  }
}
