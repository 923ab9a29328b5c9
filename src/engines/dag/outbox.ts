import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { describeError } from "../../core/base/errors.ts";

/**
 * Everything that is written while one burst of events is handled, in the order that survives kill -9: the jobs'
 * event logs, then the journals (the intent), then what the runner starts (the act), then the clean-up.
 * write(2) is enough for that: what it took is the kernel's. There is no fsync; a machine that loses power
 * may lose the last lines, and its processes with them.
 */
export class Outbox {
  private readonly logs = new Map<string, string[]>();
  private readonly journals = new Map<string, string[]>();
  private readonly descriptors = new Map<string, number>();
  private afterwards: (() => void)[] = [];
  private scheduled = false;
  private retry: NodeJS.Timeout | null = null;
  /** Why nothing can be written at the moment; null: all is well. */
  trouble: string | null = null;

  /** What begins once its intent is on disk: called after everything was written. */
  act: () => void = () => {};

  log(path: string, text: string): void {
    this.add(this.logs, path, text);
  }

  journal(path: string, text: string): void {
    this.add(this.journals, path, text);
  }

  after(run: () => void): void {
    this.afterwards.push(run);
    this.schedule();
  }

  /** Sends what there is at the end of this turn of the event loop: one write per file and burst. */
  schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  flush(): void {
    this.scheduled = false;
    try {
      this.drain(this.logs, (path, text) => appendFileSync(path, text), isFullDisk);
      this.drain(
        this.journals,
        (path, text) => this.append(path, text),
        (code) => code !== "ENOENT",
      );
    } catch (error) {
      // Nothing may begin that is not written down: wait for the disk, and say so.
      this.trouble = `cannot write: ${describeError(error)}`;
      this.retry ??= setTimeout(() => {
        this.retry = null;
        this.flush();
      }, 1000);
      return;
    }
    this.trouble = null;
    this.act();
    const done = this.afterwards;
    this.afterwards = [];
    for (const run of done) run();
  }

  /** Forgets the open file of a journal that has ended. */
  close(path: string): void {
    const descriptor = this.descriptors.get(path);
    if (descriptor !== undefined) closeSync(descriptor);
    this.descriptors.delete(path);
  }

  closeAll(): void {
    if (this.retry) clearTimeout(this.retry);
    this.retry = null;
    for (const path of [...this.descriptors.keys()]) this.close(path);
  }

  private add(to: Map<string, string[]>, path: string, text: string): void {
    const texts = to.get(path);
    if (texts) texts.push(text);
    else to.set(path, [text]);
    this.schedule();
  }

  /** A failure that is not `grave` concerns one path only (its directory is gone): that text is lost, the rest goes on. */
  private drain(
    from: Map<string, string[]>,
    write: (path: string, text: string) => void,
    grave: (code: string) => boolean,
  ): void {
    for (const [path, texts] of from) {
      try {
        write(path, texts.join(""));
      } catch (error) {
        if (grave((error as NodeJS.ErrnoException).code ?? "")) throw error;
      }
      from.delete(path);
    }
  }

  private append(path: string, text: string): void {
    let descriptor = this.descriptors.get(path);
    if (descriptor === undefined) {
      descriptor = openSync(path, "a");
      this.descriptors.set(path, descriptor);
    }
    const bytes = Buffer.from(text);
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      this.journals.set(path, [unwritten(bytes, at)]);
      throw error;
    }
  }
}

/**
 * What is left to write after a disk took only the first bytes: no event may be in a journal twice. A line that was torn
 * is ended, so that it does not parse, and comes again.
 */
export function unwritten(bytes: Buffer, written: number): string {
  const whole = written === 0 || bytes[written] === NEWLINE;
  if (whole) return bytes.toString("utf8", written);
  return `\n${bytes.toString("utf8", bytes.lastIndexOf(NEWLINE, written - 1) + 1)}`;
}

const NEWLINE = 10;
const isFullDisk = (code: string): boolean => ["ENOSPC", "EDQUOT", "EIO"].includes(code);
