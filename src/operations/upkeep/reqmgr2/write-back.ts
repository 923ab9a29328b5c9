import type { RequestCatalog } from "../../../catalogs/port.ts";
import { describeError, WorldError } from "../../../core/base/errors.ts";
import { makeTurns } from "../../../core/base/turns.ts";
import type { ImportRecord } from "../../../core/import.ts";
import type { RequestStatus } from "../../../core/request-status.ts";
import type { Work } from "../../../loop/ports.ts";
import { decideWriteBack } from "./decide-write-back.ts";

/** Each look asks the store alone; ReqMgr2 hears of us only when a request has moved. */
const EVERY_SEC = 5;
const AT_ONCE = 50;
/** The whole road there, and one more to see its end. */
const MOST_MOVES = 10;
/** Waits between tries; the last one again and again: a status that cannot be told harms no work. */
const WAITS_SEC = [60, 300, 1800, 7200, 14_400, 28_800];

/**
 * Tells ReqMgr2 how its requests do. Nothing is kept of what is to be told: a request whose status it does not know is
 * owed to it, so a crash loses nothing, and what it knows already is adopted.
 */
export function makeWriteBack(
  ports: Pick<Work, "store" | "clock" | "log">,
  source: RequestCatalog,
  isLeader?: () => Promise<boolean>,
) {
  const tellOnce = async (): Promise<number> => {
    const owed = await ports.store.imports.untold(ports.clock.now(), AT_ONCE);
    for (const { record, status } of owed) await tellOf(ports, source, record, status);
    return owed.length;
  };
  const turns = makeTurns({
    name: "reqmgr2.write-back",
    everySec: EVERY_SEC,
    log: ports.log,
    isLeader,
    work: tellOnce,
  });
  return { ...turns, tellOnce };
}

async function tellOf(
  { store, clock, log }: Pick<Work, "store" | "clock" | "log">,
  source: RequestCatalog,
  { name, tries }: ImportRecord,
  ours: RequestStatus,
): Promise<void> {
  const told = (theirStatus: string | null, lastError: string | null) =>
    store.imports.change(name, { toldStatus: ours, theirStatus, lastError, tries: 0, nextTryAt: null });
  const failed = async (lastError: string) => {
    const waitSec = WAITS_SEC[Math.min(tries, WAITS_SEC.length - 1)]!;
    const nextTryAt = new Date(clock.now().getTime() + waitSec * 1000);
    await store.imports.change(name, { tries: tries + 1, lastError, nextTryAt });
    log.warn("reqmgr2.not-told", { request: name, ours, tries: tries + 1, why: lastError, nextTryAt });
  };
  try {
    const document = await source.document(name);
    if (!document) return await told(null, "ReqMgr2 has it no more");
    let theirs = typeof document.RequestStatus === "string" ? document.RequestStatus : "";
    for (let moves = 0; moves < MOST_MOVES; moves += 1) {
      const decision = decideWriteBack(ours, theirs);
      if (decision.kind === "none") return await told(theirs, null);
      if (decision.kind === "illegal") return await told(theirs, decision.reason);
      const done = await source.setStatus(name, decision.to);
      if (done.kind === "refused") return await failed(`${theirs} → ${decision.to}: ${done.message}`);
      log.info("reqmgr2.told", { request: name, from: theirs, to: decision.to });
      theirs = decision.to;
    }
  } catch (error) {
    if (!(error instanceof WorldError) || error.code === "store-unreachable") throw error;
    await failed(describeError(error));
  }
}
