import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { describeError } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { Fault } from "./lines.ts";

/** Why a file cannot be read is for the user to see. */
export function readText(path: string): Result<string, string> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (error) {
    return err(describeError(error));
  }
}

export function replace(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

const MOST_TEXTS = 4096;

/** Small files that are read at every submission, kept while inode, size and time of change stay the same. */
export class Texts {
  private readonly kept = new Map<string, { stamp: string; text: string }>();

  /** Throws a Fault. */
  read(path: string): string {
    try {
      const { ino, size, mtimeMs } = statSync(path);
      const stamp = `${ino} ${size} ${mtimeMs}`;
      const known = this.kept.get(path);
      if (known?.stamp === stamp) return known.text;
      const text = readFileSync(path, "utf8");
      if (this.kept.size >= MOST_TEXTS) this.kept.clear();
      this.kept.set(path, { stamp, text });
      return text;
    } catch (error) {
      throw new Fault(`can't open file ${path}: ${describeError(error)}`);
    }
  }
}
