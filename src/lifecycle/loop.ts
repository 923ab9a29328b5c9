import { secondsBetween } from "../base/clock.ts";
import { describeError } from "../base/errors.ts";
import { UnderWay } from "./in-progress.ts";
import { type PassReport, runPass } from "./pass.ts";
import type { LoopPolicy, Ports, Work } from "./ports.ts";

/** What the loop tells of itself. */
export type LoopStatus = Awaited<ReturnType<typeof describeLoop>>;

export interface Loop {
  start(): void;
  /** Asks for a pass soon: something changed. */
  nudge(): void;
  /** One pass now; for tests and the demo. */
  passOnce(): Promise<PassReport | null>;
  status(): Promise<LoopStatus>;
  /** Ends the pass under way, and gives the lease back. */
  stop(): Promise<void>;
}

/** What every server may know of the leader's last pass: kept in the store, so health is true for all. */
interface LastPass {
  readonly at: string;
  readonly seconds: number;
  readonly error: string | null;
  readonly requests: number;
  readonly withErrors: number;
}

const LEASE = "lifecycle";

/**
 * Runs passes on a timer and on a nudge, never two at once. Nudges are gathered: after a nudged pass the loop rests
 * for twice as long as it took. Only the holder of the lease passes, and only a pass that makes progress keeps it; the
 * others look again when it may have expired. A failed pass is kept and shown, and the next one comes as usual.
 */
export function makeLoop(ports: Ports, policy: LoopPolicy, owner: string): Loop {
  let running = false;
  let timer: NodeJS.Timeout | null = null;
  let under: Promise<PassReport | null> | null = null;
  let nudged = false;
  let leaderSince: Date | null = null;
  let leaseUntil = new Date(0);
  /** Grows whenever the lease was not ours for a while, or may not have been. */
  let term = 0;
  let passes = 0;
  let lastPass: LastPass | null = null;
  let storeError: string | null = null;
  let progressMs = 0;
  let restUntilMs = 0;
  const underWay = new UnderWay(() => nudge());
  const onProgress = () => {
    progressMs = performance.now();
  };
  const stuckForSec = () => (under ? (performance.now() - progressMs) / 1000 : 0);

  const takeLease = async (): Promise<boolean> => {
    const now = ports.clock.now();
    const until = new Date(now.getTime() + policy.leaseSec * 1000);
    const held = await ports.store.settings.takeLease(LEASE, owner, now, until);
    if (!held) leaderSince = null;
    else leaderSince ??= now;
    if (!held || leaseUntil < now) term += 1;
    leaseUntil = held ? until : new Date(0);
    return held;
  };

  /** A stopped process wakes up in the middle of its work and knows nothing of the time between. */
  const leadsSince = (begunIn: number) => () => ports.clock.now() < leaseUntil && begunIn === term;

  /** A long pass must not lose the lease half-way; one that hangs has to, and may not go on when it wakes. */
  const keepLease = () =>
    setInterval(
      async () => {
        if (stuckForSec() > policy.stuckSec) {
          ports.log.error("loop.stuck", { seconds: stuckForSec() });
          underWay.close("the pass hangs, and another server may have taken over");
        } else if (!(await takeLease().catch(() => true))) underWay.close("another server took over");
      },
      (policy.leaseSec * 1000) / 3,
    );

  const pass = async (): Promise<PassReport | null> => {
    const begun = ports.clock.now();
    onProgress();
    let report: PassReport | null = null;
    let error: string | null = null;
    try {
      if (!(await takeLease())) return null;
      const keeper = keepLease();
      underWay.open();
      try {
        const work = { ...ports, policy, leads: leadsSince(term) };
        report = await runPass(work, leaderSince ?? begun, underWay, onProgress);
        error = report.engineError;
      } finally {
        clearInterval(keeper);
      }
      storeError = null;
    } catch (failure) {
      error = describeError(failure);
      storeError = error;
      ports.log.error("loop.pass-failed", { why: error });
    }
    const seconds = secondsBetween(begun, ports.clock.now());
    passes += 1;
    ports.metrics.observePass(seconds);
    lastPass = {
      at: ports.clock.now().toISOString(),
      seconds,
      error,
      requests: report?.requests ?? lastPass?.requests ?? 0,
      withErrors: report?.withErrors ?? 0,
    };
    if (report) {
      await ports.store.settings.set("last-pass", lastPass, owner, ports.clock.now()).catch((failure: unknown) => {
        storeError = describeError(failure);
      });
    }
    ports.events.emit("loop.pass", { seconds, error, requests: lastPass.requests });
    return report;
  };

  const passOnce = (): Promise<PassReport | null> => {
    under ??= pass().finally(() => {
      under = null;
    });
    return under;
  };

  const schedule = (delayMs: number) => {
    if (!running) return;
    if (timer) clearTimeout(timer);
    timer = setTimeout(async () => {
      timer = null;
      nudged = false;
      const begunMs = performance.now();
      await passOnce();
      const tookMs = performance.now() - begunMs;
      restUntilMs = performance.now() + Math.min(2 * tookMs, policy.intervalSec * 1000);
      schedule(nudged ? restUntilMs - performance.now() : policy.intervalSec * 1000);
    }, delayMs);
  };

  const nudge = () => {
    nudged = true;
    if (!under) schedule(Math.max(0, restUntilMs - performance.now()));
  };

  return {
    start() {
      running = true;
      schedule(0);
    },
    nudge,
    passOnce,
    status: () =>
      describeLoop({ ...ports, policy }, owner, { running, passes, lastPass, storeError, stuckForSec: stuckForSec() }),
    async stop() {
      running = false;
      if (timer) clearTimeout(timer);
      underWay.close("the server stops");
      await under;
      await underWay.idle();
      await ports.store.settings.dropLease(LEASE, owner);
    },
  };
}

