import type { Problem } from "../../core/problem.ts";

/** Beyond this many, a person is better served by a count. */
const MAX_PROBLEMS = 200;
const MAX_WARNINGS = 1000;
/** What a document says may be written into what is said of it, and be long. */
const MAX_MESSAGE = 1000;
const short = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text);

/**
 * What all parts of one reading share: everything there is to say about the document, so that a person fixes it in
 * one go.
 */
export class Notes {
  /** Commands found in the document, with their path in it. Their files must travel with it. */
  readonly commands: { readonly path: string; readonly argv: readonly string[] }[] = [];
  /**
   * Other files beside the document, with their path in it. table: what it says is in the document once that was read ·
   * script: its content tells whether a command is the same; the command finds it without us.
   */
  readonly files: { readonly path: string; readonly file: string; readonly use: "table" | "script" }[] = [];
  readonly #problems: Problem[] = [];
  readonly #warnings = new Set<string>();
  readonly #noted = new Set<string>();
  readonly #unfilled = new Set<string>();
  #unlisted = 0;
  #unwarned = 0;

  /** Several readers may look at one place; what is wrong there is said once. */
  problem(path: string, words: string, allowed: string | null = null): void {
    const message = short(words);
    const key = `${path}\n${message}`;
    if (this.#noted.has(key) || this.#unfilled.has(path)) return;
    this.#noted.add(key);
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ path, message, allowed });
    else this.#unlisted += 1;
  }

  /** A template's place that waits for a value: nothing else is to be said of what stands there. */
  unfilled(path: string, message: string): void {
    this.#unfilled.add(path);
    for (let at = this.#problems.length - 1; at >= 0; at -= 1)
      if (this.#problems[at]?.path === path) this.#problems.splice(at, 1);
    this.#problems.push({ path, message, allowed: null });
  }

  /** Legal, but perhaps not what was meant. */
  warn(path: string, message: string): void {
    const text = short(path ? `${path}: ${message}` : message);
    if (this.#warnings.size < MAX_WARNINGS) this.#warnings.add(text);
    else if (!this.#warnings.has(text)) this.#unwarned += 1;
  }

  get count(): number {
    return this.#problems.length + this.#unlisted;
  }

  get warnings(): readonly string[] {
    const more = this.#unwarned === 0 ? [] : [`and ${this.#unwarned} more warnings`];
    return [...this.#warnings, ...more];
  }

  get problems(): readonly Problem[] {
    if (this.#unlisted === 0) return this.#problems;
    return [...this.#problems, { path: "", message: `and ${this.#unlisted} more problems`, allowed: null }];
  }
}

/** A value as a message shows it: JSON, on one line, never long. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "a map";
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value).slice(0, 80);
  return typeof value === "string" && value.length > 80 ? `${text}… (${value.length} characters)` : text;
}
