import type { DagEvent } from "./dag-machine.ts";

/**
 * JOBSTATE_LOG as DAGMan 23.9.6 writes it: `epoch node EVENT job|code - - seq`, append-only. A sequence number
 * belongs to a submission of a node.
 */
export class JobstateLog {
  private readonly append: (text: string) => void;
  private readonly sequences = new Map<string, number>();
  private last = 0;

  constructor(append: (text: string) => void) {
    this.append = append;
  }

  internal(words: string): void {
    this.append(`${epoch()} INTERNAL *** ${words} ***\n`);
  }

  submitted(node: string, cluster: number): void {
    this.last += 1;
    this.sequences.set(node, this.last);
    this.line(node, "SUBMIT", `${cluster}.0`);
  }

  executes(node: string, cluster: number): void {
    this.line(node, "EXECUTE", `${cluster}.0`);
  }

  scriptStarted(node: string, part: "pre" | "post"): void {
    this.line(node, `${part.toUpperCase()}_SCRIPT_STARTED`, "-");
  }

  ended(node: string, cluster: number, event: DagEvent): void {
    if (event.kind === "pre-ended" || event.kind === "post-ended") {
      const part = event.kind === "pre-ended" ? "PRE" : "POST";
      this.line(node, `${part}_SCRIPT_${event.code === 0 ? "SUCCESS" : "FAILURE"}`, "-");
    } else if (event.kind === "job-ended") {
      this.line(node, event.code === -1002 ? "JOB_ABORTED" : "JOB_TERMINATED", `${cluster}.0`);
      this.line(node, event.code === 0 ? "JOB_SUCCESS" : "JOB_FAILURE", String(event.code));
    }
  }

  private line(node: string, event: string, what: string): void {
    this.append(`${epoch()} ${node} ${event} ${what} - - ${this.sequences.get(node) ?? 0}\n`);
  }
}

const epoch = (): number => Math.floor(Date.now() / 1000);
