import { type Month, monthOf, parseInterval } from "../../core/calendar.ts";
import type { FoundFiles, StateLine } from "../../core/frepp.ts";
import type { RequestName } from "../../core/names.ts";
import type { NodeId, NodeRow, SegmentNode } from "../../core/segments.ts";
import { decideExport } from "../../kinds/segments/frepp/export-state.ts";
import { decideImport, type StateFacts, toVerify } from "../../kinds/segments/frepp/import-state.ts";
import { readStateName, stateUnits } from "../../kinds/segments/frepp/state-file.ts";
import { segmentNodes } from "../../kinds/segments/nodes.ts";
import type { FreppWorld } from "../../loop/frepp-port.ts";
import { lookAround } from "../../loop/gather-fill.ts";
import type { Work } from "../../loop/ports.ts";
import { verifyProducts } from "../../loop/verify-products.ts";
import { lookAgain } from "./fill.ts";
import type { FreppCommands, StateAnswer } from "./frepp-port.ts";
import { loadModelRun, type ModelRun } from "./model-run.ts";
import type { By, Refusal } from "./port.ts";

/** Rows are written in one go, each only if nobody changed it meanwhile. */
export async function importState(
  ports: Work,
  name: RequestName,
  { directory, repair, theirs }: Parameters<FreppCommands["importState"]>[1],
  by: By,
): Promise<StateAnswer> {
  const run = await loadModelRun(ports, name);
  if (run.kind !== "found") return run;
  const frepp = worldFor(ports, directory);
  if ("problems" in frepp) return frepp;
  const { facts, others } = await gatherState(frepp, run, directory);
  const { executions } = run.work;
  const verified = await verifiedOf(ports, run, toVerify(facts));
  const plan = decideImport({ ...facts, verified, repair, theirs, executions, now: ports.clock.now() });
  const answer = { lines: plan.lines, others, moved: [] };
  if (by.dryRun || plan.rows.length === 0) return { kind: by.dryRun ? "would" : "done", ...answer };
  const moved = await ports.store.transaction(async (tx) => {
    await tx.audit.add(auditOf(ports, name, by, "import-state", directory, plan.lines));
    await lookAgain(tx, run.request);
    return tx.segmentNodes.write(run.workflow.id, plan.rows);
  });
  return { kind: "done", ...answer, moved: [...moved] };
}

/** As if nothing were known of them: those that come out as done. */
async function verifiedOf(ports: Work, { request, work, products }: ModelRun, nodes: readonly SegmentNode[]) {
  if (nodes.length === 0) return new Map<NodeId, NodeRow>();
  const look = await lookAround(ports, products, work);
  const only = new Set(nodes.map(({ id }) => id));
  const found = await verifyProducts(ports, products, request, { look, rows: new Map() }, only);
  return new Map(found.filter(({ state }) => state === "done").map((row) => [row.id, row]));
}

/** Files are written one by one, each only if it is still as it was found; the note about it comes first. */
export async function exportState(
  ports: Work,
  name: RequestName,
  { directory, ours }: Parameters<FreppCommands["exportState"]>[1],
  by: By,
): Promise<StateAnswer> {
  const run = await loadModelRun(ports, name);
  if (run.kind !== "found") return run;
  const frepp = worldFor(ports, directory);
  if ("problems" in frepp) return frepp;
  const { facts, others } = await gatherState(frepp, run, directory);
  const { lines, changes } = decideExport({ ...facts, ours });
  if (by.dryRun || changes.length === 0) return { kind: by.dryRun ? "would" : "done", lines, others, moved: [] };
  await ports.store.audit.add(auditOf(ports, name, by, "export-state", directory, lines));
  return { kind: "done", lines, others, moved: [...(await frepp.change(directory, changes))] };
}

function worldFor({ frepp }: Work, directory: string): FreppWorld | Refusal<"refused"> {
  const problem = (message: string, allowed: string): Refusal<"refused"> => ({
    kind: "refused",
    problems: [{ path: "directory", message, allowed }],
  });
  if (!frepp) return problem("this server reads no directories of frepp", "one that was started by wms2 serve");
  return directory.startsWith("/") ? frepp : problem("is not absolute", "a path that begins with /");
}

/** A name may say any year. */
const LONGEST: Month = 3000 * 12;

async function gatherState(
  frepp: FreppWorld,
  { work, rows }: ModelRun,
  directory: string,
): Promise<{ readonly facts: StateFacts } & Pick<FoundFiles, "others">> {
  const { files, others } = await frepp.files(directory, (file) => readStateName(file) !== null);
  const years = files.map(({ name }) => readStateName(name)!.year);
  const ends = Array.from(rows.keys(), (id) => parseInterval(id.slice(id.lastIndexOf("/") + 1))?.to ?? 0);
  // As far as anybody has said something: a year that began late may end in the one after the next.
  const known = [...years.map((year) => monthOf(year + 2)), ...ends];
  const to = Math.min(
    work.start + LONGEST,
    known.reduce<Month>((last, month) => Math.max(last, month), work.start),
  );
  const units = stateUnits(work.components, segmentNodes(work, to));
  return { facts: { units, components: new Set(work.components.map(({ name }) => name)), files, rows }, others };
}

const auditOf = (
  { clock }: Work,
  subject: string,
  by: By,
  action: string,
  directory: string,
  lines: readonly StateLine[],
) => ({
  ...{ at: clock.now(), actor: by.actor, action, subject, outcome: "done" as const },
  reason: `state files in ${directory}`,
  detail: { files: lines.filter(({ action }) => CHANGING.includes(action)).map(({ file }) => file) },
});
const CHANGING: readonly StateLine["action"][] = ["take", "write", "remove"];
