import type { SplitSpec } from "../../domain/work.ts";
import type { InputFile } from "../../domain/workflow.ts";
import { byLfn, type Piece } from "../../planning/piece.ts";
import { LumiFile, LumiJob } from "./lumi-job.ts";
import type { Mask } from "./mask.ts";
import { SharedLumis } from "./shared-lumis.ts";

/**
 * LumiBased and EventAwareLumiBased: files by their lowest run, runs and lumis ascending, every wanted lumi to the
 * current job, until its quota is full.
 *
 * A lumi may be in several files. A job processes every lumi of its mask in every one of its files, so adding a
 * lumi from one file can silently process it in another. Exactly once is kept by two rules the reference does
 * not have: a lumi does not join a job that reads another file whose copy of it was given to an earlier job (the
 * job ends first), and what the previous job processed of the present file without being asked is not given out
 * again. Neither matters when no lumi is in two files.
 */
export function* splitByLumis(files: readonly InputFile[], split: SplitSpec, mask: Mask): Generator<Piece> {
  const walk = inRunOrder(files, mask);
  const shared = new SharedLumis(walk);
  let job: LumiJob | null = null;
  let jobs = 0;
  for (const file of walk) {
    if (job && split.haltOnFileBoundaries) {
      yield job.toPiece();
      job = null;
    }
    if (job) shared.read(job.files.at(-1)!, job.number);
    let quota = quotaOf(split, file, job);
    let before = 0;
    for (const [run, lumi] of lumisOf(file)) {
      if (before > 0 && shared.isTaken(run, lumi, before)) continue;
      const isOtherRun: boolean = split.splitOnRun !== false && job?.lastRun !== run;
      if (job && (job.lumis >= quota || isOtherRun || shared.wouldRepeat(run, lumi, job.number))) {
        yield job.toPiece();
        if (job.files.length > 1 && job.files.at(-1) === file) before = job.number;
        job = null;
        if (before > 0 && shared.isTaken(run, lumi, before)) continue;
      }
      if (!job) {
        job = new LumiJob(++jobs, shared);
        quota = quotaOf(split, file, job);
      }
      job.add(file, run, lumi);
    }
  }
  if (job) yield job.toPiece();
}

/**
 * Lumis the job may hold while this file is read: so many, or as many as make about so many events by the file's
 * average. A lumi is never split: one that is bigger than a job has a job of its own. Files whose average is 0 go in
 * whole.
 */
function quotaOf({ algorithm, lumisPerJob, eventsPerJob }: SplitSpec, file: LumiFile, job: LumiJob | null): number {
  if (algorithm === "LumiBased") return lumisPerJob;
  if (file.averageEvents === 0) return Number.POSITIVE_INFINITY;
  const room = Math.max(0, eventsPerJob - (job?.quotaEvents ?? 0));
  return Math.max(1, (job?.lumis ?? 0) + Math.floor(room / file.averageEvents));
}

function* lumisOf(file: LumiFile): Generator<readonly [number, number]> {
  for (const { run, lumis } of file.runs) for (const lumi of lumis) yield [run, lumi];
}

/** By lowest wanted run, then that run's lumis one by one, then LFN. Files without a wanted lumi are left out. */
function inRunOrder(files: readonly InputFile[], mask: Mask): LumiFile[] {
  return files
    .map((file) => new LumiFile(file, mask))
    .filter((file) => file.runs.length > 0)
    .sort((a, b) => a.runs[0]!.run - b.runs[0]!.run || compareLists(a, b) || byLfn(a.file, b.file));
}

function compareLists(a: LumiFile, b: LumiFile): number {
  const left = a.runs[0]!.lumis;
  const right = b.runs[0]!.lumis;
  for (let index = 0; index < left.length && index < right.length; index++) {
    if (left[index] !== right[index]) return left[index]! - right[index]!;
  }
  return left.length - right.length;
}
