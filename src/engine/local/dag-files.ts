import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { highestRescue, rescueName } from "../format/rescue.ts";
import { type EndWord, renderDagmanLine, renderMetrics, renderRescue, renderStatus } from "./bookkeeping-text.ts";
import type { DagFile } from "./dag-file.ts";
import type { DagMachine, LiveNode } from "./dag-machine.ts";
import { type JournalLine, parseJournal } from "./journal.ts";

const HIGHEST_RESCUE = 100;

/** The files beside one .dag. Each is written under a temporary name and renamed: a reader never sees half. */
export class DagFiles {
  readonly path: string;
  readonly name: string;
  readonly journal: string;
  private readonly cwd: string;

  constructor(path: string, cwd: string) {
    this.path = path;
    this.name = basename(path);
    this.journal = `${path}.journal.jsonl`;
    this.cwd = cwd;
  }

  readJournal(): JournalLine[] {
    if (!existsSync(this.journal)) return [];
    const text = readFileSync(this.journal, "utf8");
    // A torn last line must not swallow the next one.
    if (text && !text.endsWith("\n")) appendFileSync(this.journal, "\n");
    return parseJournal(text);
  }

  startJournal(text: string): void {
    replace(this.journal, text);
  }

  isHalted(): boolean {
    return existsSync(`${this.path}.halt`);
  }

  clearHalt(): void {
    rmSync(`${this.path}.halt`, { force: true });
  }

  /** What DAGMan would say of itself; trouble with this file must not stop the work. */
  say(words: string): void {
    try {
      appendFileSync(`${this.path}.dagman.out`, renderDagmanLine(new Date(), words));
    } catch {
      // The same disk carries the journal, and that one does not go on silently.
    }
  }

  nextRescue(): number {
    const highest = highestRescue(readdirSync(dirname(this.path)), this.name) ?? 0;
    return Math.min(highest + 1, HIGHEST_RESCUE);
  }

  writeRescue(number: number, nodes: readonly LiveNode[]): void {
    replace(`${dirname(this.path)}/${rescueName(this.name, number)}`, renderRescue(this.name, new Date(), nodes));
  }

  writeMetrics(facts: Omit<Parameters<typeof renderMetrics>[0], "endedAt">): void {
    replace(`${this.path}.metrics`, renderMetrics({ ...facts, endedAt: new Date() }));
  }

  writeStatus(
    file: NonNullable<DagFile["statusFile"]>,
    machine: DagMachine,
    more: {
      ended: EndWord | null;
      jobs: { idle: number; held: number };
      nextMs: number;
      detailOf: (node: LiveNode) => string;
    },
  ): void {
    const at = new Date();
    const text = renderStatus({
      dagName: this.name,
      at,
      ended: more.ended,
      nextUpdate: more.ended === null ? new Date(at.getTime() + more.nextMs) : null,
      counts: machine.counts,
      nodes: machine.nodes,
      jobs: more.jobs,
      detailOf: more.detailOf,
    });
    replace(resolve(this.cwd, file.path), text);
  }
}

export function replace(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}
