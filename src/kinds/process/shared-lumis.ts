import { countWhile } from "../../core/base/ranges.ts";
import type { RunLumis } from "../../core/workflow.ts";
import { repeatedByRun } from "./repeated-lumis.ts";

/**
 * The lumis that are in more than one file of a walk, and what the latest jobs did with them. All other lumis need no
 * book-keeping, so a job of any size costs no more than its lumis. Jobs have numbers from 1.
 */
export class SharedLumis {
  readonly #byRun = new Map<number, { readonly lumis: Float64Array; readonly start: number }>();
  /** The job that last read another file with this lumi in it, and the job that last took the lumi. */
  readonly #reader: Int32Array;
  readonly #taker: Int32Array;

  constructor(files: Iterable<{ readonly runs: readonly RunLumis[] }>) {
    let start = 0;
    for (const [run, lumis] of repeatedByRun(files)) {
      if (lumis.length > 0) this.#byRun.set(run, { lumis, start });
      start += lumis.length;
    }
    this.#reader = new Int32Array(start);
    this.#taker = new Int32Array(start);
  }

  /** The job reads this file, and now goes on with another one. */
  read({ runs }: { readonly runs: readonly RunLumis[] }, job: number): void {
    this.#each(runs, (at) => {
      this.#reader[at] = job;
    });
  }

  /** Whether it is in several files at all. */
  take(run: number, lumi: number, job: number): boolean {
    const at = this.#find(run, lumi);
    if (at >= 0) this.#taker[at] = job;
    return at >= 0;
  }

  isTaken(run: number, lumi: number, job: number): boolean {
    const at = this.#find(run, lumi);
    return at >= 0 && this.#taker[at] === job;
  }

  /** An earlier file of the job has this lumi too, and it was given to an earlier job there. */
  wouldRepeat(run: number, lumi: number, job: number): boolean {
    const at = this.#find(run, lumi);
    return at >= 0 && this.#reader[at] === job && this.#taker[at] !== job;
  }

  /** How many of the file's lumis the job took, from whichever file. */
  countTaken({ runs }: { readonly runs: readonly RunLumis[] }, job: number): number {
    let count = 0;
    this.#each(runs, (at) => {
      if (this.#taker[at] === job) count += 1;
    });
    return count;
  }

  #each(runs: readonly RunLumis[], visit: (at: number) => void): void {
    if (this.#byRun.size === 0) return;
    for (const { run, lumis } of runs) {
      for (const lumi of lumis) {
        const at = this.#find(run, lumi);
        if (at >= 0) visit(at);
      }
    }
  }

  #find(run: number, lumi: number): number {
    const shared = this.#byRun.size === 0 ? undefined : this.#byRun.get(run);
    if (shared === undefined) return -1;
    const { lumis, start } = shared;
    const at = countWhile(lumis.length, (index) => lumis[index]! < lumi);
    return lumis[at] === lumi ? start + at : -1;
  }
}
