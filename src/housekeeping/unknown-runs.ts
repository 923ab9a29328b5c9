import { join } from "node:path";
import type { AlertWish } from "../alerts/raise-and-close.ts";
import { groupBy } from "../base/group-by.ts";
import { parseJson } from "../base/json.ts";
import { entriesOf, isSubmitDirectory, readPart, requestsIn } from "../disk/disk-steps.ts";
import { readPlain } from "../disk/plain-files.ts";
import type { DagId } from "../domain/names.ts";
import { parseDagmanOut } from "../engine/format/dagman-out.ts";
import type { Engine } from "../engine/port.ts";
import type { Store } from "../store/port.ts";
import { askEngine } from "./gather-request.ts";

/**
 * Submit directories, and runs in them, that the database has never heard of: it was restored from an older backup, or the
 * spool belongs to another installation. Nothing is touched: an operator must know before work is planned twice.
 */
export interface Stranger {
  readonly request: string;
  readonly directory: string;
  /** The run the database does not know; null: the directory does not say which DAG it is. */
  readonly dagId: string | null;
  readonly inEngine: "absent" | "found" | "unknown";
}

/**
 * The disk is read first and the store after: a directory gets its final name when its row is there already. `engine` null:
 * it is not asked.
 */
export async function findStrangers(
  spoolDir: string,
  store: Pick<Store, "dags">,
  engine: Engine | null,
): Promise<readonly Stranger[]> {
  const strangers: Stranger[] = [];
  for (const request of await requestsIn(spoolDir)) {
    const seen: { directory: string; dagId: string | null }[] = [];
    for (const { name } of (await entriesOf(join(spoolDir, request))).filter(isSubmitDirectory)) {
      const directory = join(spoolDir, request, name);
      for (const dagId of await dagsNamedIn(directory)) seen.push({ directory, dagId });
    }
    if (seen.length === 0) continue;
    const ids = seen.flatMap(({ dagId }) => (dagId === null ? [] : [dagId as DagId]));
    const known = await store.dags.getMany([...new Set(ids)]);
    for (const { directory, dagId } of seen) {
      if (dagId !== null && known.has(dagId as DagId)) continue;
      const run = dagId === null ? null : { id: dagId as DagId, submitDir: directory, engineId: null };
      const inEngine = run && engine ? await askEngine(engine, [run]) : "unknown";
      strangers.push({ request, directory, dagId, inEngine });
    }
  }
  return strangers;
}

/** The DAG it was planned as, and the run (it, or a rescue) that was the last to use it. */
async function dagsNamedIn(directory: string): Promise<ReadonlySet<string | null>> {
  const planned = await plannedAs(directory);
  const last = await lastRun(directory);
  return new Set(last === null ? [planned] : [planned, last]);
}

async function plannedAs(directory: string): Promise<string | null> {
  const head = await partOf(join(directory, "workflow.dag"), 4096, "start");
  const named = /^# wms2 .*\bdag=(\S+)/m.exec(head)?.[1];
  if (named) return named;
  const plan = parseJson(await readPlain(join(directory, "plan.json")).catch(() => ""));
  const dag = plan.ok ? (plan.value as { dag?: unknown } | null)?.dag : null;
  return typeof dag === "string" ? dag : null;
}

async function lastRun(directory: string): Promise<string | null> {
  const submit = await readPlain(join(directory, "workflow.dag.condor.sub")).catch(() => "");
  const named = /^\s*(?:My\.|\+)JobBatchName\s*=\s*"wms2-([^"]+)"/im.exec(submit)?.[1];
  if (named) return named;
  const out = parseDagmanOut(await partOf(join(directory, "workflow.dag.dagman.out"), 256 * 1024, "end"));
  return out.batchName?.startsWith("wms2-") ? out.batchName.slice("wms2-".length) : null;
}

const partOf = async (path: string, bytes: number, from: "start" | "end"): Promise<string> =>
  (await readPart(path, bytes, from))?.part.toString("utf8") ?? "";

const MOST_ALERTS = 20;
const MOST_NAMED = 5;

/** One per request while they are few; else one for all. */
export function strangerAlerts(strangers: readonly Stranger[], spoolDir: string): readonly AlertWish[] {
  const byRequest = groupBy(strangers, ({ request }) => request);
  const tail =
    "the database may have been restored from an older backup. Nothing was touched: restore the newer one, or move the directories away";
  if (byRequest.size > MOST_ALERTS) {
    const message = `the database does not know ${strangers.length} runs of ${byRequest.size} requests below ${spoolDir}: ${named(strangers)}; ${tail}`;
    return [{ key: "stranger:*", severity: "critical", subject: "spool", message }];
  }
  return [...byRequest].map(([request, found]) => ({
    key: `stranger:${request}`,
    severity: "critical",
    subject: request,
    message: `the database does not know ${named(found)}; ${tail}`,
  }));
}

function named(strangers: readonly Stranger[]): string {
  const words = strangers.slice(0, MOST_NAMED).map(({ directory, dagId, inEngine }) => {
    const running = inEngine === "found" ? ", which the engine still runs" : "";
    return dagId === null ? `${directory} (it names no DAG)` : `run ${dagId} in ${directory}${running}`;
  });
  const more = strangers.length - words.length;
  return `${words.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
