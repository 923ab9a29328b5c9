import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { parseJson } from "../../src/core/base/json.ts";
import type { EmulatedName } from "./http.ts";

export interface Call {
  readonly at: string;
  readonly service: EmulatedName;
  readonly method: string;
  /** Decoded, with its query. */
  readonly path: string;
  /** 0: no answer was given at all. */
  readonly status: number;
  readonly fault: string | null;
}

/** Every call ever made, in a file; laws such as "no rule is made twice" are checked on it. */
export class Calls {
  readonly #all: Call[] = [];
  #file: number | null = null;

  open(path: string): void {
    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      const parsed = parseJson(line);
      if (parsed.ok) this.#all.push(parsed.value as Call);
    }
    this.#file = openSync(path, "a");
  }
  add(call: Call): void {
    this.#all.push(call);
    if (this.#file !== null) writeSync(this.#file, `${JSON.stringify(call)}\n`);
  }
  list(): readonly Call[] {
    return this.#all;
  }
  /** "rucio POST 201" → how many. */
  counts(): Record<string, number> {
    const found: Record<string, number> = {};
    for (const { service, method, status } of this.#all) {
      const key = `${service} ${method} ${status}`;
      found[key] = (found[key] ?? 0) + 1;
    }
    return found;
  }
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
