import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { isUnitName } from "../domain/names.ts";
import { highestRescue, parseRescue, rescueName } from "../engine/format/rescue.ts";
import type { DamagedRescue } from "../recovery/round/damage.ts";
import { TOP, UNIT } from "../submit-dir/names.ts";
import { entriesOf, ifGone } from "./disk-steps.ts";
import { readPlain } from "./plain-files.ts";
import { inUnit } from "./unit-files.ts";

/**
 * A rescue file that was cut or overwritten would make an engine run finished work again, or refuse the DAG. Looks at the
 * newest rescue file of the workflow and of every unit, the ones a resubmission would use. Empty: all are well.
 */
export async function damagedRescues(submitDir: string): Promise<readonly DamagedRescue[]> {
  const entries = await entriesOf(submitDir);
  const found: DamagedRescue[] = [];
  const check = async (unit: string | null, dag: string, names: readonly string[]) => {
    const number = highestRescue(names, dag);
    if (number === null) return;
    const file = join(unit ?? "", rescueName(dag, number));
    const text = await readPlain(join(submitDir, file)).catch(ifGone);
    const why = text === null ? null : rescueDamage(text);
    if (why !== null) found.push({ unit, file, why });
  };
  await check(
    null,
    TOP.dag,
    entries.map(({ name }) => name),
  );
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isUnitName(entry.name)))
    await check(
      name,
      UNIT.dag,
      (await entriesOf(join(submitDir, name))).map((entry) => entry.name),
    );
  return found;
}

/** Of a unit: its next DAGMan goes by an older one, or by none. PRE skips what the ledger has as done. */
export const setRescueAside = (submitDir: string, unit: string, file: string): Promise<void> =>
  inUnit(submitDir, unit, async (here) => {
    const path = join(here, basename(file));
    await rename(path, `${path}.aside`).catch(ifGone);
  });

/** null: it can be used. */
export function rescueDamage(text: string): string | null {
  if (text.trim() === "") return "it is empty";
  const { problems, complete } = parseRescue(text);
  const [first] = problems;
  if (first !== undefined) return `it has a line that does not belong there: ${first.slice(0, 80)}`;
  return complete ? null : "it names fewer or more finished nodes than its header counts";
}
