import { appendFileSync, existsSync, rmSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import { readIfThereSync } from "../../core/disk/read-if-there.ts";
import { rescueName } from "../format/rescue.ts";
import { renderDagmanLine, renderMetrics, renderRescue } from "./bookkeeping-text.ts";
import type { DagFile } from "./dag-file.ts";
import { replace } from "./dag-files.ts";
import type { DagSetup } from "./dag-run.ts";
import { type JournalLine, parseJournal, renderLine } from "./journal.ts";
import type { DagMachine, DagOutcome, LiveNode } from "./machine.ts";
import type { Outbox } from "./outbox.ts";
import { StatusWriter } from "./status-writer.ts";

/**
 * What is kept of one DAG while it runs and after: for people, for the next run of it, and for an executor that takes over.
 * As it stands here, nothing is.
 */
export class DagRecord {
  begin(_rescueUsed: number): void {}
  /** Of the run that this record is of, or of an earlier one. */
  journal(): JournalLine[] {
    return [];
  }
  /** The DAG has been read. */
  open(_machine: DagMachine, _rescueUsed: number, _work: WorkView, _statusFile: DagFile["statusFile"]): void {}
  /** The DAG cannot be read. */
  refuse(_why: string): void {}
  write(_line: JournalLine): void {}
  say(_text: string): void {}
  changed(): void {}
  isHalted(): boolean {
    return false;
  }
  /** A bug, or a broken journal. */
  broken(error: unknown): void {
    throw error;
  }
  /** May throw: it is called again then. */
  end(_outcome: DagOutcome): void {}
  bye(_exit: number): void {}
  close(): void {}
}

/** What only those who do the work know of nodes. */
export interface WorkView {
  /** How many jobs wait for room. */
  idle(): number;
  /** What a queued node waits for, when there is something to say. */
  detailOf(node: LiveNode): string;
}

const HIGHEST_RESCUE = 100;

/** The file of the rescue; its number is one above that of the file this run began with, also when it is written again. */
export function writeRescue(dagPath: string, used: number, at: Date, nodes: readonly LiveNode[]): void {
  const name = basename(dagPath);
  const file = rescueName(name, Math.min(used + 1, HIGHEST_RESCUE));
  replace(`${dirname(dagPath)}/${file}`, renderRescue(name, at, nodes));
}

/** The files DAGMan keeps beside a .dag, and the journal. Each is written under a temporary name and renamed, or appended to. */
export class FileRecord extends DagRecord {
  private readonly setup: DagSetup;
  private readonly outbox: Outbox;
  private readonly name: string;
  private readonly journalPath: string;
  private startedAt = new Date();
  private rescueUsed = 0;
  private machine: DagMachine | null = null;
  private status: StatusWriter | null = null;

  constructor(setup: DagSetup, outbox: Outbox) {
    super();
    this.setup = setup;
    this.outbox = outbox;
    this.name = basename(setup.path);
    this.journalPath = `${setup.path}.journal.jsonl`;
  }

  override begin(rescue: number): void {
    const { id, parentId, path, batchName } = this.setup;
    this.outbox.close(this.journalPath);
    replace(this.journalPath, renderLine({ k: "begin", id, parent: parentId, rescue, at: this.startedAt.getTime() }));
    rmSync(`${path}.halt`, { force: true });
    this.say(`** condor_scheduniv_exec.${id}.0 (CONDOR_DAGMAN) STARTING UP`);
    this.say(`Workflow batch-name: <${batchName}>`);
    if (rescue > 0) this.say(`Running rescue DAG ${rescue}`);
  }

  override journal(): JournalLine[] {
    const text = readIfThereSync(this.journalPath) ?? "";
    // A torn last line must not swallow the next one.
    if (text && !text.endsWith("\n")) appendFileSync(this.journalPath, "\n");
    const lines = parseJournal(text);
    if (lines[0]?.k === "begin" && lines[0].id === this.setup.id) this.startedAt = new Date(lines[0].at);
    return lines;
  }

  override open(machine: DagMachine, rescueUsed: number, work: WorkView, statusFile: DagFile["statusFile"]): void {
    this.machine = machine;
    this.rescueUsed = rescueUsed;
    if (!statusFile) return;
    const path = resolve(this.setup.cwd, statusFile.path);
    this.status = new StatusWriter(path, statusFile, machine.nodes.length, () => ({
      dagName: this.name,
      machine,
      idle: work.idle(),
      detailOf: (node) => work.detailOf(node),
    }));
  }

  override refuse(why: string): void {
    this.say(why);
    this.say(`Failed to parse ${this.name}`);
  }

  override write(line: JournalLine): void {
    this.outbox.journal(this.journalPath, renderLine(line));
  }

  /** What DAGMan would say of itself; trouble with this file must not stop the work. */
  override say(text: string): void {
    try {
      appendFileSync(`${this.setup.path}.dagman.out`, renderDagmanLine(new Date(), text));
    } catch {
      // The same disk carries the journal, and that one does not go on silently.
    }
  }

  override changed(): void {
    this.status?.schedule();
  }

  override broken(error: unknown): void {
    this.say(`ERROR: ${describeError(error)}`);
  }

  override isHalted(): boolean {
    return existsSync(`${this.setup.path}.halt`);
  }

  override end(outcome: DagOutcome): void {
    const { nodes } = this.machine as DagMachine;
    const { id: dagmanId, parentId, path, cwd } = this.setup;
    const { startedAt, rescueUsed } = this;
    this.status?.close();
    try {
      if (outcome.word !== "success") {
        // A stop must be on record before its end is.
        this.outbox.flush();
        writeRescue(path, rescueUsed, new Date(), nodes);
      }
      this.status?.write(outcome.word);
      const facts = { startedAt, endedAt: new Date(), outcome, dagmanId, parentId, rescueUsed, nodes };
      replace(`${path}.metrics`, renderMetrics(facts));
    } catch (error) {
      // Without its directory nobody will ask.
      if (existsSync(cwd)) throw error;
    }
  }

  override bye(exit: number): void {
    this.write({ k: "ended", exit });
    const self = `condor_scheduniv_exec.${this.setup.id}.0 (condor_DAGMAN) pid ${process.pid}`;
    this.say(`**** ${self} EXITING WITH STATUS ${exit}`);
    this.outbox.after(() => this.outbox.close(this.journalPath));
  }

  override close(): void {
    this.status?.close();
  }
}
