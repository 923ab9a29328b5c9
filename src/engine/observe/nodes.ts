import type { NodeName, UnitName } from "../../domain/names.ts";
import type { NodeView, Run } from "../../domain/run.ts";
import { TOP, UNIT } from "../../submit-dir/names.ts";
import { isIdle, type StatusNode, wasCutShort } from "../format/status-file.ts";
import { readDagEnd, readMetrics, readRunMetrics } from "./dag-end.ts";
import { inTurns, readText } from "./files.ts";
import { isUnit, nodeNames } from "./run-view.ts";

/** All nodes of a run, for people; units that have not begun are read from their group.dag. */
export async function readNodes(run: Run): Promise<readonly NodeView[]> {
  const { status } = await readDagEnd(run.submitDir, TOP.dag, await readRunMetrics(run));
  const perNode = await inTurns(status?.nodes ?? [], async (node): Promise<readonly NodeView[]> => {
    return isUnit(node.name) ? unitNodes(run, node.name, node.state === "done") : [viewOf(null, node)];
  });
  return perNode.flat();
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
