import { z } from "zod";
import { AUDIT_OUTCOMES } from "../domain/operator.ts";
import { reasonText } from "./inputs.ts";
import { anything, named, pageOf, time, viewOf } from "./wire.ts";

const auditSchema = named("AuditEntry", {
  id: z.string(),
  at: time,
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  reason: z.string(),
  detail: anything,
  outcome: z.enum(AUDIT_OUTCOMES),
});
export type AuditView = z.infer<typeof auditSchema>;
export const auditView = viewOf(auditSchema);
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
export const alertView = viewOf(alertSchema);
export const alertPageSchema = pageOf("AlertPage", alertSchema);
export const acknowledgedSchema = alertSchema.extend({ already: z.boolean() }).meta({ id: "AcknowledgedAlert" });
export type AcknowledgedView = z.infer<typeof acknowledgedSchema>;
export const reasonOnlySchema = named("Reason", { reason: reasonText.optional() });

const tokenSchema = named("OperatorToken", {
  id: z.string().describe("the beginning of its SHA-256"),
  name: z.string(),
  created_at: time,
});
export type TokenView = z.infer<typeof tokenSchema>;
export const tokenView = viewOf(tokenSchema);
export const tokenListSchema = named("OperatorTokens", { items: z.array(tokenSchema) });
export type TokenListView = z.infer<typeof tokenListSchema>;
export const newTokenSchema = tokenSchema
  .extend({ token: z.string().describe("told only now: it is kept as a hash") })
  .meta({ id: "NewOperatorToken" });
export type NewTokenView = z.infer<typeof newTokenSchema>;
