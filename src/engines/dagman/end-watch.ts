import { type FSWatcher, watch } from "node:fs";
import type { Run } from "../../core/run.ts";
import { besideDag, TOP } from "../../submit-dir/names.ts";

/** The last file that a DAGMan writes; a moment later it has left the queue. */
const LAST_FILE = besideDag(TOP.dag, "metrics");
const LEAVES_WITHIN_MS = 500;

/** Tells when a run may be over. Only a hint: on a file server nothing is heard, and the next look sees it. */
export class EndWatch {
  private readonly watchers = new Map<string, FSWatcher | null>();
  private tell = (): void => {};

  listen(tell: () => void): void {
    this.tell = tell;
  }

  keepOnly(runs: readonly Pick<Run, "submitDir">[]): void {
    const wanted = new Set(runs.map(({ submitDir }) => submitDir));
    for (const [dir, watcher] of this.watchers) {
      if (wanted.has(dir)) continue;
      watcher?.close();
      this.watchers.delete(dir);
    }
    for (const dir of wanted) if (!this.watchers.has(dir)) this.watchers.set(dir, this.watch(dir));
  }

  /** null: it cannot be watched. */
  private watch(dir: string): FSWatcher | null {
    let timer: NodeJS.Timeout | undefined;
    try {
      const watcher = watch(dir, { persistent: false }, (_, name) => {
        if (name !== LAST_FILE) return;
        clearTimeout(timer);
        timer = setTimeout(() => this.tell(), LEAVES_WITHIN_MS);
        timer.unref();
      });
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return null;
    }
  }
}
