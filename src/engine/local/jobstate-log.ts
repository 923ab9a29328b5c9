import type { NodePart, ScriptPart } from "./dag-machine.ts";

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

  scriptStarted(node: string, part: ScriptPart): void {
    this.line(node, `${part.toUpperCase()}_SCRIPT_STARTED`, "-");
  }

  ended(node: string, part: NodePart, code: number, cluster: number): void {
    if (part === "job") {
      this.line(node, code === -1002 ? "JOB_ABORTED" : "JOB_TERMINATED", `${cluster}.0`);
      this.line(node, code === 0 ? "JOB_SUCCESS" : "JOB_FAILURE", String(code));
    } else this.line(node, `${part.toUpperCase()}_SCRIPT_${code === 0 ? "SUCCESS" : "FAILURE"}`, "-");
  }

  private line(node: string, event: string, what: string): void {
    this.append(`${epoch()} ${node} ${event} ${what} - - ${this.sequences.get(node) ?? 0}\n`);
  }
}

const epoch = (): number => Math.floor(Date.now() / 1000);
