import { secondsBetween } from "../core/base/clock.ts";
import type { LoopPolicy } from "./ports.ts";

/** What every server may know of the leader's last pass: kept in the store, so health is true for all. */
export interface LastPass {
  readonly at: string;
  readonly seconds: number;
  readonly error: string | null;
  readonly requests: number;
  readonly withErrors: number;
}

interface LoopFacts {
  readonly owner: string;
  readonly running: boolean;
  readonly passes: number;
  readonly stuckForSec: number;
  readonly storeError: string | null;
  readonly leader: string | null;
  readonly lastPass: LastPass | null;
}

/** What the loop tells of itself. */
export type LoopStatus = ReturnType<typeof explainLoop>;

export function explainLoop(
  { owner, running, passes, stuckForSec, storeError, leader, lastPass }: LoopFacts,
  { intervalSec, leaseSec, stuckSec }: LoopPolicy,
  now: Date,
) {
  const lastPassAt = lastPass ? new Date(lastPass.at) : null;
  const silentFor = lastPassAt ? secondsBetween(lastPassAt, now) : null;
  // Passes may take a while; silence longer than this means that the loop is dead.
  const isSilent = silentFor !== null && silentFor > Math.max(30, 3 * intervalSec + leaseSec);
  const isStuck = stuckForSec > Math.min(stuckSec, 30);
  const why = () => {
    if (storeError) return `the store does not answer: ${storeError}`;
    if (!running) return "the loop is not running here";
    if (isStuck) return `the pass under way made no progress for ${Math.round(stuckForSec)} s`;
    if (silentFor === null) return "no pass has ended yet";
    if (isSilent) return `no pass ended for ${Math.round(silentFor)} s`;
    return lastPass?.error ? `the last pass had trouble: ${lastPass.error}` : "passes run";
  };
  return {
    running,
    /** Which server holds the lease; null: none. */
    leader,
    isLeader: leader === owner,
    lastPassAt,
    lastPassSeconds: lastPass?.seconds ?? null,
    lastPassError: lastPass?.error ?? null,
    passes,
    openRequests: lastPass?.requests ?? 0,
    requestsWithErrors: lastPass?.withErrors ?? 0,
    /** Seconds between passes when nothing nudges. */
    intervalSec,
    /** A pass ended recently enough, here or at the leader. */
    healthy: running && !storeError && !isStuck && silentFor !== null && !isSilent,
    why: why(),
  };
}
