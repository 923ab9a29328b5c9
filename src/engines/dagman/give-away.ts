import { mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { WorldError } from "../../core/base/errors.ts";
import { orUnwritable, replaceFile } from "../../core/disk/atomic-file.ts";
import { ENTER, type Owner, permits } from "../../core/disk/permission.ts";
import { program } from "../../submit-dir/names.ts";
import { modifiedAt } from "../observe/files.ts";
import type { Spawner } from "./spawn.ts";

/** Who owns the jobs when this process is root: root cannot own jobs. */
export type JobOwner = Owner;

/**
 * Gives the submit directory to the job owner, once: chown works upwards and changes the directory itself last, so a
 * directory that has the right owner is finished. Links are changed themselves, never what they point to.
 */
export async function giveAway(dir: string, owner: JobOwner, spawner: Spawner): Promise<void> {
  if ((await stat(dir)).uid === owner.uid) return;
  const argv = ["chown", "-hR", `${owner.uid}:${owner.gid}`, "--", dir];
  const answer = await spawner({ argv, cwd: "/", timeoutSec: 600 });
  if (answer.code !== 0) {
    throw new WorldError("disk-unwritable", dir, `cannot give ${dir} to uid ${owner.uid}: ${answer.stderr.trim()}`);
  }
}

const PROGRAM = new URL("../../submit-dir/payload/submit-host/submit", import.meta.url);

/** Every submit directory has the program that submits it; one that an older version wrote gets it now. */
export async function bringProgram(dir: string): Promise<void> {
  const target = path.join(dir, program("submit"));
  if ((await modifiedAt(target)) !== null) return;
  await orUnwritable(target, () => mkdir(path.dirname(target), { recursive: true }));
  await replaceFile(target, await readFile(PROGRAM), 0o755);
}

/** The first directory on the way that the job owner may not pass; null: the way is open. */
export async function closedAncestor(dir: string, owner: JobOwner): Promise<string | null> {
  for (let at = path.dirname(dir); ; at = path.dirname(at)) {
    if (!permits(await stat(at), owner, ENTER)) return at;
    if (at === path.dirname(at)) return null;
  }
}

export const describeClosed = (closed: string, { uid }: JobOwner): string =>
  `${closed} is closed to the job owner (uid ${uid}), so no job can reach its submit directory`;
