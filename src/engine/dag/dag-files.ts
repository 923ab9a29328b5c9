import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeError } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { rescueName } from "../format/rescue.ts";
import { type MetricsFacts, renderDagmanLine, renderMetrics, renderRescue } from "./bookkeeping-text.ts";
import { type JournalLine, parseJournal } from "./journal.ts";
import { Fault } from "./lines.ts";
import type { LiveNode } from "./machine.ts";

const HIGHEST_RESCUE = 100;

/** The files beside one .dag. Each is written under a temporary name and renamed: a reader never sees half. */
export class DagFiles {
  readonly path: string;
  readonly name: string;
  readonly journal: string;

  constructor(path: string) {
    this.path = path;
    this.name = basename(path);
    this.journal = `${path}.journal.jsonl`;
  }

  readJournal(): JournalLine[] {
    if (!existsSync(this.journal)) return [];
    const text = readFileSync(this.journal, "utf8");
    // A torn last line must not swallow the next one.
    if (text && !text.endsWith("\n")) appendFileSync(this.journal, "\n");
    return parseJournal(text);
  }

  startJournal(text: string): void {
    replace(this.journal, text);
  }

  isHalted(): boolean {
    return existsSync(`${this.path}.halt`);
  }

  clearHalt(): void {
    rmSync(`${this.path}.halt`, { force: true });
  }

  /** What DAGMan would say of itself; trouble with this file must not stop the work. */
  say(words: string): void {
    try {
      appendFileSync(`${this.path}.dagman.out`, renderDagmanLine(new Date(), words));
    } catch {
      // The same disk carries the journal, and that one does not go on silently.
    }
  }

  /** Its number is one above that of the file this run began with, also when it is written again. */
  writeRescue(used: number, nodes: readonly LiveNode[]): void {
    const name = rescueName(this.name, Math.min(used + 1, HIGHEST_RESCUE));
    replace(`${dirname(this.path)}/${name}`, renderRescue(this.name, new Date(), nodes));
  }

  writeMetrics(facts: Omit<MetricsFacts, "endedAt">): void {
    replace(`${this.path}.metrics`, renderMetrics({ ...facts, endedAt: new Date() }));
  }
}

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
