import { join } from "node:path";
import { groupBy } from "../../../core/base/group-by.ts";
import { readPlain } from "../../../core/disk/plain-files.ts";
import { batchName, type DagId } from "../../../core/names.ts";
import { parseDagmanOut } from "../../../engines/format/dagman-out.ts";
import type { Engine } from "../../../engines/port.ts";
import type { Store } from "../../../store/port.ts";
import { readDagHeader } from "../../../submit-dir/dag-header.ts";
import { entriesOf, isSubmitDirectory, readPart, readTail, requestsIn } from "../../../submit-dir/disk/disk-steps.ts";
import { besideDag, TOP } from "../../../submit-dir/names.ts";
import { readPlanFile } from "../../../submit-dir/plan-file.ts";
import type { AlertWish } from "../alerts/raise-and-close.ts";
import { askEngine } from "./gather-request.ts";

/**
 * Submit directories, and runs in them, that the database has never heard of: it was restored from an older backup, or the
 * spool belongs to another installation. Nothing is touched: an operator must know before work is planned twice.
 */
interface UnknownRun {
  readonly request: string;
  readonly directory: string;
  /** null: the directory does not say which DAG it is. */
  readonly dagId: string | null;
  readonly inEngine: "absent" | "found" | "unknown";
}

/** The disk is read first and the store after: a directory gets its final name when its row is there already. */
export async function findUnknownRuns(
  spoolDir: string,
  store: Pick<Store, "dags">,
  engine: Engine,
): Promise<readonly UnknownRun[]> {
  const unknown: UnknownRun[] = [];
  for (const request of await requestsIn(spoolDir)) {
    const seen: { directory: string; dagId: DagId | null }[] = [];
    for (const { name } of (await entriesOf(join(spoolDir, request))).filter(isSubmitDirectory)) {
      const directory = join(spoolDir, request, name);
      for (const dagId of await dagsNamedIn(directory)) seen.push({ directory, dagId });
    }
    const known = await store.dags.getMany([...new Set(seen.flatMap(({ dagId }) => dagId ?? []))]);
    for (const { directory, dagId } of seen) {
      if (dagId !== null && known.has(dagId)) continue;
      const run = dagId && { id: dagId, submitDir: directory, engineId: null };
      unknown.push({ request, directory, dagId, inEngine: run ? await askEngine(engine, [run]) : "unknown" });
    }
  }
  return unknown;
}

/** The DAG it was planned as, and the run (it, or a rescue) that was the last to use it. */
async function dagsNamedIn(directory: string): Promise<ReadonlySet<DagId | null>> {
  const planned = await plannedAs(directory);
  const last = await lastRun(directory);
  return new Set(last === null ? [planned] : [planned, last]) as ReadonlySet<DagId | null>;
}

async function plannedAs(directory: string): Promise<string | null> {
  const head = await readPart(join(directory, TOP.dag), 4096, "start");
  const { dag } = readDagHeader(head?.part.toString("utf8") ?? "");
  return dag ?? readPlanFile(await readPlain(join(directory, TOP.plan)).catch(() => null)).dag;
}

const BATCH_PREFIX = batchName("" as DagId);

async function lastRun(directory: string): Promise<string | null> {
  const submit = await readPlain(join(directory, besideDag(TOP.dag, "submit"))).catch(() => "");
  const batch =
    /^\s*(?:My\.|\+)JobBatchName\s*=\s*"([^"]+)"/im.exec(submit)?.[1] ??
    parseDagmanOut(await readTail(join(directory, besideDag(TOP.dag, "out")), 256 * 1024)).batchName;
  return batch?.startsWith(BATCH_PREFIX) ? batch.slice(BATCH_PREFIX.length) : null;
}

const MOST_ALERTS = 20;
const MOST_NAMED = 5;

/** One per request while they are few; else one for all. */
export function unknownRunAlerts(unknown: readonly UnknownRun[], spoolDir: string): readonly AlertWish[] {
  const byRequest = groupBy(unknown, ({ request }) => request);
  const alert = (subject: string, key: string, found: string): AlertWish => ({
    key: `unknown-run:${key}`,
    severity: "critical",
    subject,
    message: `the database does not know ${found}; the database may have been restored from an older backup. Nothing was touched: restore the newer one, or move the directories away`,
  });
  if (byRequest.size <= MOST_ALERTS)
    return [...byRequest].map(([request, found]) => alert(request, request, named(found)));
  const many = `${unknown.length} runs of ${byRequest.size} requests below ${spoolDir}: ${named(unknown)}`;
  return [alert("spool", "*", many)];
}

function named(unknown: readonly UnknownRun[]): string {
  const first = unknown.slice(0, MOST_NAMED).map(({ directory, dagId, inEngine }) => {
    const running = inEngine === "found" ? ", which the engine still runs" : "";
    return dagId === null ? `${directory} (it names no DAG)` : `run ${dagId} in ${directory}${running}`;
  });
  const more = unknown.length - first.length;
  return `${first.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
