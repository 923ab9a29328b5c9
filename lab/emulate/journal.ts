import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { parseJson } from "../../src/core/base/json.ts";

type Change = readonly [table: string, key: string, row: unknown];

/** Rows by key, in memory; every change goes to the journal. A row is replaced, never changed in place. */
class Table<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #groups: { readonly by: (row: Row) => string; readonly keys: Map<string, Set<string>> }[] = [];
  readonly #note: (key: string, row: Row | null) => void;

  constructor(note: (key: string, row: Row | null) => void) {
    this.#note = note;
  }

  get size(): number {
    return this.#rows.size;
  }
  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }
  has(key: string): boolean {
    return this.#rows.has(key);
  }
  values(): Row[] {
    return [...this.#rows.values()];
  }
  entries(): [string, Row][] {
    return [...this.#rows];
  }
  put(key: string, row: Row): void {
    this.load(key, row);
    this.#note(key, row);
  }
  remove(key: string): void {
    if (!this.#rows.has(key)) return;
    this.load(key, null);
    this.#note(key, null);
  }

  /** Finds rows by one of their values without looking at all of them. */
  by(value: (row: Row) => string): (wanted: string) => Row[] {
    const keys = new Map<string, Set<string>>();
    this.#groups.push({ by: value, keys });
    return (wanted) => [...(keys.get(wanted) ?? [])].flatMap((key) => this.#rows.get(key) ?? []);
  }

  /** A change that is in the journal already. */
  load(key: string, row: Row | null): void {
    const before = this.#rows.get(key);
    for (const { by, keys } of this.#groups) {
      if (before !== undefined && (row === null || by(before) !== by(row))) keys.get(by(before))?.delete(key);
      if (row !== null) keys.set(by(row), (keys.get(by(row)) ?? new Set()).add(key));
    }
    if (row === null) this.#rows.delete(key);
    else this.#rows.set(key, row);
  }
}

/**
 * All tables, and a file with a line per call that changed something. The line is written, at once and whole, before the
 * answer goes out: whoever got an answer finds its effect after kill -9. A last line that was cut was never answered.
 */
export class Journal {
  readonly #tables = new Map<string, Table<unknown>>();
  #pending: Change[] = [];
  #file: number | null = null;

  table<Row>(name: string): Table<Row> {
    const table = new Table<Row>((key, row) => this.#pending.push([name, key, row]));
    this.#tables.set(name, table as Table<unknown>);
    return table;
  }

  /** Reads what is there and writes it again, short. False: there was nothing in it. */
  open(path: string): boolean {
    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      const parsed = parseJson(line);
      if (!parsed.ok) continue;
      for (const [table, key, row] of parsed.value as Change[]) this.#tables.get(table)?.load(key, row);
    }
    const whole = [...this.#tables].flatMap(([name, table]) =>
      table.entries().map(([key, row]) => `${JSON.stringify([[name, key, row]])}\n`),
    );
    writeFileSync(`${path}.new`, whole.join(""));
    renameSync(`${path}.new`, path);
    this.#file = openSync(path, "a");
    return whole.length > 0;
  }

  commit(): void {
    if (this.#pending.length === 0 || this.#file === null) return;
    const line = `${JSON.stringify(this.#pending)}\n`;
    this.#pending = [];
    writeSync(this.#file, line);
  }

  /** Everything there is: table → key → row. */
  state(): Record<string, Record<string, unknown>> {
    return Object.fromEntries([...this.#tables].map(([name, table]) => [name, Object.fromEntries(table.entries())]));
  }

  remove(table: string, key: string): boolean {
    const there = this.#tables.get(table)?.has(key) ?? false;
    this.#tables.get(table)?.remove(key);
    return there;
  }

  close(): void {
    this.commit();
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
