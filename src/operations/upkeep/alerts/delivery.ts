import { hostname } from "node:os";
import type { Clock } from "../../../core/base/clock.ts";
import { describeError } from "../../../core/base/errors.ts";
import type { Log } from "../../../core/base/log.ts";
import { makeTurns, type TurnOptions } from "../../../core/base/turns.ts";
import type { Store } from "../../../store/port.ts";
import { decideDelivery, SINK_FAMILY, sinkKey, waitAfter } from "./decide-delivery.ts";
import { alertMessage } from "./message.ts";
import { familyOf } from "./raise-and-close.ts";
import type { Sink } from "./sink.ts";

const INTERVAL_SEC = 5;
const IDLE_SEC = 3600;
const AT_ONCE = 4;
const PER_ROUND = 100;
/** Failures in a row after which a sink itself is worth an alert. */
const BROKEN_AFTER = 3;
const LONGEST_ERROR = 500;

interface SinkState {
  /** Failed tries in a row; null: not tried yet, and nobody knows how it was before. */
  failures: number | null;
  notBefore: number;
  /** Alerts it really was told of, by id. Kept in the store: another leader must know. null: not read yet. */
  heard: Set<string> | null;
}

export function makeAlertDelivery(
  store: Store,
  sinks: readonly Sink[],
  clock: Clock,
  log: Log,
  { isLeader, server = null }: Pick<TurnOptions, "isLeader"> & { readonly server?: string | null } = {},
) {
  const delivery = new Delivery(store, sinks, clock, log, server);
  const deliverOnce = () => delivery.deliverOnce();
  const turns = makeTurns({
    name: "alerts.delivery",
    // Without a sink there is nobody to tell; one look closes what an old one left.
    everySec: sinks.length > 0 ? INTERVAL_SEC : IDLE_SEC,
    firstSec: INTERVAL_SEC,
    log,
    isLeader,
    work: deliverOnce,
  });
  return { ...turns, deliverOnce };
}

/**
 * Tells sinks what changed, apart from the passes. Every change once per sink: the receipt is written after the sink took
 * it, so a crash in between tells it twice and never not at all. Sinks do not wait for each other; one that fails is
 * tried again later and later, and raises an alert that the others are told.
 */
class Delivery {
  readonly #store: Store;
  readonly #sinks: readonly Sink[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #server: string | null;
  readonly #states: ReadonlyMap<string, SinkState>;
  #oldSinksForgotten = false;

  constructor(store: Store, sinks: readonly Sink[], clock: Clock, log: Log, server: string | null) {
    this.#server = server;
    this.#store = store;
    this.#sinks = sinks;
    this.#clock = clock;
    this.#log = log;
    this.#states = new Map(sinks.map(({ name }) => [name, { failures: null, notBefore: 0, heard: null }]));
  }

  /** One round over all sinks, back-off respected; answers how many messages were taken. */
  async deliverOnce(): Promise<number> {
    if (!this.#oldSinksForgotten) await forgetOldSinks(this.#store, this.#sinks, this.#clock.now());
    this.#oldSinksForgotten = true;
    let told = 0;
    const queue = this.#sinks.values();
    const worker = async () => {
      for (const sink of queue) {
        const state = this.#states.get(sink.name);
        if (!state || this.#clock.now().getTime() < state.notBefore) continue;
        const taken = await this.#serve(sink, state); // awaited before `told` is read: workers share it
        told += taken;
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, this.#sinks.length) }, worker));
    return told;
  }

  /** One sink: in order, until it has all or does not take one. */
  async #serve(sink: Sink, state: SinkState): Promise<number> {
    const { alerts, settings } = this.#store;
    state.heard ??= new Set(await settings.get<string[]>(heardKey(sink.name)));
    let told = 0;
    for (const delivery of await alerts.undelivered(sink.name, PER_ROUND)) {
      const { alert } = delivery;
      const decision = decideDelivery(delivery, sink, state.heard.has(alert.id), this.#clock.now());
      if (decision === "later") continue;
      if (decision === "tell") {
        try {
          await sink.tell(alertMessage(alert, hostname(), this.#server));
        } catch (error) {
          await this.#failed(sink, state, alert.id, describeError(error).slice(0, LONGEST_ERROR));
          return told;
        }
        await this.#succeeded(sink, state);
        told += 1;
      }
      await this.#remember(sink, state.heard, alert.id, decision === "tell" && alert.closedAt === null);
      await alerts.delivered({ id: alert.id, sink: sink.name, revision: alert.revision, at: this.#clock.now() });
    }
    return told;
  }

  async #remember(sink: Sink, heard: Set<string>, id: string, keep: boolean): Promise<void> {
    if (heard.has(id) === keep) return;
    if (keep) heard.add(id);
    else heard.delete(id);
    await this.#store.settings.set(heardKey(sink.name), [...heard], "wms2", this.#clock.now());
  }

  async #failed(sink: Sink, state: SinkState, id: string, error: string): Promise<void> {
    const { alerts } = this.#store;
    const at = this.#clock.now();
    state.failures = (state.failures ?? 0) + 1;
    state.notBefore = at.getTime() + waitAfter(state.failures) * 1000;
    this.#log.warn("alerts.sink-failed", { sink: sink.name, failures: state.failures, why: error });
    await alerts.deliveryFailed({ id, sink: sink.name, error, at });
    if (state.failures !== BROKEN_AFTER) return;
    const message = `alerts do not get through to the sink ${sink.name}: ${error}`;
    await alerts.raise({ key: sinkKey(sink.name), severity: "warning", subject: sink.name, message, at });
  }

  /** The first success after a start closes, the others only reset. */
  async #succeeded(sink: Sink, state: SinkState): Promise<void> {
    if (state.failures !== 0) await this.#store.alerts.close(sinkKey(sink.name), this.#clock.now());
    state.failures = 0;
    state.notBefore = 0;
  }
}

const heardKey = (sink: string): string => `alert-sink:${sink}`;

/** A sink that is configured no more cannot recover: its alert goes with it. */
async function forgetOldSinks(store: Store, sinks: readonly Sink[], at: Date): Promise<void> {
  const known = new Set(sinks.map(({ name }) => sinkKey(name)));
  for (const { key } of await store.alerts.open()) {
    if (familyOf(key) === SINK_FAMILY && !known.has(key)) await store.alerts.close(key, at);
  }
}
