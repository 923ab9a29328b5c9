import { stat } from "node:fs/promises";
import { join } from "node:path";
import { whyNot } from "../../core/disk/atomic-file.ts";
import { ENTER, type Owner, permits, READ, WRITE } from "../../core/disk/permission.ts";
import { inDirectory, readPlain } from "../../core/disk/plain-files.ts";
import { MERGE_GROUP, throttledRoles } from "../../core/roles.ts";
import type { UnitDamage } from "../../recovery/round/damage.ts";
import { isWholeInclude } from "../include-file.ts";
import { isWholePart } from "../jobs.ts";
import { readManifest } from "../manifest.ts";
import { isPart, UNIT } from "../names.ts";

/** A unit's DAG ends with the limit of the last role that has one. */
const DAG_END = new RegExp(`\\nMAXJOBS ${throttledRoles(MERGE_GROUP).at(-1)} \\d+\\n$`);

/** The files a unit begins with, and how it shows that one of them was cut short. The ledger may be missing. */
const FILES: readonly { readonly name: string; readonly need: number; readonly isWhole: (text: string) => boolean }[] =
  [
    { name: UNIT.dag, need: READ, isWhole: (text) => DAG_END.test(text) },
    { name: UNIT.manifest, need: READ, isWhole: (text) => readManifest(text) !== null },
    { name: UNIT.include, need: READ, isWhole: isWholeInclude },
    { name: UNIT.ledger, need: READ | WRITE, isWhole: () => true },
  ];

/** The jobs of a graph have one DAG for all their parts. */
const PART_FILES = FILES.flatMap((file) =>
  file.name === UNIT.dag ? [] : [file.name === UNIT.manifest ? { ...file, isWhole: isWholePart } : file],
);

/**
 * Why a unit cannot be run from its directory; null: it can. `owner`: who runs it, when that is not this process, which
 * as root may read what they may not.
 */
export async function unitDamage(dir: string, unit: string, owner: Owner | null): Promise<UnitDamage | null> {
  let path = join(dir, unit);
  const damage = (why: string): UnitDamage => ({ unit, path, why });
  try {
    return await inDirectory(dir, unit, async (here) => {
      if (!(await isFor(here, owner, READ | WRITE | ENTER))) return damage(`uid ${owner?.uid} has no permission`);
      for (const { name, need, isWhole } of isPart(unit) ? PART_FILES : FILES) {
        path = join(dir, unit, name);
        const text = await readPlain(join(here, name)).catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT" && name === UNIT.ledger) return null;
          throw error;
        });
        if (text === null) continue;
        if (!isWhole(text)) return damage("it was cut short or changed");
        if (!(await isFor(join(here, name), owner, need))) return damage(`uid ${owner?.uid} has no permission`);
      }
      return null;
    });
  } catch (error) {
    return damage(whyNot(error));
  }
}

const isFor = async (path: string, owner: Owner | null, need: number): Promise<boolean> =>
  owner === null || permits(await stat(path), owner, need);
