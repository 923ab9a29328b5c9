import type { DagRecord } from "../../engine/dag/dag-record.ts";
import type { JournalLine } from "../../engine/dag/journal.ts";
import type { DagMachine, DagOutcome } from "../../engine/dag/machine.ts";

/** A record that nobody reads: a story has no engine that could die, and is observed without files. */
export abstract class SilentRecord implements DagRecord {
  abstract open(machine: DagMachine, work: unknown, statusFile: unknown, rescueUsed: number): void;
  abstract end(outcome: DagOutcome): void;
  begin(): void {}
  journal(): JournalLine[] {
    return [];
  }
  refuse(_why: string): void {}
  write(): void {}
  say(): void {}
  changed(): void {}
  /** A bug: the story cannot be believed any more. */
  broken(error: unknown): never {
    throw error;
  }
  isHalted(): boolean {
    return false;
  }
  bye(_exit: number): void {}
  close(): void {}
}
