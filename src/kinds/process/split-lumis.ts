import type { SplitSpec } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import { byLfn, type Piece } from "../../planning/piece.ts";
import { LumiFile, LumiJob } from "./lumi-job.ts";
import { type Mask, selectLumis } from "./mask.ts";
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
  const order = inRunOrder(files, mask);
  const walk = {
    *[Symbol.iterator]() {
      for (const at of order) yield new LumiFile(files[at]!, mask);
    },
  };
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

/**
 * By lowest wanted run, then that run's lumis one by one, then LFN. Files without a wanted lumi are left out. Only numbers are
 * held: places in the list, and of each file its first run and lumi, which nearly always decide it.
 */
function inRunOrder(files: readonly InputFile[], mask: Mask): Uint32Array {
  const firstRuns = new Float64Array(files.length);
  const firstLumis = new Float64Array(files.length);
  for (const [at, file] of files.entries()) {
    const [first] = selectLumis(file, mask);
    firstRuns[at] = first?.run ?? NONE;
    firstLumis[at] = first?.lumis[0] ?? NONE;
  }
  const lumisOf = (at: number) => selectLumis(files[at]!, mask)[0]!.lumis;
  return Uint32Array.from(files.keys())
    .filter((at) => firstRuns[at] !== NONE)
    .sort(
      (a, b) =>
        firstRuns[a]! - firstRuns[b]! ||
        firstLumis[a]! - firstLumis[b]! ||
        compareLists(lumisOf(a), lumisOf(b)) ||
        byLfn(files[a]!, files[b]!),
    );
}
const NONE = -1;

function compareLists(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < left.length && index < right.length; index++) {
    if (left[index] !== right[index]) return left[index]! - right[index]!;
  }
  return left.length - right.length;
}
