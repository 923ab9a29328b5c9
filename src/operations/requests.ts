import { z } from "zod";
import { OUTPUT_STATES } from "../domain/operator.ts";
import { type RequestRecord, SPLIT_ALGORITHMS, type Transition } from "../domain/request.ts";
import { REQUEST_STATUS, REQUEST_STATUSES } from "../domain/request-status.ts";
import { WAIT_CODES, type WaitCode } from "../domain/wait.ts";
import type { Workflow } from "../domain/workflow.ts";
import { ACTION, actionsIn, mayResume, OPERATOR_ACTIONS } from "../lifecycle/port.ts";
import { planPreviewSchema } from "./plan.ts";
import { inputPlace, specSchema, specView } from "./spec.ts";
import { anything, named, pageOf, strings, time, viewOf, whole } from "./wire.ts";
import { workflowSchema, workflowView } from "./workflows.ts";

const status = z.enum(REQUEST_STATUSES);
const productionSteps = z.array(z.strictObject({ fraction: z.number(), priority: z.int() }));

const passErrorSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  since: time,
  count: z.int(),
});

const waitSchema = named("Wait", {
  code: z.enum(Object.keys(WAIT_CODES) as WaitCode[]).describe("The reason, for programs"),
  words: z.string(),
  since: time,
  until: time.nullable().describe("When it moves by itself; null: nobody knows"),
  who: z.enum(["time", "operator", "pool", "service"]).describe("Who can change it; time: nobody has to"),
  details: strings.describe("What else waits"),
});

/** One line of the list: everything small. */
export const requestRowSchema = named("RequestRow", {
  request_name: z.string(),
  kind: z.enum(["process", "generate"]),
  status,
  status_since: time,
  priority: z.int(),
  urgent: z.boolean(),
  requestor: z.string(),
  campaign: z.string(),
  waiting: waitSchema.nullable().describe("Why it is not moving just now; null: it is over, or nobody has looked yet"),
  hold: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  error: passErrorSchema.nullable().describe("The last pass over it failed"),
  version: z.int(),
  created_at: time,
  updated_at: time,
});
export type RequestRowView = z.infer<typeof requestRowSchema>;
export const requestRowView = viewOf(requestRowSchema, ({ spec }: RequestRecord) => ({
  request_name: spec.name,
  kind: spec.kind,
  requestor: spec.requestor,
  campaign: spec.campaign,
}));
export const requestPageSchema = pageOf("RequestPage", requestRowSchema);
export type RequestPageView = z.infer<typeof requestPageSchema>;

const transitionSchema = named("Transition", {
  from: status.nullable(),
  to: status,
  reason: z.string(),
  actor: z.string(),
  at: time,
});
export const transitionView = viewOf(transitionSchema);
export const transitionsSchema = named("Transitions", { items: z.array(transitionSchema) });

/** A request as it stands: the fields of 003 §3.1.1, our state beside them, the whole spec under `spec`. */
export const requestSchema = requestRowSchema
  .extend({
    status_meaning: z.string(),
    hold: z.strictObject({ code: z.string(), message: z.string(), evidence: anything, actions: strings }).nullable(),
    wish: z
      .strictObject({ kind: z.string(), actor: z.string(), reason: z.string(), at: time })
      .nullable()
      .describe("What an operator asked for and the loop has yet to carry out"),
    requestor_dn: z.string().nullable(),
    group: z.string(),
    acquisition_era: z.string(),
    processing_string: z.string(),
    processing_version: z.int(),
    input_dataset: z.string().nullable(),
    memory_mb: z.number(),
    time_per_event_sec: z.number().nullable(),
    size_per_event_kb: z.number().nullable(),
    site_whitelist: strings,
    site_blacklist: strings,
    splitting_algo: z.enum(SPLIT_ALGORITHMS),
    splitting_params: anything,
    production_steps: productionSteps,
    payload_config: anything,
    previous_version_request: z.string().nullable(),
    superseded_by_request: z.string().nullable(),
    cleanup_policy: z.string(),
    output_state: z.enum(OUTPUT_STATES).describe("Of its outputs: active, superseded by the next version, invalidated"),
    rescues_used: z.int().describe("Rescues of the present round that answered failures"),
    modifications: anything.nullable().describe("What a release changed; the next plan or rescue goes by it"),
    allowed_actions: z
      .array(z.strictObject({ action: z.enum(OPERATOR_ACTIONS), meaning: z.string() }))
      .describe("What an operator may do now: POST /requests/{name}/{action}"),
    spec: specSchema,
  })
  .meta({ id: "Request" });
