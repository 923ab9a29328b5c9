import type { RequestName } from "../domain/names.ts";
import type { NodeAction } from "../domain/operator.ts";
import type { AttemptRecord } from "../recovery/ledger-record.ts";
import type { UnclassifiedPage } from "./port.ts";
import type { Ports } from "./ports.ts";
import { lastAttempts, type PresentRun, presentRun, unfinishedUnits } from "./present-run.ts";

/** A node that stopped because no rule knew its failure. */
export interface Waiting {
  readonly unit: string;
  readonly node: string;
  readonly attempt: number;
  readonly record: AttemptRecord;
  readonly classified: NodeAction | null;
}

/** Those of the present run, by unit and node. */
export async function findUnclassified(ports: Ports, run: PresentRun): Promise<readonly Waiting[]> {
  const found: Omit<Waiting, "classified">[] = [];
  for (const unit of await unfinishedUnits(ports, run)) {
    const { lines } = await ports.spool.ledger(run.dag.submitDir, unit);
    for (const [node, { record, attempt }] of lastAttempts(lines))
      if (record.decision === "unclassified") found.push({ unit, node, attempt, record });
  }
  const said = found.length > 0 ? await saidOf(ports, run) : new Map<string, NodeAction>();
  return found.map((one) => ({ ...one, classified: said.get(`${one.unit}/${one.node} ${one.attempt}`) ?? null }));
}

/** What was said of attempts of this run, by "unit/node attempt". */
async function saidOf(ports: Ports, { rootId }: PresentRun): Promise<ReadonlyMap<string, NodeAction>> {
  const said = new Map<string, NodeAction>();
  let cursor: string | null = null;
  do {
    const page = await ports.store.nodeActions.list({ dagId: rootId, limit: 1000, ...(cursor !== null && { cursor }) });
    for (const action of page.items)
      if (action.kind !== "resubmit") said.set(`${action.unit}/${action.node} ${action.attempt}`, action);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return said;
}

export async function gatherUnclassified(
  ports: Ports,
  name: RequestName,
  { offset, limit }: { offset: number; limit: number },
): Promise<UnclassifiedPage | null> {
  const request = await ports.store.requests.get(name);
  if (!request) return null;
  const run = await presentRun(ports.store, request);
  if (!run) return { total: 0, open: 0, items: [] };
  const waiting = await findUnclassified(ports, run);
  const shown = waiting.slice(offset, offset + limit);
  const items = [];
  for (const one of shown)
    items.push({ ...one, stderrTail: await ports.spool.logTail(run.dag.submitDir, one.unit, one.node) });
  const open = waiting.filter(({ classified }) => classified === null).length;
  return { total: waiting.length, open, items };
}
