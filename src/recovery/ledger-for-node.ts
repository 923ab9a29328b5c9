import { type GroupSummary, likeness } from "./decision.ts";
import { type History, historyOf, isAttempt, type LedgerProblem, parseLedger } from "./ledger-record.ts";

/**
 * What POST needs of a group's ledger, without reading every sibling's records as data: the node's own history, and
 * how many siblings succeeded or stopped for good. A line is only parsed when it is about the node, opens an epoch,
 * or stopped for a permanent reason; all writers of the ledger write compact JSON, so that plain search finds them.
 */
export function ledgerForNode(
  text: string,
  node: string,
): { readonly history: History; readonly group: GroupSummary; readonly problems: readonly LedgerProblem[] } {
  const own = `"node":${JSON.stringify(node)}`;
  const wanted: string[] = [];
  const done = new Set<string>();
  for (const line of text.split("\n")) {
    const isOwn = line.includes(own);
    if (!isOwn && line.includes('"decision":"done"')) done.add(nameIn(line));
    const isEnd = line.includes('"category":"permanent"') && !line.includes('"decision":"retry"');
    const isWhole = line === "" || line.endsWith("}");
    wanted.push(isOwn || isEnd || !isWhole || line.includes('"event":"epoch"') ? line : "");
  }
  done.delete("landing");
  const { lines, problems } = parseLedger(wanted.join("\n"));
  const alike: Record<string, number> = {};
  const stopped = new Map(lines.filter(isAttempt).map((record) => [record.node, record]));
  for (const [name, { rule, exitCode, decision, category }] of stopped) {
    if (name === node || done.has(name) || category !== "permanent" || decision === "retry") continue;
    const key = likeness(rule, exitCode);
    alike[key] = (alike[key] ?? 0) + 1;
  }
  return { history: historyOf(lines, node), group: { alike, succeeded: done.size }, problems };
}

function nameIn(line: string): string {
  const at = line.indexOf('"node":"') + 8;
  return at < 8 ? "" : line.slice(at, line.indexOf('"', at));
}
