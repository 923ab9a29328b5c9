import { readdirSync, renameSync, unlinkSync } from "node:fs";
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
    if (this.kept.length >= MOST) return false;
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

/** The ads of a directly run job, in its working directory. */
export const ADS = ".job.ad";
/** Every directly run job gets these anew, and leaves those. */
const REWRITTEN: readonly string[] = [UNIT.manifest, ADS];
const LEFT: readonly string[] = [OWN.reads, OWN.makes, OWN.peak];

/** Working directories of directly run jobs that left nothing there. */
export class SpareDirectories {
  private readonly spares: Spares;

  constructor(prefix: string) {
    this.spares = new Spares(prefix);
  }

  keep(path: string): boolean {
    return attempt(() => {
      for (const name of readdirSync(path)) {
        if (LEFT.includes(name)) unlinkSync(`${path}/${name}`);
        else if (!REWRITTEN.includes(name)) throw new Error(`${name} is the job's`);
      }
      if (!this.spares.keep(path)) throw new Error("there are enough");
    });
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
