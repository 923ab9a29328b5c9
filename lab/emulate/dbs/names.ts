import { isRow, type Row, unixSec } from "../http.ts";
import type { World } from "../world.ts";
import { DbsError } from "./errors.ts";

/** The small things a dataset is made of. */
export type NameKind = "primary" | "acquisition_era" | "processing_era" | "tier" | "group" | "access" | "config";

export const hasName = (world: World, kind: NameKind, name: unknown): boolean => world.names.has(`${kind}\0${name}`);

/** Known already: it stays as it was. */
export function addName(world: World, kind: NameKind, name: unknown, row: Row): void {
  if (hasName(world, kind, name)) return;
  world.names.put(`${kind}\0${name}`, { kind, ...row, creation_date: unixSec() });
}

const CONFIG_KEYS = ["app_name", "release_version", "pset_hash", "global_tag", "output_module_label"] as const;
export const configKey = (row: Row): string => CONFIG_KEYS.map((key) => row[key]).join("|");

export function addConfig(world: World, row: unknown): string {
  if (!isRow(row)) throw new DbsError(122, "an output configuration must be an object");
  const missing = CONFIG_KEYS.filter((key) => typeof row[key] !== "string" || row[key] === "");
  if (missing.length > 0)
    throw new DbsError(317, "unable to insert output config", { reason: `Code: 113 missing ${missing.join(", ")}` });
  const kept = Object.fromEntries(CONFIG_KEYS.map((key) => [key, row[key]]));
  addName(world, "config", configKey(row), { ...kept, pset_name: row.pset_name ?? null });
  return configKey(row);
}

const DATASET = /^\/([A-Za-z0-9_-]{1,99})\/([A-Za-z0-9._-]{1,199})\/([A-Z0-9-]{1,50})$/;
export function checkDatasetName(name: unknown): void {
  if (typeof name === "string" && DATASET.test(name)) return;
  throw new DbsError(113, `dataset "${name}" does not fit its pattern`);
}

const LFN = [
  /^\/store\/mc\/([A-Za-z0-9._-]+\/){4,}[A-Za-z0-9._-]+\.root$/,
  /^\/store\/data\/([A-Za-z0-9._-]+\/){4,}[A-Za-z0-9._-]+\.root$/,
  /^\/store\/(backfill\/\d+|unmerged)\/([A-Za-z0-9._-]+\/){4,}[A-Za-z0-9._-]+\.root$/,
];
export const isLfn = (lfn: unknown): lfn is string =>
  typeof lfn === "string" && lfn.length <= 500 && LFN.some((pattern) => pattern.test(lfn));

/** Beyond what a JavaScript number holds exactly, as real ones are: two ids may look the same. */
export const WILD_ID = 2 ** 62 + 1;
