import { describeError } from "./errors.ts";
import type { Log } from "./log.ts";

/** Work that comes again: one turn at a time, on a timer, by the leader only. A turn that fails is told, and the next one comes. */
export interface Turns {
  start(): void;
  /** Waits for the turn under way. */
  stop(): Promise<void>;
}

export interface TurnOptions {
  readonly name: string;
  readonly everySec: number;
  /** Time until the first turn; default: one interval. */
  readonly firstSec?: number;
  readonly log: Log;
  /** Does this server hold the lease? Default: yes. */
  readonly isLeader?: (() => Promise<boolean>) | undefined;
  /** "unfinished": there is more to do, and it wants to be called again soon. */
  readonly work: () => Promise<unknown>;
}

/** Who is not the leader may become it: rare work must not wait a day for that. */
const ASK_AGAIN_SEC = 30;
const SOON_SEC = 5;

export function makeTurns(options: TurnOptions): Turns {
  const { name, everySec, firstSec = everySec, log, isLeader = async () => true, work } = options;
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  let under: Promise<void> | null = null;

  const turn = async (): Promise<void> => {
    let delaySec = everySec;
    try {
      if (!(await isLeader())) delaySec = Math.min(everySec, ASK_AGAIN_SEC);
      else if (running && (await work()) === "unfinished") delaySec = Math.min(everySec, SOON_SEC);
    } catch (error) {
      log.warn(`${name}.failed`, { why: describeError(error) });
    }
    schedule(delaySec);
  };
  const schedule = (delaySec: number): void => {
    if (!running) return;
    timer = setTimeout(() => {
      under = turn();
    }, delaySec * 1000);
    timer.unref();
  };

  return {
    start() {
      if (running) return;
      running = true;
      schedule(firstSec);
    },
    async stop() {
      running = false;
      clearTimeout(timer);
      await under;
    },
  };
}
