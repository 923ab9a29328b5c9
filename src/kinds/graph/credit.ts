import { createHash } from "node:crypto";
import { eachInSlices, mapInSlices, sortInSlices } from "../../core/base/slices.ts";
import type { RunCause } from "../../core/credit.ts";
import { type Edges, edgeSize, type GraphJob } from "../../core/graph.ts";
import type { FileStamp, JobProof } from "../../core/workflow.ts";
import { firstFrom } from "./job-names.ts";

interface CreditFacts {
  readonly jobs: readonly Pick<GraphJob, "name" | "reads" | "makes">[];
  readonly edges: readonly Edges[];
  digestOf(index: number): string;
  /** By the job's own name: what finished. */
  readonly proofs: ReadonlyMap<string, JobProof>;
  /** Jobs that the earlier version had, finished or not, each with what it waited for (`predecessors`). */
  readonly known: ReadonlyMap<string, string>;
  /** As it is now; null: it is not there. */
  readonly seen: (path: string) => FileStamp | null;
}

/**
 * Which jobs of a graph have to run, given what an earlier version of it finished, and why: by job index. A job that runs makes
 * everything after it run too. Where several reasons hold, the job's own come first.
 */
export function* decideCredits({
  jobs,
  edges,
  digestOf,
  proofs,
  known,
  seen,
}: CreditFacts): Generator<undefined, readonly RunCause[]> {
  const before = yield* predecessors({ jobs, edges });
  const read = new Set<string>();
  const made = new Set<string>();
  yield* eachInSlices(jobs, ({ reads, makes }) => {
    for (const path of reads) read.add(path);
    for (const path of makes) made.add(path);
  });
  const shared = yield* sharedFolders(made);
  /** A folder is looked at with the job that makes it: what its readers saw of it says nothing. */
  const isMadeFolder = (path: string) => made.has(path) && seen(path)?.listing !== undefined;
  const holds = (before: readonly FileStamp[], path: string) =>
    shared.has(path) ? seen(path) !== null : isSame(before, path, seen(path));
  const causes = yield* mapInSlices(jobs, (job, index): RunCause => {
    const proof = proofs.get(job.name);
    if (!proof) return { why: known.has(job.name) ? "unfinished" : "new", about: null };
    if (proof.digest !== digestOf(index)) return { why: "changed", about: null };
    if (known.has(job.name) && known.get(job.name) !== before.get(job.name)) return { why: "changed", about: null };
    const gone = job.makes.find((path) => seen(path) === null);
    if (gone !== undefined) return { why: "missing-output", about: gone };
    // A file that others read is looked at with them: they may have changed it themselves.
    const isOther = (path: string) => proof.makes.some((file) => file.path === path) && !holds(proof.makes, path);
    const isOwn = (path: string) => !read.has(path) || isMadeFolder(path);
    const other = job.makes.find((path) => isOwn(path) && isOther(path));
    if (other !== undefined) return { why: "output", about: other };
    const changed = job.reads.find((path) => !isMadeFolder(path) && !isSame(proof.reads, path, seen(path)));
    return changed === undefined ? null : { why: "input", about: changed };
  });
  return yield* spread(jobs, edges, causes);
}

/** Folders that one job makes and others make something in: that is looked at by itself, and nobody knows whose the rest is. */
function* sharedFolders(made: ReadonlySet<string>): Generator<undefined, ReadonlySet<string>> {
  const shared = new Set<string>();
  const sorted = yield* sortInSlices([...made], byLetters);
  yield* eachInSlices(made, (path) => {
    const inside = `${path}/`;
    if (sorted[firstFrom(sorted, (other) => other >= inside)]?.startsWith(inside)) shared.add(path);
  });
  return shared;
}

/** For each job by name, one word for the set of jobs it waits for. A shared set is looked at once. */
export function* predecessors({
  jobs,
  edges,
}: Pick<CreditFacts, "jobs" | "edges">): Generator<undefined, ReadonlyMap<string, string>> {
  const sets = new Map<number, string[]>();
  let looked = 0;
  for (const { parents, children } of edges) {
    if (++looked % SLICE === 0) yield;
    if (parents.length === 0) continue;
    const word = createHash("sha256");
    const names = parents.map((parent) => jobs[parent]!.name);
    yield* eachInSlices(yield* sortInSlices(names, byLetters), (name) => void word.update(`${JSON.stringify(name)},`));
    const digest = word.digest("hex");
    for (const child of children) {
      const known = sets.get(child);
      if (known) known.push(digest);
      else sets.set(child, [digest]);
    }
  }
  const words = new Map<string, string>();
  yield* eachInSlices(jobs, ({ name }, index) => void words.set(name, sets.get(index)?.sort().join(" ") ?? ""));
  return words;
}
const SLICE = 500;
const byLetters = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface MadeFacts extends Pick<CreditFacts, "edges" | "seen" | "digestOf"> {
  readonly jobs: readonly (CreditFacts["jobs"][number] & Partial<Pick<GraphJob, "when">>)[];
  readonly done: ReadonlySet<number>;
  readonly sinceSec: number;
}

