import type { RequestName } from "../../src/core/names.ts";
import type { RequestStatus } from "../../src/core/request-status.ts";
import type { FactName } from "./read-expectations.ts";
import type { World } from "./world.ts";

/** What is known of a request at a moment: its status, and every number an expectation can speak of. */
export interface RequestFacts {
  readonly request: string;
  readonly status: RequestStatus | "unknown";
  readonly hold: { readonly code: string; readonly message: string } | null;
  readonly waiting: string | null;
  readonly numbers: Readonly<Record<FactName, number>>;
}

export async function gatherFacts(world: World, request: string): Promise<RequestFacts> {
  const { store, time, watch } = world;
  const record = await store.requests.get(request as RequestName);
  const workflow = await store.workflows.forRequest(request as RequestName);
  const dags = workflow ? (await store.dags.list({ workflowId: workflow.id, limit: 1000 })).items : [];
  const current = dags.find((dag) => dag.id === workflow?.currentDagId);
  const units = workflow ? await store.units.countByStatus(workflow.id) : null;
  const files = workflow ? await store.files.countByState(workflow.id) : null;
  const bans = (await store.sites.activeBans(time.now())).filter(
    (ban) => ban.workflowId === null || ban.workflowId === workflow?.id,
  );
  const tally = watch.tallyOf(request);
  return {
    request,
    status: record?.status ?? "unknown",
    hold: record?.hold ?? null,
    waiting: record?.error?.message ?? record?.waiting?.reason ?? null,
    numbers: {
      units_done: workflow?.unitsDone ?? 0,
      units_failed: current?.units.failed ?? 0,
      units_registered: units?.registered ?? 0,
      events_done: Number(workflow?.eventsDone ?? 0),
      rounds: new Set(dags.map((dag) => dag.round)).size,
      runs: dags.filter((dag) => dag.submittedAt !== null).length,
      rescues: dags.filter((dag) => dag.parentDagId !== null && dag.submittedAt !== null).length,
      failure_rescues: dags.filter((dag) => dag.rescueKind === "failure" && dag.submittedAt !== null).length,
      attempts: tally.attempts,
      failed_attempts: tally.failed,
      retries: tally.retries,
      most_memory_mb: tally.mostMemoryMb,
      files_excluded: files?.excluded ?? 0,
      bans: bans.length,
    },
  };
}
