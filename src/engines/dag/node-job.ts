import * as events from "./event-text.ts";
import type { JobSpec } from "./job-spec.ts";
import type { JournalLine } from "./journal.ts";
import type { Outbox } from "./outbox.ts";
import type { JobWatch } from "./runner.ts";

/** DAGMan's $RETURN of a job that did not exit. */
export const NOT_SUBMITTED = -1001;
const REMOVED = -1002;
const LOST = -1003;

/** What a runner reports of a node's job goes into the event log and the journal; `left` hears its $RETURN. */
export function watchJob(
  spec: JobSpec,
  batchName: string,
  outbox: Pick<Outbox, "log">,
  write: (line: JournalLine) => void,
  left: (code: number) => void,
): JobWatch & { submitted(): void } {
  const { node: n, cluster: c } = spec;
  const log = <A extends unknown[]>(event: (spec: JobSpec, at: Date, ...more: A) => string, ...more: A): void => {
    if (spec.log) outbox.log(spec.log, event(spec, new Date(), ...more));
  };
  return {
    batchName,
    submitted: () => log(events.submitted),
    begins({ site, at }, workDir) {
      write({ k: "run", n, c, site, at });
      log(events.executing, site, workDir);
    },
    holds: (hold) => write({ k: "held", n, hold }),
    evicted(why) {
      log(events.evicted, why);
      write({ k: "evicted", n });
    },
    ended(end) {
      if (end.kind === "exited") {
        log(events.terminated, end.code, end.used);
        left(end.code);
      } else if (end.kind === "lost") {
        log(events.lost, end.why);
        left(LOST);
      } else {
        const isHold = "code" in end.removal;
        if ("code" in end.removal) log(events.held, end.removal, end.peakMb);
        log(events.aborted, isHold ? "removed by the local engine because it was held" : end.removal.why);
        left(REMOVED);
      }
    },
  };
}
