import type { InputSpec, PassError, RequestRecord, RequestSpec, Transition } from "../../domain/request.ts";
import { REQUEST_STATUS } from "../../domain/request-status.ts";
import type { Workflow } from "../../domain/workflow.ts";
import { ACTION, actionsIn, mayResume } from "../../lifecycle/port.ts";
import type {
  RequestDetailView,
  RequestRowView,
  RequestView,
  TransitionView,
  VersionView,
} from "../schemas/request.ts";
import { inputPlace, specView } from "./spec.ts";
import { workflowView } from "./workflow.ts";

const passErrorView = (error: PassError): NonNullable<RequestRowView["error"]> => ({
  code: error.code,
  message: error.message,
  hint: error.hint,
  since: error.since.toISOString(),
  count: error.count,
});

/** What the list needs of a record; the rest of it need not have been loaded. */
export type RequestRow = Omit<
  RequestRecord,
  "spec" | "productionSteps" | "wish" | "supersededBy" | "modifications" | "rescuesUsed" | "outputState"
> & { readonly spec: Pick<RequestSpec, "name" | "kind" | "requestor" | "campaign"> };

export function requestRowView(record: RequestRow): RequestRowView {
  const { spec, hold, error } = record;
  return {
    request_name: spec.name,
    kind: spec.kind,
    status: record.status,
    status_since: record.statusSince.toISOString(),
    priority: record.priority,
    urgent: record.urgent,
    requestor: spec.requestor,
    campaign: spec.campaign,
    waiting: record.waiting,
    hold: hold && { code: hold.code, message: hold.message },
    error: error && passErrorView(error),
    version: record.version,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  };
}

export function requestView(record: RequestRecord): RequestView {
  const { spec, hold, wish } = record;
  return {
    ...requestRowView(record),
    status_meaning: REQUEST_STATUS[record.status].meaning,
    hold: hold && {
      code: hold.code,
      message: hold.message,
      evidence: { ...hold.evidence },
      actions: [...hold.actions],
    },
    wish: wish && { kind: wish.kind, actor: wish.actor, reason: wish.reason, at: wish.at.toISOString() },
    requestor_dn: spec.requestorDn,
    group: spec.group,
    acquisition_era: spec.acquisitionEra,
    processing_string: spec.processingString,
    processing_version: spec.processingVersion,
    input_dataset: inputDataset(spec.input),
    memory_mb: spec.resources.memoryMb,
    time_per_event_sec: spec.resources.secondsPerEvent,
    size_per_event_kb: spec.resources.kbPerEvent,
    site_whitelist: [...spec.sites.allow],
    site_blacklist: [...spec.sites.deny],
    splitting_algo: spec.split.algorithm,
    splitting_params: {
      files_per_job: spec.split.filesPerJob,
      events_per_job: spec.split.eventsPerJob,
      lumis_per_job: spec.split.lumisPerJob,
    },
    production_steps: record.productionSteps.map(({ fraction, priority }) => ({ fraction, priority })),
    payload_config: { ...spec.metadata },
    previous_version_request: spec.previousVersion,
    superseded_by_request: record.supersededBy,
    cleanup_policy: spec.cleanupPolicy,
    output_state: record.outputState,
    rescues_used: record.rescuesUsed,
    modifications: modificationsView(record.modifications),
    allowed_actions: allowedActions(record),
    spec: specView(spec),
  };
}

function modificationsView(changed: RequestRecord["modifications"]): RequestView["modifications"] {
  if (!changed) return null;
  const all = {
    site_bans: changed.siteBans.length > 0 ? changed.siteBans : null,
    excluded_files: changed.excludedFiles.length > 0 ? changed.excludedFiles : null,
    memory_mb: changed.memoryMb,
    retries: changed.retries,
    hold_threshold: changed.holdThreshold,
    top_up: changed.topUp,
    max_rescues: changed.maxRescues,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function allowedActions({ status, hold }: RequestRecord): RequestView["allowed_actions"] {
  return actionsIn(status)
    .filter((action) => action !== "resume" || mayResume(status, hold?.code ?? null).kind === "allowed")
    .map((action) => ({ action, meaning: ACTION[action].meaning }));
}

const inputDataset = (input: InputSpec | null): string | null => input && inputPlace(input);

export const transitionView = (move: Transition): TransitionView => ({
  from: move.from,
  to: move.to,
  reason: move.reason,
  actor: move.actor,
  at: move.at.toISOString(),
});

export const requestDetailView = (
  record: RequestRecord,
  workflow: Workflow | null,
  transitions: readonly Transition[],
): RequestDetailView => ({
  ...requestView(record),
  workflow: workflow && workflowView(workflow),
  status_transitions: transitions.map(transitionView),
});

/** `endedBecause`: the reason of the move that ended it; only told of one that did not complete. */
export const versionView = (record: RequestRecord, endedBecause: string | null): VersionView => ({
  request_name: record.spec.name,
  processing_version: record.spec.processingVersion,
  status: record.status,
  cleanup_policy: record.spec.cleanupPolicy,
  superseded_by: record.supersededBy,
  failure_reason: endedBecause,
  created_at: record.createdAt.toISOString(),
});
