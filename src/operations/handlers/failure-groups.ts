import { groupBy } from "../../core/base/group-by.ts";
import { plural } from "../../core/base/text.ts";
import type { RequestName } from "../../core/names.ts";
import type { NodeAction } from "../../core/operator.ts";
import type { Ports } from "../../loop/ports.ts";
import { type Likeness, likenessOf } from "../../recovery/likeness.ts";
import { type FailedNode, placeOf } from "../../recovery/round/recover.ts";
import { failedSoFar, type PresentRun, presentRun } from "./present-run.ts";
import type { FailureGroup, FailureGroups } from "./recovery-port.ts";

/** Each is a file to open: more than this are not looked at in one answer. */
export const MOST_LOGS = 5000;
const NAMED = 20;

/** By what a node's log says; null: no such request. */
export async function failureGroups(ports: Ports, name: RequestName): Promise<FailureGroups | null> {
  const request = await ports.store.requests.get(name);
  if (!request) return null;
  const run = await presentRun(ports.store, request);
  if (!run) return { failures: 0, groups: [], notRead: 0 };
  const failed = await failedSoFar(ports, run);
  const looked = failed.slice(0, MOST_LOGS);
  const alike = await likenesses(ports, run, looked);
  const names = failed.length > 0 ? await ports.spool.jobNames(run.dag.submitDir) : null;
  const nameOf = (unit: string) => names?.nameOf(unit) ?? null;
  const groups = [...groupBy(looked, (one) => alike.get(placeOf(one))?.key ?? "")].map(([key, nodes]) =>
    groupOf(key, nodes, alike.get(placeOf(nodes[0]!))?.lines ?? [], run, nameOf),
  );
  groups.sort((a, b) => b.failures - a.failures || (a.key < b.key ? -1 : 1));
  return { failures: failed.length, groups, notRead: failed.length - looked.length };
}

function groupOf(
  key: string,
  nodes: readonly FailedNode[],
  lines: readonly string[],
  run: PresentRun,
  nameOf: (unit: string) => string | null,
): FailureGroup {
  const [{ unit, node, record }] = nodes as [FailedNode];
  const waits = nodes.filter((one) => one.record.decision === "unclassified");
  return {
    key,
    failures: nodes.length,
    unclassified: waits.length,
    whyNot: waits.length > 0 ? whyNotNow(run) : whyNotAtAll(nodes),
    cause: record.cause,
    exitCode: record.exitCode,
    lines,
    example: { unit, node, job: nameOf(unit), at: record.at, reason: record.reason },
    nodes: nodes.slice(0, NAMED).map((one) => nameOf(one.unit) ?? placeOf(one)),
  };
}

/** A run has to be over before anything is said of its failures; null: it is. */
export const whyNotNow = ({ isOver, request: { status } }: PresentRun): string | null =>
  isOver && (status === "held" || status === "partial") ? null : `it is ${status}: its run has to end first`;

/** Of failures of which none waits for a decision: who decided. */
function whyNotAtAll(nodes: readonly FailedNode[]): string {
  const [said, ...others] = new Set(nodes.flatMap(({ said }) => (said ? wordsOf(said) : [])));
  if (said === undefined) return "a rule knows these: release, rescue or resubmit the request instead";
  return others.length === 0 ? said : `${said}, and ${plural(others.length, "other decision")}`;
}
const wordsOf = ({ kind, actor, reason }: NodeAction): string =>
  `${actor} ${kind === "fail" ? "gave them up" : "said to try them again"}: ${reason}`;

/** What the logs of these nodes say, by "unit/node". */
export async function likenesses(
  ports: Ports,
  run: PresentRun,
  nodes: readonly FailedNode[],
): Promise<ReadonlyMap<string, Likeness>> {
  const found = new Map<string, Likeness>();
  for (const one of nodes) found.set(placeOf(one), likenessOf(await logOf(ports, run, one), one.record));
  return found;
}

export const logOf = ({ spool }: Ports, { dag }: PresentRun, { unit, node, record }: FailedNode): Promise<string> =>
  spool.logTail(dag.submitDir, unit, node, record.cluster);
