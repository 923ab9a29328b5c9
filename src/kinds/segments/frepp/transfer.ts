import type { FoundFile, Said } from "../../../core/frepp.ts";
import type { TransferLock } from "../../../core/products.ts";
import type { TRANSFER_STATES } from "../../../core/transfers.ts";
import type { TransferArguments } from "./arguments.ts";
import { readJobs } from "./liveness.ts";

/** Hours before each try, by how many have failed. */
const WAIT_HOURS = [0, 1, 2, 4, 8, 16, 32];
const STALE_LOCK_MINUTES = 10;
const MINUTE = 60_000;

export interface TransferState {
  readonly kind: (typeof TRANSFER_STATES)[number] | "done";
  readonly reason: string;
  /** When it is due; null: now, or not by itself. */
  readonly until: Date | null;
}

/** Stale: no job bears its name, the queue said so, and it is old enough that its owner would have shown up there. */
export function decideLock(changedAt: Date, queue: readonly Said[], now: Date): TransferLock {
  const minutes = Math.floor((now.getTime() - changedAt.getTime()) / MINUTE);
  const lists = queue.map(({ text }) => (text === null ? null : readJobs(text)));
  const job = lists.flatMap((jobs) => jobs ?? [])[0];
  if (job) return { kind: "held", reason: `job ${job.id} has it` };
  if (minutes <= STALE_LOCK_MINUTES)
    return { kind: "held", reason: `locked ${minutes} min ago: left alone for ${STALE_LOCK_MINUTES}` };
  const silent = queue.find((said, at) => said.text === null || lists[at] === null);
  if (silent || queue.length === 0) {
    const why = silent?.text === null ? silent.reason : "its answer is no list of jobs";
    return { kind: "unknown", reason: `locked ${minutes} min ago, and the queue cannot be asked: ${why}` };
  }
  return { kind: "stale", reason: `no job of its name is queued, and it is ${minutes} min old` };
}

/** Where the output of a segment is on its way. */
export function decideTransfer(
  { actions, saves, transfers }: TransferArguments,
  { changedAt }: Pick<FoundFile, "changedAt">,
  lock: TransferLock | null,
  now: Date,
): TransferState {
  const wanted = actions.filter(({ isOn }) => isOn);
  const next = wanted.find(({ isDone }) => !isDone);
  const still = (kind: TransferState["kind"], reason: string, until: Date | null = null) => ({ kind, reason, until });
  if (wanted.length === 0) return still("unreadable", "the argument file names nothing to do: it is incomplete");
  if (!next) return still("done", "everything is done; the argument file is a leftover");
  const isTransfer = next.name === "transfer" || next.name === "start";
  const { failed, limit } = isTransfer ? transfers : saves;
  if (failed < 0) return still("needs-person", `${next.name} failed in a way that another try does not help`);
  if (failed > limit) return still("used-up", `${next.name} failed ${failed} times; ${limit} may be tried again`);
  if (lock && lock.kind !== "stale") return still("locked", lock.reason);
  const hours = isTransfer ? (WAIT_HOURS[failed] ?? WAIT_HOURS.at(-1)!) : 0;
  const until = new Date(changedAt.getTime() + hours * 60 * MINUTE);
  if (until > now) return still("waiting", `${next.name} failed ${failed} times`, until);
  return still("due", failed > 0 ? `${next.name} failed ${failed} times` : `${next.name} has not been done`);
}

/** Only a person may have it tried again. */
export const needsForce = ({ kind }: TransferState): boolean => kind === "used-up" || kind === "needs-person";
