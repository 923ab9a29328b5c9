import type { NewNodeAction, NodeAction, NodeChanges } from "../../domain/operator.ts";
import type { AttemptPage, ClassifyAnswer, UnclassifiedNode } from "../../lifecycle/port.ts";
import type {
  AttemptPageView,
  AttemptView,
  ClassifiedView,
  NodeActionView,
  UnclassifiedView,
} from "../schemas/attempts.ts";
import { isoOrNull } from "./time.ts";

const attemptView = ({ round, unit, record }: AttemptPage["items"][number]): AttemptView => ({
  round,
  unit,
  node: record.node,
  at: record.at,
  cluster: record.cluster > 0 ? record.cluster : null,
  retry: record.retry,
  rrn: record.rrn,
  epoch: record.epoch,
  cause: record.cause,
  exit_code: record.exitCode,
  return: record.return,
  decoded_from: record.decodedFrom,
  signal: record.signal,
  site: record.site,
  host: record.host,
  started_at: record.startedAt,
  ended_at: record.endedAt,
  wall_sec: record.wallSec,
  cpu_sec: record.cpuSec,
  peak_memory_mb: record.peakMemoryMb,
  memory_mb: record.memoryMb,
  wall_minutes: record.wallMinutes,
  next_memory_mb: record.nextMemoryMb,
  next_wall_minutes: record.nextWallMinutes,
  decision: record.decision,
  why: record.why,
  category: record.category,
  rule: record.rule,
  rule_source: record.ruleSource,
  delay_sec: record.delaySec,
  not_before: record.notBefore,
  avoid_sites: [...record.avoidSites],
  bad_files: [...record.badFiles],
  reason: record.reason,
});

export const attemptPageView = (page: AttemptPage, nextCursor: string | null): AttemptPageView => ({
  items: page.items.map(attemptView),
  epochs: page.epochs.map(({ round, unit, record }) => ({
    round,
    unit,
    epoch: record.epoch,
    nodes: record.nodes && [...record.nodes],
    by: record.by,
    reason: record.reason,
    at: record.at,
  })),
  unreadable: page.unreadable.map((row) => ({ ...row })),
  gone: [...page.gone],
  next_cursor: nextCursor,
});

export const unclassifiedItemView = ({
  unit,
  node,
  attempt,
  record,
  stderrTail,
  classified,
}: UnclassifiedNode): UnclassifiedView["items"][number] => ({
  unit,
  node,
  attempt,
  exit_code: record.exitCode,
  cause: record.cause,
  site: record.site,
  host: record.host,
  at: record.at,
  reason: record.reason,
  stderr_tail: stderrTail,
  classified: classified && {
    action: classified.kind,
    actor: classified.actor,
    reason: classified.reason,
    at: classified.createdAt.toISOString(),
  },
});

export const classifiedView = (answer: Extract<ClassifyAnswer, { kind: "done" | "would" }>): ClassifiedView => ({
  request_name: answer.request.spec.name,
  dry_run: answer.kind === "would",
  already: answer.items.every(({ outcome }) => outcome === "already"),
  items: answer.items.map((item) => ({ ...item })),
  open: answer.open,
  resubmit: answer.resubmit && [...answer.resubmit],
  message: answer.because,
});

export const nodeActionView = (
  action: NewNodeAction | NodeAction,
  requestName: string,
  flags: { already: boolean; dry_run: boolean },
): NodeActionView => ({
  id: "id" in action ? action.id : null,
  request_name: requestName,
  dag_id: action.dagId,
  unit: action.unit,
  node: action.node,
  kind: action.kind,
  attempt: action.attempt,
  epoch: action.epoch,
  actor: action.actor,
  reason: action.reason,
  changes: changesView(action.changes),
  created_at: action.createdAt.toISOString(),
  applied_at: "appliedAt" in action ? isoOrNull(action.appliedAt) : null,
  ...flags,
});

const changesView = ({ memoryMb, wallMinutes, sites }: NodeChanges): Record<string, unknown> => ({
  ...(memoryMb !== undefined && { memory_mb: memoryMb }),
  ...(wallMinutes !== undefined && { wall_minutes: wallMinutes }),
  ...(sites !== undefined && { sites }),
});
