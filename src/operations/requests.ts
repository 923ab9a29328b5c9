import { z } from "zod";
import { OUTPUT_STATES } from "../core/operator.ts";
import { MAX_PRIORITY } from "../core/request.ts";
import { REQUEST_STATUSES } from "../core/request-status.ts";
import { WAIT_CODES, type WaitCode } from "../core/wait.ts";
import { SPLIT_ALGORITHMS } from "../core/work.ts";
import { OPERATOR_ACTIONS } from "../recovery/round/actions.ts";
import { importSchema } from "./imports.ts";
import { dryRunQuery, flag, nameParams, pageQuery, reasonText } from "./inputs.ts";
import { changeErrors, changes, content, importErrors, reads } from "./operation.ts";
import { auditPageSchema } from "./operators.ts";
import { planPreviewSchema } from "./plan.ts";
import { facetsSchema, howFar, requestListQuery } from "./request-list.ts";
import { specSchema } from "./spec.ts";
import { anything, each, named, paged, strings, time, whole } from "./wire.ts";
import { outputPageSchema, workflowSchema } from "./workflows.ts";

const status = z.enum(REQUEST_STATUSES);
const productionSteps = z.array(z.strictObject({ fraction: z.number(), priority: z.int() }));

const passErrorSchema = z.strictObject({ ...each(z.string(), "code", "message", "hint"), since: time, count: z.int() });

const waitSchema = named("Wait", {
  code: z.enum(Object.keys(WAIT_CODES) as WaitCode[]).describe("The reason, for programs"),
  reason: z.string(),
  since: time,
  until: time.nullable().describe("When it moves by itself; null: unknown"),
  who: z.enum(["time", "operator", "pool", "service"]).describe("Who can change it; time: nobody has to"),
  details: strings.describe("What else waits"),
});

