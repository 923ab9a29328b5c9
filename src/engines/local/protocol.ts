import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Submission } from "../dag/registry.ts";
import type { EngineSite } from "../port.ts";

/** One JSON document per line, both ways. */
export type Ask =
  | { readonly op: "submit"; readonly submission: Submission; readonly ticket: number }
  | { readonly op: "fence"; readonly submitDir: string; readonly batchName: string; readonly ticket: number }
  | { readonly op: "find" | "stop" | "hold" | "release"; readonly batchName: string }
  | { readonly op: "list" | "ping" }
  | { readonly op: "configure"; readonly sites: readonly EngineSite[] };

export type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };

/** How the engine process ends when another one has its directory. */
export const EXIT_LOCKED = 3;
const LONGEST_PATH = 107;

/** A name of this engine's own on this machine. */
export const nameOf = (dir: string): string =>
  `wms2-${process.getuid?.() ?? 0}-${createHash("sha256").update(dir).digest("hex").slice(0, 16)}`;

/**
 * A unix socket's path is limited to 107 bytes, so it lies in a private directory of its own under the system's
 * temporary directory. Whoever made that directory could answer in the engine's place: it must be ours alone.
 */
export function socketPath(dir: string): string {
  const name = nameOf(dir);
  const base = join(tmpdir(), name, "socket").length <= LONGEST_PATH ? tmpdir() : "/tmp";
  const home = join(base, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const found = lstatSync(home);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? 0) || (found.mode & 0o077) !== 0) {
    throw new Error(`${home} is not a directory of ours alone`);
  }
  return join(home, "socket");
}
