import type { Queue, QueueEntry } from "../../domain/admission.ts";
import type { Alert, Site, SiteBan } from "../../domain/dag.ts";
import type { LoopStatus } from "../../lifecycle/port.ts";
import type { HealthView, LoopView, QueueView, SiteView, StatusView } from "../schemas/system.ts";
import { isoOrNull } from "./time.ts";

const entryView = (entry: QueueEntry): QueueView["entries"][number] => ({
  request_name: entry.requestName,
  place: entry.place,
  urgent: entry.urgent,
  priority: entry.priority,
  queued_since: entry.queuedSince.toISOString(),
  verdict: entry.verdict,
  reason: entry.reason,
});

export function queueView(queue: Queue): QueueView {
  const entries = queue.entries.map(entryView);
  return {
    active_dags: queue.active,
    max_active_dags: queue.limits.maxActive,
    queued_workflows: entries.length,
    next_in_queue: entries[0] ?? null,
    entries,
  };
}

/** `bans` may be those of all sites. */
export const siteView = (site: Site, bans: readonly SiteBan[]): SiteView => ({
  name: site.name,
  status: site.status,
  cores: site.cores,
  memory_mb: site.memoryMb,
  drain_until: isoOrNull(site.drainUntil),
  note: site.note,
  updated_at: site.updatedAt.toISOString(),
  bans: bans
    .filter((ban) => ban.site === site.name)
    .map((ban) => ({
      id: ban.id,
      workflow_id: ban.workflowId,
      reason: ban.reason,
      created_at: ban.createdAt.toISOString(),
      expires_at: ban.expiresAt.toISOString(),
    })),
});

export const loopView = (loop: LoopStatus): LoopView => ({
  healthy: loop.healthy,
  why: loop.why,
  running: loop.running,
  leader: loop.leader,
  is_leader: loop.isLeader,
  last_pass_at: isoOrNull(loop.lastPassAt),
  last_pass_seconds: loop.lastPassSeconds,
  last_pass_error: loop.lastPassError,
  passes: loop.passes,
  open_requests: loop.openRequests,
  requests_with_errors: loop.requestsWithErrors,
  interval_sec: loop.intervalSec,
});

export interface PartHealth {
  readonly ok: boolean;
  readonly words: string;
}
export function healthView(store: PartHealth, loop: PartHealth, version: string, at: Date): HealthView {
  const wrong = [store.ok ? "" : `store: ${store.words}`, loop.ok ? "" : `loop: ${loop.words}`].filter(Boolean);
  return {
    status: wrong.length === 0 ? "ok" : "unhealthy",
    why: wrong.join("; "),
    store: { ...store },
    loop: { ...loop },
    version,
    at: at.toISOString(),
  };
}

export const alertView = (alert: Alert): StatusView["alerts"][number] => ({
  key: alert.key,
  severity: alert.severity,
  subject: alert.subject,
  message: alert.message,
  count: alert.count,
  first_at: alert.firstAt.toISOString(),
  last_at: alert.lastAt.toISOString(),
  acknowledged_by: alert.acknowledgedBy,
});
