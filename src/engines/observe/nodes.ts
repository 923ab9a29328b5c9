import { inSlices, mapInSlices } from "../../core/base/slices.ts";
import { jobIndex, type NodeName, type UnitName } from "../../core/names.ts";
import type { NodeView, Run } from "../../core/run.ts";
import { endedIn } from "../../submit-dir/ended-list.ts";
import { GraphNames } from "../../submit-dir/jobs.ts";
import { TOP, UNIT, unitFolder } from "../../submit-dir/names.ts";
import { isIdle, type StatusNode, wasCutShort } from "../format/status-file.ts";
import { readDagEnd, readMetrics, readRunMetrics } from "./dag-end.ts";
import { inTurns, readText } from "./files.ts";
import { isUnit, nodeNames } from "./run-view.ts";

/** All nodes of a run, or of one unit, for people; units that have not begun are read from their group.dag. */
export async function readNodes(run: Run, only?: UnitName): Promise<readonly NodeView[]> {
  if (only !== undefined && jobIndex(only) === null) return unitNodes(run, only, false);
  const { status } = await readDagEnd(run.submitDir, TOP.dag, await readRunMetrics(run));
  const jobs = (status?.nodes ?? []).filter(({ name }) => jobIndex(name) !== null);
  // A graph is nothing but its jobs, each a unit of its own.
  if (jobs.length > 0) return jobViews(run, jobs);
  const perNode = await inTurns(status?.nodes ?? [], async (node): Promise<readonly NodeView[]> => {
    return isUnit(node.name) ? unitNodes(run, node.name, node.state === "done") : [viewOf(null, node)];
  });
  return perNode.flat();
}

async function jobViews({ submitDir }: Run, jobs: readonly StatusNode[]): Promise<readonly NodeView[]> {
  const ended = endedIn((await readText(`${submitDir}/${TOP.ended}`)) ?? "");
  const parts = [...new Set(jobs.map(({ name }) => unitFolder(name)))];
  const manifests = await inTurns(parts, (part) => readText(`${submitDir}/${part}/${UNIT.manifest}`));
  const names = await inSlices(GraphNames.in(manifests.map((text) => text ?? "")));
  const view = (node: StatusNode): NodeView => {
    const how = node.state === "done" || node.state === "failed" ? ended.get(node.name)?.how : undefined;
    const state = how === "failed" ? "failed" : how === "blocked" ? "futile" : node.state;
    const job = names.nameOf(node.name);
    return { ...viewOf(node.name as UnitName, { ...node, state }), ...(job !== null && { job }) };
  };
  return inSlices(mapInSlices(jobs, view));
}

async function unitNodes(run: Run, unit: UnitName, done: boolean): Promise<readonly NodeView[]> {
  const dir = `${run.submitDir}/${unit}`;
  const { status } = await readDagEnd(dir, UNIT.dag, await readMetrics(dir, UNIT.dag));
  const unseen = async () =>
    nodeNames((await readText(`${dir}/${UNIT.dag}`)) ?? "").map((name) => ({ ...UNSEEN, name }));
  const nodes = (status?.nodes ?? (await unseen())).map((node) => viewOf(unit, node));
  return done ? nodes.map((node) => ({ ...node, state: "done" })) : nodes;
}

const UNSEEN: Omit<StatusNode, "name"> = { state: "waiting", detail: "", retries: 0, held: 0 };

const viewOf = (unit: UnitName | null, node: StatusNode): NodeView => ({
  unit,
  node: node.name as NodeName,
  state: wasCutShort(node) ? "waiting" : node.state,
  retries: node.retries,
  held: node.held > 0,
  idle: isIdle(node),
  detail: node.detail,
});
