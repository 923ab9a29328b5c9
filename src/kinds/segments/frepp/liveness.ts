import { groupBy } from "../../../core/base/group-by.ts";
import type { JobLiveness, Said } from "../../../core/frepp.ts";

/** A job as a queue or an accounting command tells of it. */
interface SeenJob {
  readonly id: string;
  /** In the batch system's own words; null: it does not say. */
  readonly state: string | null;
  readonly submittedAt: Date | null;
}

/** Between two answers of a queue that both miss a job, so long at least, before it is gone. */
const GRACE_SEC = 60;
/** Clocks of two machines may differ by so much. */
const SKEW_SEC = 300;
const ENDED =
  /^(BOOT_FAIL|CANCELLED.*|COMPLETED|CD|CA|DEADLINE|FAILED|F|NODE_FAIL|NF|OUT_OF_MEMORY|OOM|PREEMPTED|PR|REVOKED|TIMEOUT|TO|C|X)$/;
const WAITS = /^(PENDING|PD|CONFIGURING|CF|REQUEUED|RQ|SUSPENDED|S|Q|H|W|idle|I)$/;

/**
 * A line for each job: its id, and as far as the command tells, its state and when it was submitted, apart by blanks or "|".
 * Zones are the server's own unless they are given. null: it is something else, and then nothing in it can be believed.
 */
export function readJobs(text: string): readonly SeenJob[] | null {
  const jobs: SeenJob[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const [word = "", state, submitted, ...more] = line.trim().split(/\s*\|\s*|\s+/);
    const [, id] = /^(\d+)(?:[_.;+[].*)?$/.exec(word) ?? [];
    const at = submitted === undefined || /^(N\/A|Unknown|None)$/i.test(submitted) ? null : new Date(submitted);
    if (id === undefined || more.length > 1 || Number.isNaN(at?.getTime())) return null;
    jobs.push({ id, state: state || null, submittedAt: at });
  }
  return jobs;
}

/** What a command said, job by job: read once, however many are asked about. `jobs` null: nothing that can be believed. */
export type Heard =
  | { readonly jobs: ReadonlyMap<string, readonly SeenJob[]> }
  | { readonly jobs: null; readonly reason: string };

export function hear(said: Said): Heard {
  if (said.text === null) return { jobs: null, reason: said.reason };
  const jobs = readJobs(said.text);
  return jobs ? { jobs: groupBy(jobs, ({ id }) => id) } : { jobs: null, reason: "its answer is no list of jobs" };
}

interface LivenessFacts {
  readonly id: string;
  /** When its id was known already: a job of that number that was submitted later is another one. */
  readonly knownAt: Date;
  readonly queue: Heard;
  /** null: the installation has no such command. */
  readonly accounting: Heard | null;
  /** When the queue first answered without it; null: it did not so far. */
  readonly missedAt: Date | null;
  readonly now: Date;
}

/** Gone needs queue and accounting to answer, or two answers of the queue. Who could not be asked has not said no. */
export function decideLiveness(facts: LivenessFacts): JobLiveness & { readonly missedAt: Date | null } {
  const { id, queue, accounting, missedAt, now } = facts;
  if (queue.jobs === null) return { kind: "unknown", reason: `the queue cannot be asked: ${queue.reason}`, missedAt };
  const listed = ofThisJob(queue.jobs, facts);
  const alive = listed.find(({ state }) => state === null || !ENDED.test(state));
  if (alive) {
    const kind = WAITS.test(alive.state ?? "") ? "queued" : "running";
    return { kind, reason: `job ${id} is in the queue`, missedAt: null };
  }
  const missed = missedAt ?? now;
  if (accounting === null) {
    const waits = missed.getTime() + GRACE_SEC * 1000 - now.getTime();
    if (missedAt !== null && waits <= 0) return gone(`the queue answered twice without job ${id}`, missed);
    return { kind: "unknown", reason: `job ${id} is not in the queue; asked again after a minute`, missedAt: missed };
  }
  if (accounting.jobs === null)
    return { kind: "unknown", reason: `accounting cannot be asked: ${accounting.reason}`, missedAt: missed };
  const accounted = ofThisJob(accounting.jobs, facts);
  const running = accounted.find(({ state }) => state === null || !ENDED.test(state));
  if (running) {
    const reason = `job ${id} is not in the queue, but ${running.state ?? "there"} in accounting`;
    return { kind: "unknown", reason, missedAt: missed };
  }
  const ended = accounted[0]?.state;
  return gone(`job ${id} is not in the queue; accounting ${ended ? `says ${ended}` : "does not know it"}`, missed);
}

const gone = (reason: string, missedAt: Date) => ({ kind: "gone" as const, reason, missedAt });

/** A job of that number that was submitted later is another one. */
function ofThisJob(jobs: ReadonlyMap<string, readonly SeenJob[]>, { id, knownAt }: LivenessFacts): readonly SeenJob[] {
  const latest = knownAt.getTime() + SKEW_SEC * 1000;
  return (jobs.get(id) ?? []).filter(({ submittedAt }) => !(submittedAt && submittedAt.getTime() > latest));
}
