import { lstatSync, readdirSync, renameSync, truncateSync } from "node:fs";
import { UNIT } from "../../../submit-dir/names.ts";
import { OWN } from "./direct/task.ts";
import { attempt } from "./families.ts";
import { removeTree } from "./transfer.ts";

/** As many as may end before the next begins. */
const MOST = 64;

/**
 * Files that nobody needs any more, for those who would make one. On ext4 a new file costs ten times what one costs that
 * is written again, for minutes after others nearby were deleted: the next inode is looked for among the freed ones.
 */
export class Spares {
  private readonly prefix: string;
  private readonly kept: string[] = [];
  private count = 0;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** false: it stays where it is. */
  keep(path: string): boolean {
    if (this.kept.length >= MOST || !isFit(path)) return false;
    const name = `${this.prefix}-${process.pid}-${this.count++}`;
    const isKept = attempt(() => renameSync(path, name));
    if (isKept) this.kept.push(name);
    return isKept;
  }

  /** Where one is; the caller gives it another name. */
  take(): string | undefined {
    return this.kept.pop();
  }

  drop(): void {
    for (const path of this.kept.splice(0)) removeTree(path);
  }
}

/** Whether it is as one that was just made. What a job made of it (a link, a pipe, a closed directory) is not for the next. */
function isFit(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.isFile() === true && found.nlink === 1;
  return (found.mode & 0o777) === (0o777 & ~process.umask());
}

/** The ads of a directly run job, in its working directory. */
export const ADS = ".job.ad";
/** Every directly run job gets these anew, and leaves those, of which an empty one says nothing. */
const REWRITTEN: readonly string[] = [UNIT.manifest, ADS];
const LEFT: readonly string[] = [OWN.reads, OWN.makes, OWN.peak];

/** Empties what was said of the job; false: there is something else. */
function strip(path: string): boolean {
  const names = readdirSync(path);
  const isOurs = (name: string): boolean => REWRITTEN.includes(name) || LEFT.includes(name);
  if (!names.every((name) => isOurs(name) && isFit(`${path}/${name}`))) return false;
  for (const name of names) if (LEFT.includes(name)) truncateSync(`${path}/${name}`);
  return true;
}

/** Working directories of directly run jobs that left nothing there. */
export class SpareDirectories {
  private readonly spares: Spares;

  constructor(prefix: string) {
    this.spares = new Spares(prefix);
  }

  keep(path: string): boolean {
    let isBare = false;
    attempt(() => {
      isBare = strip(path);
    });
    return isBare && this.spares.keep(path);
  }

  drop(): void {
    this.spares.drop();
  }

  /** Whether `path` is one now. */
  open(path: string): boolean {
    const spare = this.spares.take();
    const isOpen = spare !== undefined && attempt(() => renameSync(spare, path));
    if (!isOpen && spare !== undefined) this.spares.keep(spare);
    return isOpen;
  }
}
