import * as events from "./event-text.ts";
import type { JobSpec } from "./job-spec.ts";
import type { JournalLine } from "./journal.ts";
import type { Outbox } from "./outbox.ts";
import type { Hold, JobEnd, JobWatch, Placement } from "./runner.ts";

/** DAGMan's $RETURN of a job that did not exit. */
export const NOT_SUBMITTED = -1001;
const REMOVED = -1002;
const LOST = -1003;

/** The job of a node as the executor sees it: what its runner reports goes into the event log and the journal. */
export class NodeJob implements JobWatch {
  readonly spec: JobSpec;
  readonly batchName: string;
  private readonly outbox: Pick<Outbox, "log">;
  private readonly write: (line: JournalLine) => void;
  private readonly left: (code: number) => void;

  constructor(
    spec: JobSpec,
    batchName: string,
    outbox: Pick<Outbox, "log">,
    write: (line: JournalLine) => void,
    left: (code: number) => void,
  ) {
    this.spec = spec;
    this.batchName = batchName;
    this.outbox = outbox;
    this.write = write;
    this.left = left;
  }

  submitted(): void {
    this.log(events.submitted);
  }

  begins({ site, at }: Placement, workDir: string): void {
    const { node: n, cluster: c } = this.spec;
    this.write({ k: "run", n, c, site, at });
    this.log(events.executing, site, workDir);
  }

  holds(hold: Hold): void {
    this.write({ k: "held", n: this.spec.node, hold });
  }

  evicted(why: string): void {
    this.log(events.evicted, why);
    this.write({ k: "evicted", n: this.spec.node });
  }

  ended(end: JobEnd): void {
    if (end.kind === "exited") {
      this.log(events.terminated, end.code, end.used);
      this.left(end.code);
    } else if (end.kind === "lost") {
      this.log(events.lost, end.why);
      this.left(LOST);
    } else {
      const { removal } = end;
      const isHold = "code" in removal;
      if (isHold) this.log(events.held, removal, end.peakMb);
      this.log(events.aborted, isHold ? "removed by the local engine because it was held" : removal.why);
      this.left(REMOVED);
    }
  }

  private log<A extends unknown[]>(event: (spec: JobSpec, at: Date, ...more: A) => string, ...more: A): void {
    const { spec } = this;
    if (spec.log) this.outbox.log(spec.log, event(spec, new Date(), ...more));
  }
}
