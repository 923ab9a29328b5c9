import type { AlertRecord, AuditRecord, BanRecord } from "../../domain/operator.ts";
import type { SiteEffect } from "../../lifecycle/port.ts";
import type { AlertView, AuditView, BanView, SiteEffectView } from "../schemas/operators.ts";
import { isoOrNull } from "./time.ts";

export const auditView = ({ at, detail, ...entry }: AuditRecord): AuditView => ({
  ...entry,
  at: at.toISOString(),
  detail: { ...detail },
});

export const alertDetailView = (alert: AlertRecord): AlertView => ({
  id: alert.id,
  key: alert.key,
  severity: alert.severity,
  subject: alert.subject,
  message: alert.message,
  count: alert.count,
  first_at: alert.firstAt.toISOString(),
  last_at: alert.lastAt.toISOString(),
  acknowledged_by: alert.acknowledgedBy,
  acknowledged_at: isoOrNull(alert.acknowledgedAt),
  closed_at: isoOrNull(alert.closedAt),
});

export const banView = (ban: BanRecord): BanView => ({
  id: ban.id,
  site: ban.site,
  workflow_id: ban.workflowId,
  reason: ban.reason,
  evidence: { ...ban.evidence },
  created_by: ban.createdBy,
  created_at: ban.createdAt.toISOString(),
  expires_at: ban.expiresAt.toISOString(),
  removed_at: isoOrNull(ban.removedAt),
  removed_by: ban.removedBy,
});

export const effectView = ({ usedBy, leftWithout, leftWithoutTotal }: SiteEffect): SiteEffectView => ({
  used_by: usedBy,
  left_without: [...leftWithout],
  left_without_total: leftWithoutTotal,
});