async function describeLoop(
  { store, policy, clock }: Work,
  owner: string,
  own: { running: boolean; passes: number; lastPass: LastPass | null; storeError: string | null; stuckForSec: number },
) {
  const now = clock.now();
  const { running, storeError, stuckForSec } = own;
  const lease = storeError ? null : await store.settings.lease(LEASE);
  const last = (storeError ? null : await store.settings.get<LastPass>("last-pass")) ?? own.lastPass;
  const lastPassAt = last ? new Date(last.at) : null;
  const silentFor = lastPassAt ? secondsBetween(lastPassAt, now) : null;
  // Passes may take a while; silence longer than this means that the loop is dead.
  const isSilent = silentFor !== null && silentFor > Math.max(30, 3 * policy.intervalSec + policy.leaseSec);
  const isStuck = stuckForSec > Math.min(policy.stuckSec, 30);
  const leader = lease && lease.until > now ? lease.owner : null;
  const why = () => {
    if (storeError) return `the store does not answer: ${storeError}`;
    if (!running) return "the loop is not running here";
    if (isStuck) return `the pass under way made no progress for ${Math.round(stuckForSec)} s`;
    if (silentFor === null) return "no pass has ended yet";
    if (isSilent) return `no pass ended for ${Math.round(silentFor)} s`;
    return last?.error ? `the last pass had trouble: ${last.error}` : "passes run";
  };
  return {
    running,
    /** Which server holds the lease; null: none. */
    leader,
    isLeader: leader === owner,
    lastPassAt,
    lastPassSeconds: last?.seconds ?? null,
    lastPassError: last?.error ?? null,
    passes: own.passes,
    openRequests: last?.requests ?? 0,
    requestsWithErrors: last?.withErrors ?? 0,
    /** Seconds between passes when nothing nudges. */
    intervalSec: policy.intervalSec,
    /** A pass ended recently enough, here or at the leader. */
    healthy: running && !storeError && !isStuck && silentFor !== null && !isSilent,
    why: why(),
  };
}
