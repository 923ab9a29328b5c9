import { describeError } from "../base/errors.ts";
import type { Log } from "../lifecycle/ports.ts";

/** Work that comes again: one turn at a time, on a timer, by the leader only. A turn that fails is told, and the next one comes. */
export interface Turns {
  start(): void;
  /** Waits for the turn under way. */
  stop(): Promise<void>;
  /** One turn now, leader or not; joins the one under way. */
  turnOnce(): Promise<void>;
}

export interface TurnOptions {
  readonly name: string;
  readonly everySec: number;
  /** Time until the first turn; default: one interval. */
  readonly firstSec?: number;
  readonly log: Log;
  /** Does this server hold the lease? Default: yes. */
  readonly isLeader?: () => Promise<boolean>;
  /** Answers in how many seconds it wants to be called again; nothing: after the usual time. */
  readonly work: () => Promise<number | undefined>;
}

/** Who is not the leader may become it: rare work must not wait a day for that. */
const ASK_AGAIN_SEC = 30;

export function makeTurns(options: TurnOptions): Turns {
  const { name, everySec, log, isLeader = async () => true, work } = options;
  let running = false;
  let timer: NodeJS.Timeout | null = null;
  let under: Promise<number | undefined> | null = null;

  const turn = (): Promise<number | undefined> => {
    under ??= work().finally(() => {
      under = null;
    });
    return under;
  };
  const guarded = async (): Promise<number> => {
    try {
      if (!(await isLeader())) return Math.min(everySec, ASK_AGAIN_SEC);
      return (running ? await turn() : undefined) ?? everySec;
    } catch (error) {
      log.warn(`${name}.failed`, { why: describeError(error) });
      return everySec;
    }
  };
  const schedule = (delaySec: number) => {
    if (!running) return;
    timer = setTimeout(async () => schedule(await guarded()), delaySec * 1000);
    timer.unref();
  };

  return {
    start() {
      if (running) return;
      running = true;
      schedule(options.firstSec ?? everySec);
    },
    async stop() {
      running = false;
      if (timer) clearTimeout(timer);
      await under?.catch(() => {});
    },
    async turnOnce() {
      await turn();
    },
  };
}
