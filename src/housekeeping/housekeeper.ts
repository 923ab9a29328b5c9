import { raiseAndClose } from "../alerts/raise-and-close.ts";
import { describeError } from "../base/errors.ts";
import { makeTurns } from "../base/turns.ts";
import { Budget, requestsIn } from "../disk/disk-steps.ts";
import type { KeepPolicy } from "./decide-directory.ts";
import { type TidyPorts, tidyRequest } from "./tidy-request.ts";
import { findUnknownRuns, unknownRunAlerts } from "./unknown-runs.ts";

interface HousekeepingOptions extends KeepPolicy {
  readonly intervalSec: number;
  /** File operations in one turn. */
  readonly operationsPerTurn?: number;
  readonly isLeader?: () => Promise<boolean>;
}

export type Housekeeping = ReturnType<typeof makeHousekeeping>;

const OPERATIONS = 20_000;
const FIRST_LOOK_SEC = 15;
const LOOK_EVERY_SEC = 24 * 3600;
/** What an earlier version called these alerts: those that are open are closed. */
const FORMER_FAMILY = "stranger";

/**
 * Tidies the spool slowly: what can wait for hours is done in small turns between everything else. All it remembers is
 * when to look at a request again; whoever takes over finds the rest on the disk.
 */
export function makeHousekeeping(ports: TidyPorts, options: HousekeepingOptions) {
  const { store, clock, log, spoolDir } = ports;
  /** Not before; in ms. */
  const later = new Map<string, number>();
  const troubles = new Map<string, string>();

  /** One turn of tidying; "unfinished" when there is more to do than one turn may. */
  const tidyOnce = async (): Promise<"done" | "unfinished"> => {
    const budget = new Budget(options.operationsPerTurn ?? OPERATIONS);
    const open = new Set<string>((await store.requests.open()).map(({ spec }) => spec.name));
    const names = await requestsIn(spoolDir);
    for (const name of troubles.keys()) if (!names.includes(name)) troubles.delete(name);
    let outcome: "done" | "unfinished" = "done";
    for (const name of names) {
      if (open.has(name)) later.delete(name);
      if (open.has(name) || clock.now().getTime() < (later.get(name) ?? 0)) continue;
      try {
        const tidied = await tidyRequest({ ...ports, policy: options, budget }, name);
        troubles.delete(name);
        if (tidied === "unfinished") {
          outcome = "unfinished";
          break;
        }
        later.set(name, tidied.getTime());
      } catch (error) {
        troubles.set(name, describeError(error));
        later.set(name, clock.now().getTime() + 3_600_000);
        log.warn("housekeeping.failed", { request: name, why: describeError(error) });
      }
    }
    const wanted = [...troubles].map(([name, why]) => ({
      key: `housekeeping:${name}`,
      severity: "warning" as const,
      subject: name,
      message: `its old files cannot be removed: ${why}`,
    }));
    await raiseAndClose(store, ["housekeeping"], wanted, clock.now());
    return outcome;
  };

  /** Looks for submit directories the database does not know, and keeps their alerts. */
  const lookForUnknownRuns = async (): Promise<void> => {
    const found = await findUnknownRuns(spoolDir, store, ports.engine);
    await raiseAndClose(store, ["unknown-run", FORMER_FAMILY], unknownRunAlerts(found, spoolDir), clock.now());
    if (found.length > 0) log.warn("housekeeping.unknown-runs", { directories: found.length });
  };

  const { isLeader, intervalSec } = options;
  const turns = [
    makeTurns({ name: "housekeeping", everySec: intervalSec, log, isLeader, work: tidyOnce }),
    makeTurns({
      name: "housekeeping.unknown-runs",
      everySec: LOOK_EVERY_SEC,
      firstSec: FIRST_LOOK_SEC,
      log,
      isLeader,
      work: lookForUnknownRuns,
    }),
  ];
  return {
    start() {
      for (const one of turns) one.start();
    },
    async stop() {
      await Promise.all(turns.map((one) => one.stop()));
    },
    tidyOnce,
    lookForUnknownRuns,
  };
}
