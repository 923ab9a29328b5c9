import type { InputFile } from "../domain/workflow.ts";
import { LumiFile, LumiJob } from "./lumi-job.ts";
import type { Mask } from "./mask.ts";
import type { Budget, Piece } from "./piece.ts";

/**
 * The walk LumiBased and EventAwareLumiBased share: files by their lowest run, runs and lumis ascending, every wanted
 * lumi to the current job, until its quota is full.
 *
 * A lumi may be in several files. A job processes every lumi of its mask in every one of its files, so adding a
 * lumi from one file can silently process it in another. Exactly once is kept by two rules the reference does
 * not have: a lumi does not join a job that reads another file whose copy of it was given to an earlier job (the
 * job ends first), and what the previous job processed of the present file without being asked is not given out
 * again. Neither matters when no lumi is in two files.
 */
export interface LumiWalk {
  readonly mask: Mask;
  readonly splitOnRun: boolean;
  readonly haltOnFileBoundaries: boolean;
  /** A lumi of several files goes to one job, which reads all of them. Holds the jobs of a group until the end. */
  readonly lumiCorrection: boolean;
  /** Lumis the job may hold while this file is read; `job` is null when a new one begins inside the file. */
  quota(file: LumiFile, job: LumiJob | null): number;
}

export function* walkLumis(files: readonly InputFile[], walk: LumiWalk, budget: Budget): Generator<Piece> {
  const owners = walk.lumiCorrection ? new Map<string, LumiJob>() : null;
  const held: LumiJob[] = [];
  let job: LumiJob | null = null;

  for (const file of inRunOrder(files, walk.mask)) {
    if (budget.lumis <= 0 || budget.events <= 0) break;
    if (job && walk.haltOnFileBoundaries) {
      if (owners) held.push(job);
      else yield job.toPiece();
      job = null;
    }
    let quota = walk.quota(file, job);
    let before: LumiJob | null = null;
    for (const [run, lumi] of lumisOf(file)) {
      if (before?.holds(run, lumi)) continue;
      const owner = owners?.get(`${run}:${lumi}`);
      if (owner) {
        owner.alsoRead(file);
        continue;
      }
      if (
        job &&
        (job.lumis >= quota || (walk.splitOnRun && job.lastRun !== run) || wouldRepeat(job, file, run, lumi))
      ) {
        if (owners) held.push(job);
        else yield job.toPiece();
        if (job.files.length > 1 && job.files.at(-1) === file) before = job;
        job = null;
        if (before?.holds(run, lumi)) continue;
      }
      if (!job) {
        job = new LumiJob();
        quota = walk.quota(file, null);
      }
      job.add(file, run, lumi);
      owners?.set(`${run}:${lumi}`, job);
      budget.lumis -= 1;
      budget.events -= file.averageEvents;
      if (budget.lumis <= 0 || budget.events <= 0) break;
    }
  }
  for (const each of held) yield each.toPiece();
  if (job) yield job.toPiece();
}

/** Another file of the job has this lumi too, and it was given to an earlier job there. */
function wouldRepeat(job: LumiJob, file: LumiFile, run: number, lumi: number): boolean {
  if (job.files.length === 1 && job.files[0] === file) return false;
  return job.files.some((other) => other !== file && other.has(run, lumi)) && !job.holds(run, lumi);
}

function* lumisOf(file: LumiFile): Generator<readonly [number, number]> {
  for (const { run, lumis } of file.runs) for (const lumi of lumis) yield [run, lumi];
}

/** By lowest wanted run, then that run's lumis one by one, then LFN. Files without a wanted lumi are left out. */
export function inRunOrder(files: readonly InputFile[], mask: Mask): LumiFile[] {
  return files
    .map((file) => new LumiFile(file, mask))
    .filter((file) => file.runs.length > 0)
    .sort((a, b) => a.runs[0]!.run - b.runs[0]!.run || compareLists(a, b) || (a.file.lfn < b.file.lfn ? -1 : 1));
}

function compareLists(a: LumiFile, b: LumiFile): number {
  const left = a.runs[0]!.lumis;
  const right = b.runs[0]!.lumis;
  for (let index = 0; index < left.length && index < right.length; index++) {
    if (left[index] !== right[index]) return left[index]! - right[index]!;
  }
  return left.length - right.length;
}