export type RequestView = z.infer<typeof requestSchema>;
/** From its record, and from its spec what the record does not say itself. */
export const requestView = (record: RequestRecord): RequestView => recordWithSpec({ ...record.spec, ...record });
const recordWithSpec = viewOf(requestSchema, (record: RequestRecord) => {
  const { spec } = record;
  return {
    request_name: spec.name,
    status_meaning: REQUEST_STATUS[record.status].meaning,
    input_dataset: spec.input && inputPlace(spec.input),
    memory_mb: spec.resources.memoryMb,
    time_per_event_sec: spec.resources.secondsPerEvent,
    size_per_event_kb: spec.resources.kbPerEvent,
    site_whitelist: spec.sites.allow,
    site_blacklist: spec.sites.deny,
    splitting_algo: spec.split.algorithm,
    splitting_params: {
      files_per_job: spec.split.filesPerJob,
      events_per_job: spec.split.eventsPerJob,
      lumis_per_job: spec.split.lumisPerJob,
    },
    payload_config: spec.metadata,
    previous_version_request: spec.previousVersion,
    superseded_by_request: record.supersededBy,
    modifications: modificationsView(record.modifications),
    allowed_actions: allowedActions(record),
    spec: specView(spec),
  };
});

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
  // A request that belongs to another engine says itself that it can be moved.
  return actionsIn(status)
    .filter((action) => action !== "move")
    .filter((action) => action !== "resume" || mayResume(status, hold?.code ?? null).kind === "allowed")
    .map((action) => ({ action, meaning: ACTION[action].meaning }));
}

export const requestDetailSchema = requestSchema
  .extend({ workflow: workflowSchema.nullable(), status_transitions: z.array(transitionSchema) })
  .meta({ id: "RequestDetail" });
export type RequestDetailView = z.infer<typeof requestDetailSchema>;
export const requestDetailView = (
  record: RequestRecord,
  workflow: Workflow | null,
  transitions: readonly Transition[],
): RequestDetailView => ({
  ...requestView(record),
  workflow: workflow && workflowView(workflow),
  status_transitions: transitions.map(transitionView),
});

export const submittedSchema = requestSchema.extend({ warnings: strings }).meta({ id: "Submitted" });
export type SubmittedView = z.infer<typeof submittedSchema>;
export const checkedSchema = named("Checked", {
  dry_run: z.literal(true),
  request: requestSchema.nullable(),
  warnings: strings,
  preview: planPreviewSchema.nullable().describe("What its first round would be"),
});
export type CheckedView = z.infer<typeof checkedSchema>;

const versionSchema = named("RequestVersion", {
  request_name: z.string(),
  processing_version: z.int(),
  status,
  cleanup_policy: z.string(),
  superseded_by: z.string().nullable(),
  failure_reason: z.string().nullable(),
  created_at: time,
});
/** `endedBecause`: the reason of the move that ended it; only told of one that did not complete. */
export const versionView = (record: RequestRecord, endedBecause: string | null) =>
  versionOf({ ...record.spec, ...record, requestName: record.spec.name, failureReason: endedBecause });
const versionOf = viewOf(versionSchema);
export const versionsSchema = named("RequestVersions", {
  current: versionSchema,
  versions: z.array(versionSchema).describe("Earlier ones, newest first"),
});

export const priorityChangeSchema = z
  .strictObject({
    priority: whole.max(2_147_483_647).optional().describe("a whole number from 0"),
    urgent: z.boolean().optional().describe("true or false"),
  })
  .refine((change) => change.priority !== undefined || change.urgent !== undefined, {
    error: "nothing to change: give priority, urgent or both",
  })
  .meta({ id: "PriorityChange" });
