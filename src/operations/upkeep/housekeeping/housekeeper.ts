import { describeError } from "../../../core/base/errors.ts";
import { makeTurns } from "../../../core/base/turns.ts";
import { Budget, requestsIn } from "../../../submit-dir/disk/disk-steps.ts";
import { raiseAndClose } from "../alerts/raise-and-close.ts";
import { type CleanPorts, cleanRequest } from "./clean-request.ts";
import type { KeepPolicy } from "./decide-directory.ts";
import { findUnknownRuns, unknownRunAlerts } from "./unknown-runs.ts";

interface HousekeepingOptions extends KeepPolicy {
  readonly intervalSec: number;
  /** File operations in one turn. */
  readonly operationsPerTurn?: number;
  readonly isLeader?: () => Promise<boolean>;
}

const OPERATIONS = 20_000;
const FIRST_LOOK_SEC = 15;
const LOOK_EVERY_SEC = 24 * 3600;
/** What an earlier version called these alerts: those that are open are closed. */
const FORMER_FAMILY = "stranger";

/** Cleans the spool, and looks for what it does not know there. */
export function makeHousekeeping(ports: CleanPorts, options: HousekeepingOptions) {
  const { isLeader, intervalSec } = options;
  const { log } = ports;
  const cleanOnce = makeCleaning(ports, options);
  const lookForUnknownRuns = () => tellUnknownRuns(ports);
  const turns = [
    makeTurns({ name: "housekeeping", everySec: intervalSec, log, isLeader, work: cleanOnce }),
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
    cleanOnce,
    lookForUnknownRuns,
  };
}

/**
 * Slowly: what can wait for hours is done in small turns between everything else. All it remembers is when to look at
 * a request again; whoever takes over finds the rest on the disk.
 */
function makeCleaning(ports: CleanPorts, policy: HousekeepingOptions) {
  const { store, clock, log, spoolDir } = ports;
  /** Not before; in ms. */
  const later = new Map<string, number>();
  const troubles = new Map<string, string>();

  const clean = async (name: string, budget: Budget): Promise<"done" | "unfinished"> => {
    try {
      const cleaned = await cleanRequest({ ...ports, policy, budget }, name);
      troubles.delete(name);
      if (cleaned === "unfinished") return "unfinished";
      later.set(name, cleaned.getTime());
    } catch (error) {
      troubles.set(name, describeError(error));
      later.set(name, clock.now().getTime() + 3_600_000);
      log.warn("housekeeping.failed", { request: name, why: describeError(error) });
    }
    return "done";
  };

  /** One turn of cleaning; "unfinished" when there is more to do than one turn may. */
  return async (): Promise<"done" | "unfinished"> => {
    const budget = new Budget(policy.operationsPerTurn ?? OPERATIONS);
    const open = new Set<string>((await store.requests.open()).map(({ spec }) => spec.name));
    const names = await requestsIn(spoolDir);
    for (const name of troubles.keys()) if (!names.includes(name)) troubles.delete(name);
    let outcome: "done" | "unfinished" = "done";
    for (const name of names) {
      if (open.has(name)) later.delete(name);
      if (open.has(name) || clock.now().getTime() < (later.get(name) ?? 0)) continue;
      outcome = await clean(name, budget);
      if (outcome === "unfinished") break;
    }
    await raiseAndClose(store, ["housekeeping"], [...troubles].map(troubleAlert), clock.now());
    return outcome;
  };
}

const troubleAlert = ([name, why]: readonly [string, string]) => ({
  key: `housekeeping:${name}`,
  severity: "warning" as const,
  subject: name,
  message: `its old files cannot be removed: ${why}`,
});

/** Looks for submit directories the database does not know, and keeps their alerts. */
async function tellUnknownRuns({ store, clock, log, spoolDir, engine }: CleanPorts): Promise<void> {
  const found = await findUnknownRuns(spoolDir, store, engine);
  await raiseAndClose(store, ["unknown-run", FORMER_FAMILY], unknownRunAlerts(found, spoolDir), clock.now());
  if (found.length > 0) log.warn("housekeeping.unknown-runs", { directories: found.length });
}
