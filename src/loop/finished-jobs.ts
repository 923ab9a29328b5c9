import { groupBy } from "../core/base/group-by.ts";
import { parseJson } from "../core/base/json.ts";
import type { Dag } from "../core/dag.ts";
import type { SiteName, UnitName } from "../core/names.ts";
import { ROLES, shapeOf } from "../core/roles.ts";
import type { FileStamp, JobProof, MeasuredUnit, Workflow } from "../core/workflow.ts";
import { readTallyLines } from "../recovery/ledger-record.ts";
import { type JobEntry, jobsIn } from "../submit-dir/jobs.ts";
import { foldersIn } from "../submit-dir/manifest.ts";
import { unitFolder } from "../submit-dir/names.ts";
import { forEachBounded } from "./bounded.ts";
import type { Ports } from "./ports.ts";

/** Units whose report is all the proof there is: they leave nothing to the catalog. */
export const leavesNothing = (unit: string): boolean => ROLES[shapeOf(unit).finishedBy].proof === "report";

const REPORTS_AT_ONCE = 16;

type FinishedJob = Pick<MeasuredUnit, "name" | "block" | "site" | "events" | "outputs" | "proof">;

/** What is kept of jobs that are done: where each ran, and what it was made of. A report that cannot be read proves nothing. */
export async function gatherJobs(
  ports: Ports,
  { id }: Workflow,
  { submitDir }: Dag,
  units: readonly UnitName[],
): Promise<readonly FinishedJob[]> {
  if (units.length === 0) return [];
  const block = (await ports.store.units.blocks(id)).at(-1)?.index ?? 0;
  const jobs: FinishedJob[] = [];
  for (const [folder, sharing] of groupBy(units, unitFolder)) {
    const manifest = (await ports.spool.manifest(submitDir, folder)) ?? "";
    const entries = jobsIn(manifest);
    const folders = foldersIn(manifest);
    const last = new Map<string, { cluster: number; site: string | null }>();
    for await (const { unit, text } of ports.spool.ledgers(submitDir, sharing)) {
      const done = readTallyLines(text ?? "").lines.findLast(({ decision }) => decision === "done");
      if (done) last.set(unit, done);
    }
    await forEachBounded(sharing, REPORTS_AT_ONCE, async (name) => {
      const { cluster, site = null } = last.get(name) ?? {};
      const report = cluster === undefined ? null : await ports.spool.report(submitDir, name, name, cluster);
      const proof = proofOf(entries.get(name), report, areStamps(folders) ? folders : []);
      jobs.push({ name, block, site: site as SiteName | null, events: 0n, outputs: [], proof });
    });
  }
  return jobs;
}

/** Text from a worker: kept only where it is what was agreed. */
function proofOf(entry: JobEntry | undefined, report: string | null, folders: readonly FileStamp[]): JobProof | null {
  const json = parseJson(report ?? "");
  const { reads, makes } = ((json.ok && json.value) || {}) as Partial<Record<"reads" | "makes", unknown>>;
  if (!entry?.digest || !areStamps(reads) || !areStamps(makes)) return null;
  const planned = new Map(folders.map((stamp) => [stamp.path, stamp]));
  const read = reads.map((stamp) => planned.get(stamp.path) ?? stamp);
  return { name: entry.name, digest: entry.digest, reads: read, makes };
}

export const areStamps = (value: unknown): value is readonly FileStamp[] =>
  Array.isArray(value) &&
  value.every(
    (stamp: Partial<FileStamp> | null) =>
      typeof stamp?.path === "string" &&
      Number.isSafeInteger(stamp.sizeBytes) &&
      Number.isFinite(stamp.mtime) &&
      [typeof stamp.checksum, typeof stamp.listing].every((type) => ["undefined", "string"].includes(type)),
  );
