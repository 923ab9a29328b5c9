import { join } from "node:path";
import { isUnitName } from "../domain/names.ts";
import { highestRescue, parseRescue, rescueName } from "../engine/format/rescue.ts";
import { TOP, UNIT } from "../submit-dir/names.ts";
import { entriesOf, ifGone } from "./disk-steps.ts";
import { readPlain } from "./plain-files.ts";

interface RescueTrouble {
  /** Relative to the submit directory. */
  readonly file: string;
  readonly why: string;
}

const MOST_NAMED = 20;

/**
 * A rescue file that was cut or overwritten would make an engine run finished work again, or refuse the DAG. Looks at the
 * newest rescue file of the workflow and of every unit, the ones a resubmission would use. Empty: all are well.
 */
export async function damagedRescues(submitDir: string): Promise<readonly RescueTrouble[]> {
  const entries = await entriesOf(submitDir);
  const found: RescueTrouble[] = [];
  const check = async (folder: string, dag: string, names: readonly string[]) => {
    const number = highestRescue(names, dag);
    if (number === null) return;
    const file = join(folder, rescueName(dag, number));
    const text = await readPlain(join(submitDir, file)).catch(ifGone);
    const why = text === null ? null : rescueDamage(text);
    if (why !== null) found.push({ file, why });
  };
  await check(
    "",
    TOP.dag,
    entries.map(({ name }) => name),
  );
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isUnitName(entry.name))) {
    if (found.length >= MOST_NAMED) break;
    const names = (await entriesOf(join(submitDir, name))).map((entry) => entry.name);
    await check(name, UNIT.dag, names);
  }
  return found;
}

/** null: it can be used. */
export function rescueDamage(text: string): string | null {
  if (text.trim() === "") return "it is empty";
  const { problems, complete } = parseRescue(text);
  const [first] = problems;
  if (first !== undefined) return `it has a line that does not belong there: ${first.slice(0, 80)}`;
  return complete ? null : "it names fewer or more finished nodes than its header counts";
}

/** Why a request with such a file is held; null: there is none. */
export async function rescueTrouble(submitDir: string): Promise<string | null> {
  const [first, ...more] = await damagedRescues(submitDir);
  if (!first) return null;
  return `its rescue file ${first.file} is damaged: ${first.why}${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
}
