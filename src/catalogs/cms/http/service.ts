import {
  BrokenCircuitError,
  bulkhead,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
} from "cockatiel";
import { type Clock, secondsBetween } from "../../../core/base/clock.ts";
import { InvariantError, WorldError } from "../../../core/base/errors.ts";
import type { Log } from "../../../core/base/log.ts";
import { exchange, type Opened, type Patience, wholeAnswer } from "./exchange.ts";
import { explainFailure, explainNotLetIn } from "./explain-failure.ts";
import { makePace, retryDelayMs, type Wait } from "./pace.ts";
import {
  type Answer,
  type Credentials,
  notLetIn,
  type Question,
  refused,
  type ServiceRules,
  unreachable,
} from "./question.ts";
import { BrokenAnswer, rowsOf } from "./rows.ts";
import type { Trust } from "./trust.ts";

export interface CallMetrics {
  observeCall(service: string, operation: string, outcome: "ok" | "refused" | "unreachable", seconds: number): void;
}

/** What all services share. */
export interface HttpWorld {
  readonly trust: Trust;
  readonly patience: Patience;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly random: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly metrics: CallMetrics;
}

const RETRIES = 2;
/** Failures in a row after which a service is left in peace. */
const BREAK_AFTER = 5;

/** Counted by the breaker. */
class CallFailed extends Error {
  readonly world: WorldError;
  readonly isWorthRepeating: boolean;
  constructor(world: WorldError, isWorthRepeating: boolean) {
    super(world.message, { cause: world });
    this.world = world;
    this.isWorthRepeating = isWorthRepeating;
  }
}

/**
 * One service over HTTP. What comes out of it is a whole answer that the service meant; everything else is
 * WorldError("catalog-unreachable"), after a few repetitions where the question allows them. A service that failed several
 * times in a row is not asked for a while, so that an outage costs passes no time.
 */
export class HttpService {
  readonly rules: ServiceRules;
  readonly #world: HttpWorld;
  readonly #credentials: Credentials | null;
  readonly #pace: () => Promise<void>;
  readonly #slots;
  readonly #breaker: CircuitBreakerPolicy;
  #lastFailure: WorldError | null = null;

