import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ifAbsent, readIfThere } from "../../core/disk/atomic-file.ts";
import { executingIn } from "../event-log.ts";
import { UNIT } from "../names.ts";

/** Somebody waits for the answer. */
const MOST_BYTES = 50_000_000;
const MOST_FOLDERS = 2000;

/** Since when the jobs of these folders run that run now, by their event logs; null: there is too much to read. */
export async function runningSince(dir: string, folders: readonly string[]): Promise<readonly Date[] | null> {
  if (folders.length > MOST_FOLDERS) return null;
  const found: Date[] = [];
  let bytes = 0;
  for (const folder of folders) {
    const path = join(dir, folder, UNIT.log);
    bytes += (await stat(path).catch((error) => ifAbsent(path, error)))?.size ?? 0;
    if (bytes > MOST_BYTES) return null;
    found.push(...executingIn((await readIfThere(path)) ?? "").values());
  }
  return found;
}
