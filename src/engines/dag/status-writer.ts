import { renderStatus, type StatusFacts } from "./bookkeeping-text.ts";
import type { DagFile } from "./dag-file.ts";
import { replace } from "./dag-files.ts";

const SOONEST_MS = 1000;
const NODES_PER_MS = 5;

/**
 * Keeps NODE_STATUS_FILE up to date: soon after a change, and not more often than its size allows. A laptop user
 * sees a small DAG move every second, whatever minimum the file asks DAGMan for; 100,000 nodes are
 * rewritten every 20 s at most.
 */
export class StatusWriter {
  private readonly path: string;
  private readonly everyMs: number;
  private readonly facts: () => Omit<StatusFacts, "at" | "ended" | "nextUpdate">;
  private timer: NodeJS.Timeout | null = null;
  /** By the clock that only moves forward. */
  private writtenAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, file: NonNullable<DagFile["statusFile"]>, nodes: number, facts: StatusWriter["facts"]) {
    this.path = path;
    this.everyMs = Math.min(file.minSec * 1000, Math.max(SOONEST_MS, nodes / NODES_PER_MS));
    this.facts = facts;
  }

  schedule(): void {
    if (this.timer) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        try {
          this.write(null);
        } catch {
          // A picture for people and the monitor; the journal is what counts, and it does not go on silently.
          this.schedule();
        }
      },
      Math.max(0, this.writtenAt + this.everyMs - performance.now()),
    );
  }

  write(ended: StatusFacts["ended"]): void {
    this.writtenAt = performance.now();
    const at = new Date();
    const nextUpdate = ended === null ? new Date(at.getTime() + this.everyMs) : null;
    replace(this.path, renderStatus({ ...this.facts(), at, ended, nextUpdate }));
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
