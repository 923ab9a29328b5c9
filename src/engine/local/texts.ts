import { readFileSync, statSync } from "node:fs";
import { err, ok, type Result } from "../../base/result.ts";

const LIMIT = 4096;

/** Small files that are read at every submission, kept while inode, size and time of change stay the same. */
export class Texts {
  private readonly kept = new Map<string, { stamp: string; text: string }>();

  read(path: string): Result<string, string> {
    try {
      const { ino, size, mtimeMs } = statSync(path);
      const stamp = `${ino} ${size} ${mtimeMs}`;
      const known = this.kept.get(path);
      if (known?.stamp === stamp) return ok(known.text);
      const text = readFileSync(path, "utf8");
      if (this.kept.size >= LIMIT) this.kept.clear();
      this.kept.set(path, { stamp, text });
      return ok(text);
    } catch (error) {
      return err(`can't open file ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
