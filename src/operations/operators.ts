import { z } from "zod";
import { AUDIT_OUTCOMES } from "../core/operator.ts";
import { idParams, nameText, paging, reasonText } from "./inputs.ts";
import { changeErrors, changes, itemErrors, reads } from "./operation.ts";
import { anything, each, named, paged, pageOf, time } from "./wire.ts";

const auditSchema = named("AuditEntry", {
  id: z.string(),
  at: time,
  ...each(z.string(), "actor", "action", "subject", "reason"),
  detail: anything,
  outcome: z.enum(AUDIT_OUTCOMES),
});
export type AuditView = z.infer<typeof auditSchema>;
export const auditPageSchema = pageOf("AuditPage", auditSchema);

export const alertSchema = named("Alert", {
  id: z.string(),
  key: z.string(),
  severity: z.enum(["info", "warning", "critical"]),
  subject: z.string(),
  message: z.string(),
  count: z.int(),
  first_at: time,
  last_at: time,
  acknowledged_by: z.string().nullable(),
  acknowledged_at: time.nullable(),
  closed_at: time.nullable(),
});
export type AlertView = z.infer<typeof alertSchema>;
const alertPageSchema = named("AlertPage", {
  ...paged(alertSchema),
  open: z.int().describe("How many are open, on all pages"),
  of_held: z.int().describe("Of those, how many only say that a request is held"),
  critical: z.int().describe("Of those that are open"),
});
const acknowledgedSchema = alertSchema.extend({ already: z.boolean() }).meta({ id: "AcknowledgedAlert" });
export type AcknowledgedView = z.infer<typeof acknowledgedSchema>;
export const reasonOnlySchema = named("Reason", { reason: reasonText.optional() });

const tokenSchema = named("OperatorToken", {
  id: z.string().describe("the beginning of its SHA-256"),
  name: z.string(),
  created_at: time,
});
export type TokenView = z.infer<typeof tokenSchema>;
const tokenListSchema = named("OperatorTokens", { items: z.array(tokenSchema) });
const newTokenSchema = tokenSchema
  .extend({ token: z.string().describe("shown only now: it is kept as a hash") })
  .meta({ id: "NewOperatorToken" });

const state = z.enum(["open", "closed", "all"]).default("open").describe("open, closed or all");
const subject = nameText.optional().describe("only of this request or site");

export const alerts = {
  list: reads("/alerts", "What people should know, newest first", {
    query: z.strictObject({ ...paging, state }),
    answer: alertPageSchema,
  }),
  acknowledge: changes("POST", "/alerts/:id/acknowledge", "Somebody has seen it and takes care of it", {
    params: idParams,
    body: reasonOnlySchema.prefault({}),
    answers: { 200: acknowledgedSchema, ...changeErrors },
  }),
};

/** Who did what to what, when and why. */
export const audit = {
  list: reads("/audit", "What people did, and what the program did about sites; newest first", {
    query: z.strictObject({ ...paging, subject }),
    answer: auditPageSchema,
  }),
};

/** Who may change things: a token for each, so that the audit names them and one can be withdrawn alone. */
export const tokens = {
  list: {
    ...reads("/tokens", "The operator tokens, by name", { answer: tokenListSchema, role: "operator" }),
    answers: { 200: tokenListSchema, ...itemErrors },
  },
  add: changes("POST", "/tokens", "A new operator token", {
    body: z.strictObject({ name: nameText }),
    answers: { 201: newTokenSchema, ...changeErrors },
  }),
  remove: changes("DELETE", "/tokens/:id", "Withdraw a token, by its id or by a name that only one has", {
    params: idParams,
    answers: { 200: tokenListSchema, ...changeErrors },
  }),
};
