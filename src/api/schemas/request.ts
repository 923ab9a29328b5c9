import { z } from "zod";
import { OUTPUT_STATES } from "../../domain/operator.ts";
import { SPLIT_ALGORITHMS } from "../../domain/request.ts";
import { REQUEST_STATUSES } from "../../domain/request-status.ts";
import { OPERATOR_ACTIONS } from "../../lifecycle/port.ts";
import { pageOf, time, whole } from "./common.ts";
import { planPreviewSchema } from "./plan.ts";
import { specSchema } from "./spec.ts";
import { workflowSchema } from "./workflow.ts";

const status = z.enum(REQUEST_STATUSES);
const productionSteps = z.array(z.strictObject({ fraction: z.number(), priority: z.int() }));

export const passErrorSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  since: time,
  count: z.int(),
});

/** One line of the list: everything small. */
export const requestRowSchema = z
  .strictObject({
    request_name: z.string(),
    kind: z.enum(["process", "generate"]),
    status,
    status_since: time,
    priority: z.int(),
    urgent: z.boolean(),
    requestor: z.string(),
    campaign: z.string(),
    waiting: z.string().nullable().describe("Why it is not moving just now"),
    hold: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    error: passErrorSchema.nullable().describe("The last pass over it failed"),
    version: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "RequestRow" });
export type RequestRowView = z.infer<typeof requestRowSchema>;
export const requestPageSchema = pageOf("RequestPage", requestRowSchema);
export type RequestPageView = z.infer<typeof requestPageSchema>;

export const transitionSchema = z
  .strictObject({ from: status.nullable(), to: status, reason: z.string(), actor: z.string(), at: time })
  .meta({ id: "Transition" });
export type TransitionView = z.infer<typeof transitionSchema>;
export const transitionsSchema = z.strictObject({ items: z.array(transitionSchema) }).meta({ id: "Transitions" });
export type TransitionsView = z.infer<typeof transitionsSchema>;

/** A request as it stands: the fields of 003 §3.1.1, our state beside them, the whole spec under `spec`. */
export const requestSchema = requestRowSchema
  .extend({
    status_meaning: z.string(),
    hold: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        evidence: z.record(z.string(), z.unknown()),
        actions: z.array(z.string()),
      })
      .nullable(),
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
    site_whitelist: z.array(z.string()),
    site_blacklist: z.array(z.string()),
    splitting_algo: z.enum(SPLIT_ALGORITHMS),
    splitting_params: z.record(z.string(), z.unknown()),
    production_steps: productionSteps,
    payload_config: z.record(z.string(), z.unknown()),
    previous_version_request: z.string().nullable(),
    superseded_by_request: z.string().nullable(),
    cleanup_policy: z.string(),
    output_state: z.enum(OUTPUT_STATES).describe("Of its outputs: active, superseded by the next version, invalidated"),
    rescues_used: z.int().describe("Rescues of the present round that answered failures"),
    modifications: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("What a release changed; the next plan or rescue goes by it"),
    allowed_actions: z
      .array(z.strictObject({ action: z.enum(OPERATOR_ACTIONS), meaning: z.string() }))
      .describe("What an operator may do now: POST /requests/{name}/{action}"),
    spec: specSchema,
  })
  .meta({ id: "Request" });
export type RequestView = z.infer<typeof requestSchema>;

export const requestDetailSchema = requestSchema
  .extend({ workflow: workflowSchema.nullable(), status_transitions: z.array(transitionSchema) })
  .meta({ id: "RequestDetail" });
export type RequestDetailView = z.infer<typeof requestDetailSchema>;

export const submittedSchema = requestSchema.extend({ warnings: z.array(z.string()) }).meta({ id: "Submitted" });
export type SubmittedView = z.infer<typeof submittedSchema>;
export const checkedSchema = z
  .strictObject({
    dry_run: z.literal(true),
    request: requestSchema.nullable(),
    warnings: z.array(z.string()),
    preview: planPreviewSchema.nullable().describe("What its first round would be"),
  })
  .meta({ id: "Checked" });
export type CheckedView = z.infer<typeof checkedSchema>;

const versionSchema = z
  .strictObject({
    request_name: z.string(),
    processing_version: z.int(),
    status,
    cleanup_policy: z.string(),
    superseded_by: z.string().nullable(),
    failure_reason: z.string().nullable(),
    created_at: time,
  })
  .meta({ id: "RequestVersion" });
export type VersionView = z.infer<typeof versionSchema>;
export const versionsSchema = z
  .strictObject({ current: versionSchema, versions: z.array(versionSchema).describe("Earlier ones, newest first") })
  .meta({ id: "RequestVersions" });
export type VersionsView = z.infer<typeof versionsSchema>;

export const priorityChangeSchema = z
  .strictObject({
    priority: whole.max(2_147_483_647).optional().describe("a whole number from 0"),
    urgent: z.boolean().optional().describe("true or false"),
  })
  .refine((change) => change.priority !== undefined || change.urgent !== undefined, {
    error: "nothing to change: give priority, urgent or both",
  })
  .meta({ id: "PriorityChange" });
