import type { EndWord } from "./bookkeeping-text.ts";
import type { DagFile } from "./dag-file.ts";
import type { DagFiles } from "./dag-files.ts";
import type { DagMachine, LiveNode } from "./dag-machine.ts";

const SOONEST_MS = 1000;
const NODES_PER_MS = 5;

/**
 * Keeps NODE_STATUS_FILE up to date: soon after a change, and not more often than its size allows. A laptop user
 * sees a small DAG move every second, whatever minimum the file asks DAGMan for; 100,000 nodes are
 * rewritten every 20 s at most.
 */
export class StatusWriter {
  private readonly files: DagFiles;
  private readonly file: NonNullable<DagFile["statusFile"]>;
  private readonly machine: DagMachine;
  private readonly more: () => { idle: number; detailOf: (node: LiveNode) => string };
  private timer: NodeJS.Timeout | null = null;
  private writtenAt = 0;

  constructor(
    files: DagFiles,
    file: NonNullable<DagFile["statusFile"]>,
    machine: DagMachine,
    more: () => { idle: number; detailOf: (node: LiveNode) => string },
  ) {
    this.files = files;
    this.file = file;
    this.machine = machine;
    this.more = more;
  }

  schedule(): void {
    if (this.timer) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        try {
          this.write(null);
          if (this.file.always) this.schedule();
        } catch {
          // A picture for people and the monitor; the journal is what counts, and it does not go on silently.
          this.schedule();
        }
      },
      Math.max(0, this.writtenAt + this.everyMs() - Date.now()),
    );
  }

  write(ended: EndWord | null): void {
    this.writtenAt = Date.now();
    const { idle, detailOf } = this.more();
    const jobs = { idle, held: 0 };
    this.files.writeStatus(this.file, this.machine, { ended, jobs, nextMs: this.everyMs(), detailOf });
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private everyMs(): number {
    return Math.min(this.file.minSec * 1000, Math.max(SOONEST_MS, this.machine.nodes.length / NODES_PER_MS));
  }
}
