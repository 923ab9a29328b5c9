import { basename, dirname, join } from "node:path";
import { groupBy } from "../../../core/base/group-by.ts";
import type { Dag } from "../../../core/dag.ts";
import { batchName, type RequestName } from "../../../core/names.ts";
import { isTerminal } from "../../../core/request-status.ts";
import type { Engine } from "../../../engines/port.ts";
import type { Store } from "../../../store/port.ts";

/** What the store knows about the submit directories of one request. */
export type RequestFacts = Readonly<NonNullable<Awaited<ReturnType<typeof gatherRequest>>>>;

export async function gatherRequest(store: Store, spoolDir: string, name: string) {
  const request = await store.requests.get(name as RequestName);
  if (!request) return null;
  const versions = await store.requests.versions(request.spec.name);
  const openVersions = versions
    .filter(({ status, spec }) => !isTerminal(status) && spec.name !== name)
    .map(({ spec }) => spec.name);
  const workflow = await store.workflows.forRequest(request.spec.name);
  const dags: Dag[] = [];
  for (let cursor: string | null = ""; workflow && cursor !== null; ) {
    const page = await store.dags.list({ workflowId: workflow.id, limit: 1000, ...(cursor && { cursor }) });
    dags.push(...page.items.filter(({ submitDir }) => dirname(submitDir) === join(spoolDir, name)));
    cursor = page.nextCursor;
  }
  /** By the name of the directory; only those that lie where this spool has them. */
  const byDirectory = groupBy(dags, ({ submitDir }) => basename(submitDir));
  return { request, openVersions, dags: byDirectory };
}

/** One answer for all runs of a directory: anything found or unknown outweighs the rest. */
export async function askEngine(
  engine: Engine,
  dags: readonly Pick<Dag, "id" | "submitDir" | "engineId">[],
): Promise<"absent" | "found" | "unknown"> {
  for (const { id, submitDir, engineId } of dags) {
    const run = { dagId: id, submitDir, batchName: batchName(id), engineId, priority: 0 };
    try {
      let answer = await engine.find(run);
      // Without a receipt a run that came and went counts as found; by its id only a live one does.
      if (answer.kind === "found" && engineId === null)
        answer = await engine.find({ ...run, engineId: answer.engineId });
      if (answer.kind !== "absent") return answer.kind;
    } catch {
      return "unknown";
    }
  }
  return "absent";
}
