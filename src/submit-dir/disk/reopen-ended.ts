import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { groupBy } from "../../core/base/group-by.ts";
import { readIfThere } from "../../core/disk/atomic-file.ts";
import { readPlain, writeWhole } from "../../core/disk/plain-files.ts";
import { parseMetrics, verdictOf } from "../../engines/format/metrics.ts";
import { highestRescue, parseRescue, rescueName } from "../../engines/format/rescue.ts";
import { parseStatusFile } from "../../engines/format/status-file.ts";
import { endedIn } from "../ended-list.ts";
import { besideDag, TOP, unitFolder } from "../names.ts";
import { addLine, inUnit } from "./unit-files.ts";

/**
 * Before a graph goes on: what DAGMan takes for done and is not runs again. Its rescue file loses those jobs; a run that DAGMan
 * calls a success left none, so it is written here. Repeatable: ended.list goes last.
 */
export async function reopenEnded(dir: string, at: Date): Promise<void> {
  const list = join(dir, TOP.ended);
  const ended = endedIn((await readIfThere(list)) ?? "");
  if (ended.size === 0) return;
  const ran = [...ended].filter(([, { how }]) => how === "again").map(([job]) => job);
  for (const [folder, nodes] of groupBy(ran, unitFolder))
    await inUnit(dir, folder, (here) => addLine(here, { event: "again", at: at.toISOString(), nodes }));
  const newest = highestRescue(await readdir(dir), TOP.dag) ?? 0;
  const known = newest > 0 ? parseRescue(await readPlain(join(dir, rescueName(TOP.dag, newest)))).done : null;
  const done = (await doneBySuccess(dir)) ?? known ?? new Set<string>();
  const left = [...done].filter((node) => !ended.has(node));
  if (known === null || left.length !== known.size || left.some((node) => !known.has(node)))
    await writeWhole(join(dir, rescueName(TOP.dag, newest + 1)), rescueText(left));
  // What it says of those jobs must not be believed by anybody from here on.
  await rm(join(dir, besideDag(TOP.dag, "status")), { force: true });
  await rm(list, { force: true });
}

/** All nodes there are; null: DAGMan did not call it a success, or this was done before. */
async function doneBySuccess(dir: string): Promise<ReadonlySet<string> | null> {
  const metrics = parseMetrics((await readIfThere(join(dir, besideDag(TOP.dag, "metrics")))) ?? "");
  const status = await readIfThere(join(dir, besideDag(TOP.dag, "status")));
  if (!metrics.ok || verdictOf(metrics.value) !== "success" || status === null) return null;
  return new Set(parseStatusFile(status).nodes.map(({ name }) => name));
}

/** As DAGMan writes them (23.9.6). */
const rescueText = (done: readonly string[]): string =>
  [
    "# Rescue DAG file, created by wms2: jobs that failed while others waited for their end run again",
    `# Total number of Nodes: ${done.length}`,
    `# Nodes premarked DONE: ${done.length}`,
    "# Nodes that failed: 0",
    "#   <ENDLIST>",
    "",
    ...done.map((node) => `DONE ${node}`),
    "",
  ].join("\n");
