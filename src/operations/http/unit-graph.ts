import { open } from "node:fs/promises";
import { join } from "node:path";
import { UNIT } from "../../submit-dir/names.ts";
import { PLAIN, unitDirectory } from "./node-logs.ts";

/** The DAG of one unit as its file has it; null: there is no such unit, or it is a job of a graph and has none. */
export async function readUnitGraph(submitDir: string, unit: string) {
  const directory = await unitDirectory(submitDir, unit);
  const file = directory && (await open(join(directory, UNIT.dag), PLAIN).catch(() => null));
  if (!file) return null;
  const text = await file.readFile("utf8").finally(() => file.close());
  return { nodes: nodesIn(text), edges: edgesIn(text) };
}

const nodesIn = (dag: string): readonly string[] =>
  [...dag.matchAll(/^[ \t]*(?:JOB|FINAL)[ \t]+(\S+)/gim)].map(([, name]) => name!);

const edgesIn = (dag: string): readonly { readonly from: readonly string[]; readonly to: readonly string[] }[] =>
  [...dag.matchAll(/^[ \t]*PARENT[ \t]+(.+?)[ \t]+CHILD[ \t]+(.+?)[ \t]*$/gim)].map(([, from, to]) => ({
    from: from!.split(/[ \t]+/),
    to: to!.split(/[ \t]+/),
  }));
