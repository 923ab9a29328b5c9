import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../core/base/json.ts";
import { readIfThereSync } from "../../core/disk/read-if-there.ts";
import { replace } from "./dag-files.ts";

export interface Submission {
  readonly batchName: string;
  readonly submitDir: string;
  readonly priority: number;
}

/** A run as the registry keeps it: a file per run, there from before it begins until after it has ended. */
export interface RunEntry extends Submission {
  readonly id: number;
  readonly submittedAt: number;
  readonly held: boolean;
}

const pathOf = (dir: string, batchName: string): string => join(dir, "runs", `${batchName}.json`);

/** The runs an engine directory knows to be under way, with or without an engine. */
export function readRegistry(dir: string): RunEntry[] {
  if (!existsSync(join(dir, "runs"))) return [];
  const names = readdirSync(join(dir, "runs")).filter((name) => name.endsWith(".json"));
  const entries = names.map((name) => readEntry(dir, name.slice(0, -".json".length)));
  return entries.filter((entry) => entry !== null).sort((a, b) => a.id - b.id);
}

export function readEntry(dir: string, batchName: string): RunEntry | null {
  const text = readIfThereSync(pathOf(dir, batchName));
  const parsed = text === null ? null : parseJson(text);
  return parsed?.ok ? (parsed.value as RunEntry) : null;
}

export function saveEntry(dir: string, entry: RunEntry): void {
  mkdirSync(join(dir, "runs"), { recursive: true });
  replace(pathOf(dir, entry.batchName), `${JSON.stringify(entry)}\n`);
}

export function removeEntry(dir: string, entry: RunEntry): void {
  rmSync(pathOf(dir, entry.batchName), { force: true });
}

const BLOCK = 1000;

/** Numbers never given before, also not by an engine that was killed: the file is a block ahead of what was used. */
export class Ids {
  private readonly path: string;
  private next: number;
  private limit: number;

  constructor(path: string) {
    const text = readIfThereSync(path) ?? "1\n";
    if (!/^\d+\n$/.test(text)) throw new Error(`${path} does not hold a number`);
    this.path = path;
    this.next = Number(text);
    this.limit = this.next;
  }

  take(): number {
    if (this.next >= this.limit) {
      this.limit = this.next + BLOCK;
      replace(this.path, `${this.limit}\n`);
    }
    return this.next++;
  }
}
