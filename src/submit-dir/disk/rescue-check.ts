import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { readPlain, writeWhole } from "../../core/disk/plain-files.ts";
import { isUnitName } from "../../core/names.ts";
import { parseDagmanOut } from "../../engines/format/dagman-out.ts";
import { highestRescue, parseRescue, renderDone, rescueName } from "../../engines/format/rescue.ts";
import type { DamagedRescue } from "../../recovery/round/damage.ts";
import { besideDag, TOP, UNIT } from "../names.ts";
import { entriesOf, ifGone, readTail } from "./disk-steps.ts";
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

/**
 * A DAGMan that broke off while it read its log kept the lock and wrote no rescue file: the next one would go by the same log and
 * break off too. bin/submit takes that lock away; so that nothing finished begins again, a rescue file of ours says what is done.
 */
export async function nameDone(submitDir: string, done: readonly string[]): Promise<void> {
  const names = (await entriesOf(submitDir)).map(({ name }) => name);
  const isLocked = names.includes(besideDag(TOP.dag, "lock"));
  if (!isLocked || !hasExited(await readTail(join(submitDir, besideDag(TOP.dag, "out")), 64 * 1024))) return;
  const newest = highestRescue(names, TOP.dag);
  const before = newest === null ? null : await readPlain(join(submitDir, rescueName(TOP.dag, newest))).catch(ifGone);
  const known = before === null ? new Set<string>() : parseRescue(before).done;
  if (done.every((name) => known.has(name))) return;
  const all = [...new Set([...known, ...done])].sort();
  const number = Math.min((newest ?? 0) + 1, MOST_RESCUES);
  await writeWhole(join(submitDir, rescueName(TOP.dag, number)), renderDone(TOP.dag, all));
}
const MOST_RESCUES = 100;
/** One that was killed did not say so, and the next one goes by its log. */
const hasExited = (out: string): boolean => parseDagmanOut(out).exitStatus !== null;

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