/**
 * Jobs that are done, where nothing is left that says so: by index, with what is seen as their proof. What they make is there, and
 * a job that runs only when they have ended well has begun: it has left something since. What the last jobs left may be
 * half written, so they run again.
 */
export function* decideMade({
  jobs,
  edges,
  done,
  sinceSec,
  seen,
  digestOf,
}: MadeFacts): Generator<undefined, ReadonlyMap<number, JobProof>> {
  const made = new Map<number, JobProof>();
  const stampsOf = (paths: readonly string[]) => paths.flatMap((path) => seen(path) ?? []);
  const times = (stamps: readonly FileStamp[]) => stamps.map(({ mtime }) => mtime);
  /** When somebody who waits for their success was last seen to have run. */
  const followedAt = jobs.map(() => Number.NEGATIVE_INFINITY);
  const follow = ({ parents, children }: Edges): void => {
    let last = Number.NEGATIVE_INFINITY;
    for (const child of children)
      if (jobs[child]!.when !== "ended") last = Math.max(last, ...times(stampsOf(jobs[child]!.makes)));
    for (const parent of parents) followedAt[parent] = Math.max(followedAt[parent]!, last);
  };
  yield* eachInSlices(edges, follow, ({ parents, children }) => parents.length + children.length);
  const causes = yield* mapInSlices(jobs, (job, index): RunCause => {
    if (done.has(index)) return null;
    const [reads, makes] = [stampsOf(job.reads), stampsOf(job.makes)];
    const [first, last] = [Math.min(...times(makes)), Math.max(...times(makes))];
    const isMade =
      makes.length > 0 &&
      makes.length === job.makes.length &&
      reads.length === job.reads.length &&
      [sinceSec, ...times(reads)].every((time) => time <= first + SAME_TIME_SEC) &&
      last <= followedAt[index]! + SAME_TIME_SEC;
    if (isMade) made.set(index, { name: job.name, digest: digestOf(index), reads, makes });
    return isMade ? null : { why: "unfinished", about: null };
  });
  for (const [index, cause] of (yield* spread(jobs, edges, causes)).entries()) if (cause) made.delete(index);
  return made;
}

/** Times are read by several programs, and some of them round. */
const SAME_TIME_SEC = 5e-6;

/** Files of the same size and another time than some job found: what is in them says whether they have changed. */
export function* doubtfulFiles(
  proofs: Iterable<Pick<JobProof, "reads"> & Partial<Pick<JobProof, "makes">>>,
  seen: (path: string) => FileStamp | null,
): Generator<undefined, ReadonlySet<string>> {
  const doubtful = new Set<string>();
  yield* eachInSlices(proofs, ({ reads, makes = [] }) => {
    for (const then of [...reads, ...makes]) {
      const now = then.checksum === undefined ? null : seen(then.path);
      if (now && (now.listing === undefined ? isDoubtful(then, now) : now.listing !== then.listing))
        doubtful.add(then.path);
    }
  });
  return doubtful;
}

const isDoubtful = (then: FileStamp, now: FileStamp): boolean =>
  now.sizeBytes === then.sizeBytes && !isSameTime(then, now);
const isSameTime = (then: FileStamp, now: FileStamp): boolean => Math.abs(then.mtime - now.mtime) < SAME_TIME_SEC;

/** A file that is not there any more is not the same; nor is one that nobody looked at before. */
function isSame(before: readonly FileStamp[], path: string, now: FileStamp | null): boolean {
  const then = before.find((file) => file.path === path);
  if (!then || !now) return false;
  const isFolder = now.listing !== undefined;
  if (!isFolder && then.sizeBytes !== now.sizeBytes) return false;
  if (then.checksum !== undefined && now.checksum !== undefined) return then.checksum === now.checksum;
  if (isFolder) return now.listing !== "" && now.listing === then.listing;
  return isSameTime(then, now);
}

/** Walks from the jobs that run to all that come after them. A shared set of edges is crossed once. */
function* spread(
  jobs: CreditFacts["jobs"],
  edges: readonly Edges[],
  own: readonly RunCause[],
): Generator<undefined, readonly RunCause[]> {
  const causes = [...own];
  const outgoing = new Map<number, Edges[]>();
  yield* eachInSlices(
    edges,
    (set) => {
      for (const parent of set.parents) {
        const sets = outgoing.get(parent);
        if (sets) sets.push(set);
        else outgoing.set(parent, [set]);
      }
    },
    edgeSize,
  );
  const crossed = new Set<Edges>();
  const queue = causes.flatMap((cause, index) => (cause ? [index] : []));
  for (let at = 0; at < queue.length; at++) {
    if (at % SLICE === 0) yield;
    const parent = queue[at]!;
    for (const set of outgoing.get(parent) ?? []) {
      if (crossed.has(set)) continue;
      crossed.add(set);
      for (const child of set.children) {
        if (causes[child]) continue;
        causes[child] = { why: "upstream", about: jobs[parent]!.name };
        queue.push(child);
      }
    }
  }
  return causes;
}
