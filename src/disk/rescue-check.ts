import { join } from "node:path";
import { highestRescue, parseRescue, rescueName } from "../engine/format/rescue.ts";
import { isUnitDirectory } from "../housekeeping/kept-files.ts";
import { entriesOf, ifGone } from "./disk-steps.ts";
import { readPlain } from "./plain-files.ts";

export interface RescueTrouble {
  /** Relative to the submit directory. */
  readonly file: string;
  readonly why: string;
}

const MOST_TOLD = 20;

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
    "workflow.dag",
    entries.map(({ name }) => name),
  );
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isUnitDirectory(entry.name))) {
    if (found.length >= MOST_TOLD) break;
    const names = (await entriesOf(join(submitDir, name))).map((entry) => entry.name);
    await check(name, "group.dag", names);
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

/** Why a request with such a file is held. */
export const rescueHoldMessage = (troubles: readonly RescueTrouble[]): string => {
  const [first] = troubles;
  const more = troubles.length > 1 ? ` (and ${troubles.length - 1} more)` : "";
  return `its rescue file ${first?.file} is damaged: ${first?.why}${more}`;
};