  constructor(rules: ServiceRules, world: HttpWorld, credentials: Credentials | null = null) {
    this.rules = rules;
    this.#world = world;
    this.#credentials = credentials;
    this.#pace = makePace(rules.requestsPerSec, world.clock, world.wait);
    this.#slots = bulkhead(rules.concurrency, Number.POSITIVE_INFINITY);
    this.#breaker = circuitBreaker(handleType(CallFailed), {
      halfOpenAfter: world.patience.peaceSec * 1000,
      breaker: new ConsecutiveBreaker(BREAK_AFTER),
    });
  }

  /** A refusal is an answer too. */
  ask(question: Question): Promise<Answer> {
    return this.#repeated(question, wholeAnswer);
  }

  /** Does anybody answer? Asked at once, whatever happened before, and not for long. */
  async probe(question: Question): Promise<void> {
    try {
      await this.#observed(question, this.#world.newId(), 0, wholeAnswer);
    } catch (error) {
      throw error instanceof CallFailed ? error.world : error;
    }
  }

  /** What `read` makes of a success; a refusal is thrown, and what it cannot read is no answer. */
  read<T>(question: Question, read: (answer: Answer) => T): Promise<T> {
    return this.#repeated(question, async (opened) => read(await this.#success(opened)));
  }

  /** Likewise; null when the refusal says that there is no such thing. */
  readIfThere<T>(
    question: Question,
    isNothing: (answer: Answer) => boolean,
    read: (answer: Answer) => T,
  ): Promise<T | null> {
    return this.#repeated(question, async (opened) => {
      if (opened.kind === "other" && isNothing(opened.answer)) return null;
      return read(await this.#success(opened));
    });
  }

  /**
   * The rows of a long answer as they come. It holds no slot while it is read: whoever reads one may ask for another
   * meanwhile. A failure in the middle is thrown; what was read before is no whole answer.
   */
  async *rows<T>(asked: Question, read: (row: unknown) => T, signal?: AbortSignal): AsyncGenerator<readonly T[]> {
    signal?.throwIfAborted();
    const question = { ...asked, signal };
    const body = await this.#repeated(question, async (opened) => {
      if (opened.kind === "success") return opened.body;
      throw this.#refused(opened.answer);
    });
    try {
      for await (const rows of rowsOf(body)) {
        signal?.throwIfAborted();
        const broken = rows.map((row) => this.rules.brokenRow(row)).find((why) => why !== null);
        if (broken) throw new BrokenAnswer(broken);
        yield rows.map(read);
      }
    } catch (error) {
      signal?.throwIfAborted();
      const failed = this.#failed(question, error);
      if (failed === null) throw error;
      await this.#breaker.execute(() => Promise.reject(failed)).catch(() => {});
      const { operation } = question;
      this.#world.log.warn("catalog.cut", { service: this.rules.name, operation, why: failed.message });
      throw failed.world;
    }
  }

  async #success(opened: Opened): Promise<Answer> {
    if (opened.kind === "success") return wholeAnswer(opened);
    throw this.#refused(opened.answer);
  }

  #refused(answer: Answer): WorldError {
    return refused(this.rules.name, this.rules.refusal(answer));
  }

  async #repeated<T>(question: Question, read: (opened: Opened) => Promise<T>): Promise<T> {
    const call = this.#world.newId();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#slots.execute(async () => {
          await this.#pace();
          return await this.#breaker.execute(() => this.#observed(question, call, attempt, read));
        });
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw this.#inPeace();
        if (!(error instanceof CallFailed)) throw error;
        if (!question.repeatable || !error.isWorthRepeating || attempt >= RETRIES) throw error.world;
        await this.#world.wait(retryDelayMs(attempt, this.#world.random()));
      }
    }
  }

  async #observed<T>(
    question: Question,
    call: string,
    attempt: number,
    read: (opened: Opened) => Promise<T>,
  ): Promise<T> {
    const { clock, metrics, log } = this.#world;
    const begun = clock.now();
    const service = this.rules.name;
    const { operation } = question;
    const tell = (outcome: "ok" | "refused" | "unreachable", more: Record<string, unknown> = {}): void => {
      const seconds = secondsBetween(begun, clock.now());
      metrics.observeCall(service, operation, outcome, seconds);
      const detail = { service, operation, outcome, seconds, call, attempt, ...more };
      if (outcome === "unreachable") log.warn("catalog.called", detail);
      else log.info("catalog.called", detail);
    };
    let opened: Opened | null = null;
    try {
      opened = await this.#open(question, call);
      const value = await read(opened);
      tell(opened.kind === "success" ? "ok" : "refused", { status: opened.answer.status });
      this.#lastFailure = null;
      return value;
    } catch (error) {
      question.signal?.throwIfAborted();
      const failed = this.#failed(question, error);
      tell(failed ? "unreachable" : "refused", { why: (failed ?? (error as Error)).message });
      this.#lastFailure = failed?.world ?? null;
      throw failed ?? error;
    }
  }

  async #open(question: Question, call: string): Promise<Opened> {
    const credentials = this.#credentials;
    if (!credentials) return this.#noOutage(await this.#send(question, call, {}));
    const shown = await credentials.headers(null);
    const opened = await this.#send(question, call, shown);
    if (opened.kind === "success" || !credentials.rejects(opened.answer)) return this.#noOutage(opened);
    return this.#noOutage(await this.#send(question, call, await credentials.headers(shown)));
  }

  #noOutage(opened: Opened): Opened {
    if (opened.kind === "success") return opened;
    const { name, outage } = this.rules;
    const why = outage(opened.answer);
    if (why === null) return opened;
    if (notLetIn(opened.answer) === null)
      throw new CallFailed(unreachable(name, why, { hint: "wait; it is asked again by itself" }), true);
    const { clock, trust } = this.#world;
    const { reason, hint } = explainNotLetIn(why, { file: trust.file, expiresAt: trust.expiresAt() }, clock.now());
    throw new CallFailed(unreachable(name, reason, { hint }), false);
  }

  async #send(question: Question, call: string, more: Readonly<Record<string, string>>): Promise<Opened> {
    const { trust, patience } = this.#world;
    return exchange(await trust.agent(), question, { "x-correlation-id": call, ...more }, patience);
  }

  /** null: it is no failure of the service. */
  #failed(question: Question, error: unknown): CallFailed | null {
    if (error instanceof CallFailed) return error;
    if (error instanceof InvariantError) return null;
    if (error instanceof WorldError) return error.code === "catalog-unreachable" ? new CallFailed(error, false) : null;
    const { trust, clock } = this.#world;
    const ours = { file: trust.file, expiresAt: trust.expiresAt() };
    const { reason, hint } = explainFailure(error, new URL(question.url).host, ours, clock.now());
    return new CallFailed(unreachable(this.rules.name, reason, { cause: error, hint }), true);
  }

  #inPeace(): WorldError {
    const last = this.#lastFailure;
    const reason = `it failed ${BREAK_AFTER} times in a row, and is asked again within ${this.#world.patience.peaceSec} s`;
    const hint = last?.hint ?? "wait; it is asked again by itself";
    return unreachable(this.rules.name, reason, { cause: last, hint });
  }
}
