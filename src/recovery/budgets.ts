import { type Attempt, LOSSES } from "./attempt.ts";
import type { AttemptRecord, History } from "./ledger-record.ts";
import type { PolicySettings, RowSays } from "./policy.ts";

/**
 * How often a node has been tried, and what the next try may ask for. `rrn` counts genuine executions within an
 * epoch, the first is 1; an attempt that was evicted, lost or never submitted is none of them.
 */
type Counts = Readonly<ReturnType<typeof countAttempts>>;

export function countAttempts(attempt: Attempt, isLoss: boolean, history: History) {
  const others = history.records.filter(
    (record, at) => !isSameAttempt(record, attempt, at === history.records.length - 1),
  );
  const epoch = history.records.reduce((most, record) => Math.max(most, record.epoch), history.epoch);
  /** Earlier attempts of this epoch, this very one left out (POST may run twice for it). */
  const records = others.filter((record) => record.epoch === epoch);
  const genuine = records.filter((record) => !LOSSES.includes(record.cause ?? ""));
  // Should a line have been lost, the numbers in the later ones still know of it.
  const before = genuine.reduce((most, record) => Math.max(most, record.rrn), genuine.length);
  return { epoch, rrn: before + (isLoss ? 0 : 1), records, losses: records.length - genuine.length + (isLoss ? 1 : 0) };
}

/** Attempts are known by their cluster; a submission that failed has none, and is known by its place at the end. */
function isSameAttempt(record: AttemptRecord, attempt: Attempt, isLast: boolean): boolean {
  if (attempt.cluster !== null) return record.cluster === attempt.cluster;
  return isLast && record.cluster <= 0 && record.retry === attempt.dagRetry;
}

/** Every earlier failure on the row was followed by another execution, whoever started it: the run, a rescue, a person. */
export const retriesOfRow = (records: readonly AttemptRecord[], rowId: string): number =>
  records.filter((record) => record.rule === rowId).length;

/** What the next execution asks for: more where the row says so, never less than any execution of this epoch had. */
interface Boost {
  readonly next: number | null;
  readonly before: number | null;
  /** A boost was earned, but there is nothing left to give. */
  readonly atCap: boolean;
}

export function boosted(
  asked: number | null,
  earlier: readonly (number | null)[],
  factor: number | undefined,
  cap: number,
): Boost {
  const known = [asked, ...earlier].filter((value): value is number => value !== null);
  if (known.length === 0) return { next: null, before: null, atCap: false };
  const before = Math.max(...known);
  if (factor === undefined || factor <= 1) return { next: before, before, atCap: false };
  if (before >= cap) return { next: before, before, atCap: true };
  // Whole units, cut off, but always at least one more. The hair keeps 2600 × 1.3 at 3380.
  const wanted = Math.max(Math.floor(before * factor + 1e-6), before + 1);
  return { next: Math.min(wanted, cap), before, atCap: false };
}

/** Seconds to wait. The jitter is a hash of node, epoch and try, so that a replay waits as long. */
export function delayOf(delay: RowSays["delay"], settings: PolicySettings, node: string, counts: Counts): number {
  if (typeof delay === "number") return Math.floor(delay);
  if (delay === "none" || (settings.firstRetryAtOnce && counts.records.length === 0)) return 0;
  if (delay === "fixed") return settings.fixedDelaySec;
  if (delay === "long") return settings.fixedDelaySec * 4;
  const tries = counts.records.length;
  const plain = Math.min(settings.backoffBaseSec * 2 ** Math.min(tries, 30), settings.backoffMaxSec);
  return Math.floor(plain * (1 + settings.jitter * share(`${node}#${counts.epoch}#${tries}`)));
}

/** FNV-1a as a share of 1. */
function share(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}
