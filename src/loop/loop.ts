import { secondsBetween } from "../core/base/clock.ts";
import { describeError } from "../core/base/errors.ts";
import { explainLoop, type LastPass, type LoopStatus } from "./explain-loop.ts";
import { InProgress } from "./in-progress.ts";
import { Lease } from "./lease.ts";
import { type PassReport, runPass } from "./pass.ts";
import type { LoopPolicy, Ports } from "./ports.ts";

export type { LoopStatus };

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

export const makeLoop = (ports: Ports, policy: LoopPolicy, owner: string): Loop => new PassLoop(ports, policy, owner);

/**
 * Runs passes on a timer and on a nudge, never two at once. Nudges are gathered: after a nudged pass the loop rests
 * for twice as long as it took. Only the holder of the lease passes, and only a pass that makes progress keeps it; the
 * others look again when it may have expired. A failed pass is kept and shown, and the next one comes as usual.
 */
class PassLoop implements Loop {
  readonly #ports: Ports;
  readonly #policy: LoopPolicy;
  readonly #owner: string;
  readonly #lease: Lease;
  readonly #inProgress = new InProgress(() => this.nudge());
  #running = false;
  #timer: NodeJS.Timeout | null = null;
  #pass: Promise<PassReport | null> | null = null;
  #nudged = false;
  #passes = 0;
  #lastPass: LastPass | null = null;
  #storeError: string | null = null;
  #progressMs = 0;
  #restUntilMs = 0;

  constructor(ports: Ports, policy: LoopPolicy, owner: string) {
    this.#ports = ports;
    this.#policy = policy;
    this.#owner = owner;
    this.#lease = new Lease(ports, policy.leaseSec, owner);
  }

  start(): void {
    this.#running = true;
    this.#schedule(0);
  }

  nudge(): void {
    this.#nudged = true;
    if (!this.#pass) this.#schedule(Math.max(0, this.#restUntilMs - performance.now()));
  }

  passOnce(): Promise<PassReport | null> {
    this.#pass ??= this.#runPass().finally(() => {
      this.#pass = null;
    });
    return this.#pass;
  }

  async status(): Promise<LoopStatus> {
    const { settings } = this.#ports.store;
    const storeError = this.#storeError;
    const leader = storeError ? null : await this.#lease.holder();
    const lastPass = (storeError ? null : await settings.get<LastPass>("last-pass")) ?? this.#lastPass;
    const own = { owner: this.#owner, running: this.#running, passes: this.#passes, stuckForSec: this.#stuckForSec() };
    return explainLoop({ ...own, storeError, leader, lastPass }, this.#policy, this.#ports.clock.now());
  }

  async stop(): Promise<void> {
    this.#running = false;
    if (this.#timer) clearTimeout(this.#timer);
    this.#inProgress.close("the server stops");
    await this.#pass;
    await this.#inProgress.idle();
    await this.#lease.drop();
  }

  #schedule(delayMs: number): void {
    if (!this.#running) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      this.#timer = null;
      this.#nudged = false;
      const begunMs = performance.now();
      await this.passOnce();
      const now = performance.now();
      this.#restUntilMs = now + Math.min(2 * (now - begunMs), this.#policy.intervalSec * 1000);
      this.#schedule(this.#nudged ? this.#restUntilMs - now : this.#policy.intervalSec * 1000);
    }, delayMs);
  }

  async #runPass(): Promise<PassReport | null> {
    const { store, clock, log, metrics, events } = this.#ports;
    const begun = clock.now();
    this.#progressMs = performance.now();
    let report: PassReport | null = null;
    let error: string | null = null;
    try {
      if (!(await this.#lease.take())) return null;
      report = await this.#passWhileLeading(begun);
      error = report.engineError;
      this.#storeError = null;
    } catch (failure) {
      error = describeError(failure);
      this.#storeError = error;
      log.error("loop.pass-failed", { why: error });
    }
    const seconds = secondsBetween(begun, clock.now());
    this.#passes += 1;
    metrics.observePass(seconds);
    const requests = report?.requests ?? this.#lastPass?.requests ?? 0;
    const lastPass = { at: clock.now().toISOString(), seconds, error, requests, withErrors: report?.withErrors ?? 0 };
    this.#lastPass = lastPass;
    if (report) {
      await store.settings.set("last-pass", lastPass, this.#owner, clock.now()).catch((failure: unknown) => {
        this.#storeError = describeError(failure);
      });
    }
    events.emit("loop.pass", { seconds, error, requests });
    return report;
  }

  /** A long pass must not lose the lease half-way; one that hangs has to, and may not go on when it wakes. */
  async #passWhileLeading(begun: Date): Promise<PassReport> {
    const keeper = setInterval(() => this.#keepLease(), (this.#policy.leaseSec * 1000) / 3);
    this.#inProgress.open();
    try {
      const work = { ...this.#ports, policy: this.#policy, leads: this.#lease.watch() };
      return await runPass(work, this.#lease.since ?? begun, this.#inProgress, () => {
        this.#progressMs = performance.now();
      });
    } finally {
      clearInterval(keeper);
    }
  }

  async #keepLease(): Promise<void> {
    const seconds = this.#stuckForSec();
    if (seconds > this.#policy.stuckSec) {
      this.#ports.log.error("loop.stuck", { seconds });
      this.#inProgress.close("the pass hangs, and another server may have taken over");
    } else if (!(await this.#lease.take().catch(() => true))) this.#inProgress.close("another server took over");
  }

  readonly #stuckForSec = (): number => (this.#pass ? (performance.now() - this.#progressMs) / 1000 : 0);
}
