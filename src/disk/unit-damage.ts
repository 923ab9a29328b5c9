import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { UnitDamage } from "../recovery/round/damage.ts";
import { whyNot } from "./atomic-file.ts";
import { ENTER, type Owner, permits, READ, WRITE } from "./permission.ts";
import { inDirectory, readPlain } from "./plain-files.ts";
import { parseManifest } from "./unit-files.ts";

/** The files a unit begins with, and how it shows that one of them was cut short. The ledger may be missing. */
const FILES: readonly { readonly name: string; readonly need: number; readonly isWhole: (text: string) => boolean }[] =
  [
    { name: "group.dag", need: READ, isWhole: (text) => /\nMAXJOBS cleanup \d+\n$/.test(text) },
    { name: "manifest.json", need: READ, isWhole: canBeParsed },
    { name: "group.inc", need: READ, isWhole: (text) => text === "" || text.endsWith("\n") },
    { name: "ledger.jsonl", need: READ | WRITE, isWhole: () => true },
  ];

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
      for (const { name, need, isWhole } of FILES) {
        path = join(dir, unit, name);
        const text = await readPlain(join(here, name)).catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT" && name === "ledger.jsonl") return null;
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

function canBeParsed(text: string): boolean {
  try {
    parseManifest(text);
    return true;
  } catch {
    return false;
  }
}