/** What every view of a request has: everything small. */
const commonSchema = z.strictObject({
  request_name: z.string(),
  kind: z.string().describe("process, generate"),
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
const requestRowSchema = commonSchema.extend(howFar).meta({ id: "RequestRow" });
export type RequestRowView = z.infer<typeof requestRowSchema>;
export const requestPageSchema = named("RequestPage", {
  ...paged(requestRowSchema),
  facets: facetsSchema.nullable().describe("null unless asked for"),
});

const transitionSchema = named("Transition", {
  from: status.nullable(),
  to: status,
  reason: z.string(),
  actor: z.string(),
  at: time,
});
const transitionsSchema = named("Transitions", { items: z.array(transitionSchema) });

/** A request as it stands: the fields a ReqMgr2 user knows, our state beside them, the whole spec under `spec`. */
export const requestSchema = commonSchema
  .extend({
    status_meaning: z.string(),
    hold: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        details: strings.describe("What else is known, in sentences"),
        evidence: anything.describe("The same, for programs"),
        actions: strings,
      })
      .nullable(),
    wish: z
      .strictObject({ kind: z.string(), actor: z.string(), reason: z.string(), at: time })
      .nullable()
      .describe("What an operator asked for and the loop has yet to carry out"),
    requestor_dn: z.string().nullable(),
    ...each(z.string(), "group", "acquisition_era", "processing_string"),
    processing_version: z.int(),
    input_dataset: z.string().nullable(),
    memory_mb: z.number(),
    time_per_event_sec: z.number().nullable(),
    size_per_event_kb: z.number().nullable(),
    site_whitelist: strings,
    site_blacklist: strings,
    splitting_algo: z.enum(SPLIT_ALGORITHMS).nullable(),
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
const requestDetailSchema = requestSchema
  .extend({
    ...howFar,
    work: anything.describe("What is to be done: kind, summary (one line), and the fields of that kind"),
    workflow: workflowSchema.nullable(),
    imported: importSchema.nullable().describe("What ReqMgr2 has to do with it; null: it was submitted here"),
    status_transitions: z.array(transitionSchema),
  })
  .meta({ id: "RequestDetail" });
export type RequestDetailView = z.infer<typeof requestDetailSchema>;
const already = z.boolean().describe("It was imported before: nothing was done");
export const submittedSchema = requestSchema.extend({ warnings: strings, already }).meta({ id: "Submitted" });
export const checkedSchema = named("Checked", {
  dry_run: z.literal(true),
  already,
  request: requestSchema.nullable(),
  warnings: strings,
  preview: planPreviewSchema.nullable().describe("What its first round would be"),
  name: z.string().nullable().describe("Its name; null: of an import"),
  taken: z.boolean().describe("A request of its name is there, and this dry run is to compare"),
  work: anything.nullable().describe("What it is read as, as GET /requests/NAME shows it; null: of an import"),
  spec: specSchema.nullable(),
});

const versionSchema = named("RequestVersion", {
  request_name: z.string(),
  processing_version: z.int(),
  status,
  cleanup_policy: z.string(),
  superseded_by: z.string().nullable(),
  failure_reason: z.string().nullable(),
  created_at: time,
});
const versionsSchema = named("RequestVersions", {
  current: versionSchema,
  versions: z.array(versionSchema).describe("Earlier ones, newest first"),
});

const priorityChangeSchema = z
  .strictObject({
    priority: whole.max(MAX_PRIORITY).optional().describe(`a whole number, 0…${MAX_PRIORITY}`),
    urgent: z.boolean().optional().describe("true or false"),
    reason: reasonText.optional(),
    dry_run: z.boolean().optional().describe("true: only say what would be done"),
  })
  .refine((change) => change.priority !== undefined || change.urgent !== undefined, {
    error: "nothing to change: give priority, urgent or both",
  })
  .meta({ id: "PriorityChange" });

const changedSchema = requestSchema
  .extend({
    dry_run: z.boolean(),
    already: z.boolean().describe("It is so already; nothing was changed"),
    message: z.string().describe("What is (or would be) done"),
  })
  .meta({ id: "ChangedRequest" });

const params = nameParams;

export const requests = {
  list: reads("/requests", "Requests: how far each is, and why not further", {
    answer: requestPageSchema,
    query: requestListQuery,
  }),
  show: reads("/requests/:name", "One request: its spec, state, workflow and moves; its version is the ETag", {
    params,
    answer: requestDetailSchema,
  }),
  transitions: reads("/requests/:name/transitions", "Every move of a request, with reason and actor", {
    params,
    answer: transitionsSchema,
  }),
  document: reads(
    "/requests/:name/document",
    "The document of a request as it was submitted, to begin another one with",
    {
      params,
      answer: named("RequestDocument", {
        request_name: z.string(),
        document: z
          .string()
          .nullable()
          .describe("YAML, with its attachments, under the name of the request; null: it was not kept"),
      }),
    },
  ),
  plan: reads("/requests/:name/plan", "What its first round would be, with the facts of this moment", {
    params,
    answer: planPreviewSchema,
  }),
  picture: reads("/requests/:name/metrics.svg", "Memory and cores asked for and used, by round, as a picture", {
    params,
    answer: content("A picture that needs no other file", "image/svg+xml"),
  }),
  versions: reads("/requests/:name/versions", "The chain of versions a request belongs to", {
    params,
    answer: versionsSchema,
  }),
  outputs: reads("/requests/:name/outputs", "Merged files of finished work units", {
    params,
    query: pageQuery,
    answer: outputPageSchema,
  }),
  audit: reads("/requests/:name/audit", "What people did to a request, newest first", {
    params,
    query: pageQuery,
    answer: auditPageSchema,
  }),
  submit: changes("POST", "/requests", "Submit a request, as JSON or YAML; ?dry_run=true only checks it", {
    query: z.strictObject({
      dry_run: flag,
      draft: flag,
      compare: flag.describe("true: of a dry run, the name may be taken: somebody wants to see the difference"),
    }),
    body: z
      .unknown()
      .describe("A request (docs/ and examples/ show its form), or {request_name, source: reqmgr2} and what to change"),
    rawBody: ["application/json", "application/yaml"],
    answers: { 200: z.union([checkedSchema, submittedSchema]), 201: submittedSchema, ...importErrors },
  }),
  change: changes("PATCH", "/requests/:name", "Change priority or urgency; give If-Match to be sure nobody else did", {
    params,
    query: dryRunQuery,
    body: priorityChangeSchema,
    answers: { 200: changedSchema, ...changeErrors },
  }),
  delete: changes("DELETE", "/requests/:name", "The same as abort; the request stays on record", {
    params,
    query: z.strictObject({ reason: reasonText.optional().describe("why, in words") }),
    answers: { 202: requestSchema, ...changeErrors },
  }),
};
