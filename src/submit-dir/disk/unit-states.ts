import { stat } from "node:fs/promises";
import { join } from "node:path";
import { inSlices } from "../../core/base/slices.ts";
import { ifAbsent, readIfThere } from "../../core/disk/atomic-file.ts";
import { isUnitName } from "../../core/names.ts";
import type { UnitStates } from "../../core/run.ts";
import { endedIn } from "../ended-list.ts";
import { besideDag, TOP } from "../names.ts";

/** Runs whose states are remembered: those that people look at. */
const MOST_RUNS = 4;

/** Reads the states of a run's units; null: it has none yet. What has not changed since is not read again: many may look at one map. */
export function makeUnitStates(): (dir: string) => Promise<UnitStates | null> {
  const known = new Map<string, { readonly stamp: string; readonly states: UnitStates }>();
  return async (dir) => {
    const [file, endedFile] = [join(dir, besideDag(TOP.dag, "status")), join(dir, TOP.ended)];
    // Before the files: what changes meanwhile is read again the next time.
    const stamp = `${await stampOf(file)} ${await stampOf(endedFile)}`;
    const last = known.get(dir);
    known.delete(dir);
    if (last?.stamp === stamp) {
      known.set(dir, last);
      return last.states;
    }
    const status = await readIfThere(file);
    if (status === null) return null;
    const states = await inSlices(unitStatesIn(status, (await readIfThere(endedFile)) ?? ""));
    known.set(dir, { stamp, states });
    for (const oldest of known.keys()) if (known.size > MOST_RUNS) known.delete(oldest);
    return states;
  };
}

async function stampOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch((error) => ifAbsent(path, error));
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "";
}

/** By the number of a node's state in the file; a unit has begun from its first script on. */
const LETTERS = "wwrrrdfw";
const NODE = /Node = "([^"\\\n]+)";\s+NodeStatus = (\d)[^\n]*\s+StatusDetails = "(Was STATUS_)?/g;

/**
 * The states of units by the status file of their DAG, without the rest of it: a hundred thousand nodes are 17 MB, and a
 * whole parse takes a second. `ended`: of a graph, jobs that DAGMan takes for done and are not.
 */
export function* unitStatesIn(status: string, ended: string): Generator<undefined, UnitStates> {
  const names: string[] = [];
  const letters: string[] = [];
  const exceptions = endedIn(ended);
  for (const [, name = "", number, wasCut] of status.matchAll(NODE)) {
    if (!isUnitName(name)) continue;
    if (names.length % 500 === 0) yield;
    const how = exceptions.get(name)?.how;
    names.push(name);
    if (how !== undefined) letters.push(how === "failed" ? "f" : "w");
    else letters.push(wasCut ? "w" : (LETTERS[Number(number)] ?? "w"));
  }
  return { names, states: letters.join("") };
}
