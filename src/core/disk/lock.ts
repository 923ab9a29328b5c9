import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { WorldError } from "../base/errors.ts";
import { orUnwritable } from "./atomic-file.ts";
import { takeLock } from "./lock-file.ts";

/** A directory for one process. A lock of another machine is respected until a person removes it. */
export async function lockDirectory(dir: string, purpose: string): Promise<{ release(): Promise<void> }> {
  const path = join(dir, "lock");
  const command = [process.argv0, ...process.argv.slice(1)].join(" ").slice(0, 300);
  const taken = await orUnwritable(path, async () => {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return takeLock(path, { command, purpose, since: new Date().toISOString() }, Number.POSITIVE_INFINITY);
  });
  if ("release" in taken) return { release: async () => taken.release() };
  const { owner } = taken;
  throw new WorldError(
    "store-locked",
    dir,
    `${dir} is in use by process ${owner.pid} on ${owner.host} since ${owner.since} for ${owner.purpose} (${owner.command})`,
    owner.host === hostname()
      ? {}
      : { hint: `if that machine or container is gone for good, remove ${path} and start again` },
  );
}
