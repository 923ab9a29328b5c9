import { groupBy } from "../base/group-by.ts";
import type { Dag } from "../domain/dag.ts";
import type { RequestName, WorkflowId } from "../domain/names.ts";
import { type AttemptRecord, type EpochRecord, isAttempt } from "../recovery/ledger-record.ts";
import type { Ports } from "./ports.ts";

export interface AttemptFilter {
  readonly unit?: string;
  /** "proc_000021", or with its unit: "mg_000003/proc_000021". */
  readonly node?: string;
  /** A page ends with the unit that reaches this number. */
  readonly limit: number;
  readonly cursor?: string;
}
export interface AttemptPage {
  readonly items: { readonly round: number; readonly unit: string; readonly record: AttemptRecord }[];
  readonly epochs: { readonly round: number; readonly unit: string; readonly record: EpochRecord }[];
  /** Lines of the ledgers that could not be read. */
  readonly unreadable: { readonly unit: string; readonly line: number; readonly message: string }[];
  /** Submit directories that are no more. */
  readonly gone: string[];
  readonly nextCursor: string | null;
}

/** A page looks at no more ledgers than this: a search for one node among very many goes on in the next. */
const MOST_LEDGERS = 2000;

/**
 * What became of every attempt, as the ledgers in the submit directories tell it: newest round first, then unit by
 * unit; within a unit node by node, oldest attempt first. A page holds whole units.
 */
export async function gatherAttempts(
  ports: Ports,
  name: RequestName,
  filter: AttemptFilter,
): Promise<AttemptPage | null> {
  if (!(await ports.store.requests.get(name))) return null;
  const workflow = await ports.store.workflows.forRequest(name);
  const dirs = workflow ? await directories(ports, workflow.id) : [];
  const wanted = placeOf(filter);
  const page: AttemptPage = { items: [], epochs: [], unreadable: [], gone: [], nextCursor: null };
  const from = readCursor(filter.cursor);
  let ledgers = 0;
  for (const dir of dirs) {
    if (from && dir.round > from.round) continue;
    if (!(await ports.spool.isComplete(dir.submitDir))) {
      page.gone.push(dir.submitDir);
      continue;
    }
    const units = await ports.spool.unitNames(dir.submitDir);
    for (const unit of units) {
      const isShown = from !== null && dir.round === from.round && unit < from.unit;
      if (isShown || (wanted.unit !== null && unit !== wanted.unit)) continue;
      if (page.items.length >= filter.limit || ledgers >= MOST_LEDGERS)
        return { ...page, nextCursor: `${dir.round}:${unit}` };
      ledgers += 1;
      await readUnit(ports, dir, unit, wanted.node, page);
    }
  }
  return page;
}

/** Rescues run in the directory of their round: each is read once. */
async function directories(ports: Ports, workflowId: WorkflowId): Promise<readonly Pick<Dag, "submitDir" | "round">[]> {
  const dags = await ports.store.dags.ofWorkflow(workflowId);
  return [...new Map(dags.map((dag) => [dag.submitDir, dag])).values()].sort((a, b) => b.round - a.round);
}

function placeOf({ unit, node }: AttemptFilter): { unit: string | null; node: string | null } {
  const [, within, name] = /^([^/:]+)[/:]([^/:]+)$/.exec(node ?? "") ?? [];
  return { unit: unit ?? within ?? null, node: name ?? node ?? null };
}

/** Where the page before ended: "round:unit", the unit that comes next. */
function readCursor(cursor: string | undefined): { round: number; unit: string } | null {
  const [round = "", unit = ""] = cursor?.split(":", 2) ?? [];
  return cursor === undefined ? null : { round: Number(round), unit };
}

async function readUnit(
  ports: Ports,
  { submitDir, round }: Pick<Dag, "submitDir" | "round">,
  unit: string,
  node: string | null,
  page: AttemptPage,
): Promise<void> {
  const { lines, problems } = await ports.spool.ledger(submitDir, unit);
  const attempts = lines.filter(isAttempt).filter((record) => node === null || record.node === node);
  // Nodes in the order in which they first appear, the attempts of each together.
  for (const record of [...groupBy(attempts, (record) => record.node).values()].flat())
    page.items.push({ round, unit, record });
  for (const record of lines.filter((line): line is EpochRecord => line.event === "epoch" && "epoch" in line))
    if (node === null || (record.nodes?.includes(node) ?? true)) page.epochs.push({ round, unit, record });
  for (const { line, message } of problems) page.unreadable.push({ unit, line, message });
}
