import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, ifGone, isSubmitDirectory, requestsIn } from "../../../submit-dir/disk/disk-steps.ts";
import { isCompacted } from "./compact.ts";

const AT_ONCE = 64;

export async function measureSpool(spoolDir: string, storageDir: string): Promise<readonly RequestUsage[]> {
  const names = new Set([...(await requestsIn(spoolDir)), ...(await requestsIn(join(storageDir, "unmerged")))]);
  const found: RequestUsage[] = [];
  for (const request of [...names].sort()) found.push(await measureRequest(spoolDir, storageDir, request));
  return found;
}

/** What lies on the disk for one request, in the names of --json. Reads only; works without a server. */
export type RequestUsage = Readonly<Awaited<ReturnType<typeof measureRequest>>>;

async function measureRequest(spoolDir: string, storageDir: string, request: string) {
  const home = join(spoolDir, request);
  const directories = (await entriesOf(home)).filter(isSubmitDirectory);
  const own = await measureTree(home);
  const unmerged = await measureTree(join(storageDir, "unmerged", request));
  return {
    request_name: request,
    directories: directories.length,
    compacted: directories.filter(({ name }) => isCompacted(join(home, name))).length,
    ...own,
    unmerged_files: unmerged.files,
    unmerged_bytes: unmerged.bytes,
  };
}

/** Files and their sizes; links count as themselves. */
async function measureTree(path: string): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 };
  const entries = await entriesOf(path);
  const files = entries.filter((entry) => !entry.isDirectory());
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const part = files.slice(at, at + AT_ONCE);
    for (const stats of await Promise.all(part.map(({ name }) => lstat(join(path, name)).catch(ifGone)))) {
      if (!stats) continue;
      sum.files += 1;
      sum.bytes += stats.size;
    }
  }
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const inner = await measureTree(join(path, name));
    sum.files += inner.files;
    sum.bytes += inner.bytes;
  }
  return sum;
}
