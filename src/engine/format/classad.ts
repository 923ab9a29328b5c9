import { parseJson } from "../../base/json.ts";

/**
 * ClassAds as HTCondor 23.9.6 writes them: New ClassAds (`[ k = v; … ]`, C comments), the long form (one
 * `Key = value` per line) and the JSON of `condor_q -json`. Garbage never throws: what could be read comes
 * back with a list of problems. An expression that is no literal is kept as its text, not evaluated.
 */
export interface AdExpression {
  readonly expression: string;
}
export type AdValue = string | number | boolean | null | AdExpression | readonly AdValue[] | Ad;
/** Attribute names are case-insensitive in ClassAds; keys here are spelled as written, see `attribute`. */
export type Ad = ReadonlyMap<string, AdValue>;

export interface AdProblem {
  readonly at: number;
  readonly what: string;
}
export interface AdList {
  readonly ads: readonly Ad[];
  readonly problems: readonly AdProblem[];
}

export function attribute(ad: Ad, name: string): AdValue | undefined {
  const exact = ad.get(name);
  if (exact !== undefined) return exact;
  const wanted = name.toLowerCase();
  for (const [key, value] of ad) if (key.toLowerCase() === wanted) return value;
  return undefined;
}
export const textOf = (value: AdValue | undefined): string | null => (typeof value === "string" ? value : null);
export const numberOf = (value: AdValue | undefined): number | null => (typeof value === "number" ? value : null);

/** A sequence of `[ … ]` ads. An ad that breaks off is returned as far as it went, with a problem. */
export function parseNewAds(text: string): AdList {
  const reader = new AdReader(text);
  const ads: Ad[] = [];
  for (;;) {
    reader.skipBlank();
    if (reader.atEnd()) return { ads, problems: reader.problems };
    if (reader.peek() === "[") ads.push(reader.readAd(0));
    else reader.skipStray();
  }
}

/** The long form: `Key = value` lines; an empty line ends an ad. */
export function parseLongAds(text: string): AdList {
  const ads: Ad[] = [];
  const problems: AdProblem[] = [];
  let current = new Map<string, AdValue>();
  let at = 0;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "") {
      if (current.size > 0) ads.push(current);
      current = new Map();
    } else if (!line.startsWith("#")) {
      const match = /^([A-Za-z_][\w.]*)\s*=\s*(.*)$/.exec(line);
      if (match) current.set(match[1]!, parseValue(match[2]!));
      else problems.push({ at, what: "no `Key = value` line" });
    }
    at += raw.length + 1;
  }
  if (current.size > 0) ads.push(current);
  return { ads, problems };
}

/** One value as it stands right of a `=`; what is no literal stays an expression. */
export function parseValue(text: string): AdValue {
  const reader = new AdReader(text);
  const value = reader.readValue("", 0);
  return reader.problems.length === 0 ? value : { expression: text.trim() };
}

/**
 * `condor_q -json`, `condor_status -json`. With no ad to show they print nothing at all (23.9.6), so empty text is an
 * empty list; the caller must have looked at the exit code. Expressions come as "\/Expr(…)\/".
 */
export function parseJsonAds(text: string): AdList {
  if (text.trim() === "") return { ads: [], problems: [] };
  const parsed = parseJson(text);
  if (!parsed.ok) return { ads: [], problems: [{ at: 0, what: parsed.error }] };
  if (!Array.isArray(parsed.value)) return { ads: [], problems: [{ at: 0, what: "not a list of ads" }] };
  const ads: Ad[] = [];
  const problems: AdProblem[] = [];
  for (const item of parsed.value) {
    if (isRecord(item)) ads.push(jsonAd(item));
    else problems.push({ at: 0, what: "an entry that is no ad" });
  }
  return { ads, problems };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const jsonAd = (item: Record<string, unknown>): Ad =>
  new Map(Object.entries(item).map(([key, value]) => [key, jsonAdValue(value)]));

function jsonAdValue(value: unknown): AdValue {
  if (typeof value === "string") {
    const expression = /^\/Expr\(([\s\S]*)\)\/$/.exec(value);
    return expression ? { expression: expression[1]! } : value;
  }
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(jsonAdValue);
  return isRecord(value) ? jsonAd(value) : null;
}

const MAX_DEPTH = 64;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

class AdReader {
  readonly problems: AdProblem[] = [];
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  atEnd(): boolean {
    return this.at >= this.text.length;
  }
  peek(): string {
    return this.text[this.at] ?? "";
  }
  problem(what: string): void {
    if (this.problems.length < 100) this.problems.push({ at: this.at, what });
  }

  skipBlank(): void {
    for (;;) {
      while (!this.atEnd() && this.peek() <= " ") this.at++;
      if (this.text.startsWith("/*", this.at)) {
        const end = this.text.indexOf("*/", this.at + 2);
        if (end < 0) this.problem("a comment that does not end");
        this.at = end < 0 ? this.text.length : end + 2;
      } else if (this.text.startsWith("//", this.at)) {
        const end = this.text.indexOf("\n", this.at);
        this.at = end < 0 ? this.text.length : end + 1;
      } else return;
    }
  }

  /** Between ads: one problem for all that is not the beginning of an ad. */
  skipStray(): void {
    this.problem("text between ads");
    const next = this.text.indexOf("[", this.at);
    this.at = next < 0 ? this.text.length : next;
  }

  readAd(depth: number): Ad {
    const ad = new Map<string, AdValue>();
    this.at++; // "["
    for (;;) {
      this.skipBlank();
      if (this.atEnd()) {
        this.problem("an ad that does not end");
        return ad;
      }
      if (this.peek() === "]") {
        this.at++;
        return ad;
      }
      if (this.peek() === ";") {
        this.at++;
        continue;
      }
      const key = /[A-Za-z_'][\w.']*/y;
      key.lastIndex = this.at;
      const name = key.exec(this.text)?.[0];
      if (name === undefined) {
        this.problem("no attribute name");
        this.readExpression(";]");
        if (this.peek() !== "]" && !this.atEnd()) this.at++;
        continue;
      }
      this.at += name.length;
      this.skipBlank();
      if (this.peek() !== "=") this.problem(`no "=" after ${name}`);
      else {
        this.at++;
        ad.set(name, this.readValue(";]", depth));
      }
      if (this.peek() === ";") this.at++;
      else if (this.peek() !== "]" && !this.atEnd()) {
        this.readExpression(";]");
      }
    }
  }

  /** A literal when it is followed by one of `stops` or the end, else the expression up to there. */
  readValue(stops: string, depth: number): AdValue {
    this.skipBlank();
    const start = this.at;
    const problemsBefore = this.problems.length;
    const literal = this.readLiteral(depth);
    this.skipBlank();
    if (literal !== undefined && (this.atEnd() || stops.includes(this.peek()))) return literal;
    if (literal === undefined || this.problems.length === problemsBefore) this.at = start;
    return { expression: this.readExpression(stops) };
  }

  private readLiteral(depth: number): AdValue | undefined {
    const first = this.peek();
    if (first === '"') return this.readString();
    if (depth < MAX_DEPTH) {
      if (first === "[") return this.readAd(depth + 1);
      if (first === "{") return this.readList(depth + 1);
    }
    const word = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[A-Za-z_]+/y;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0];
    if (found === undefined) return undefined;
    this.at += found.length;
    if (/^[-\d]/.test(found)) return Number(found);
    const lower = found.toLowerCase();
    if (lower === "true") return true;
    if (lower === "false") return false;
    return lower === "undefined" || lower === "error" ? null : undefined;
  }

  private readList(depth: number): AdValue {
    const items: AdValue[] = [];
    this.at++; // "{"
    for (;;) {
      this.skipBlank();
      if (this.atEnd()) {
        this.problem("a list that does not end");
        return items;
      }
      const next = this.peek();
      if (next === "}" || next === ",") {
        this.at++;
        if (next === "}") return items;
        continue;
      }
      const before = this.at;
      items.push(this.readValue(",}", depth));
      if (this.at === before) this.at++; // a stray bracket: never stand still
    }
  }

  private readString(): string {
    let value = "";
    let from = ++this.at;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at];
      if (char === '"') {
        value += this.text.slice(from, this.at++);
        return value;
      }
      if (char === "\\" && this.at + 1 < this.text.length) {
        const escaped = this.text[this.at + 1]!;
        value += this.text.slice(from, this.at) + (ESCAPES[escaped] ?? escaped);
        from = ++this.at + 1;
      }
    }
    this.problem("a string that does not end");
    return value + this.text.slice(from);
  }

  /** Text up to one of `stops` outside strings and brackets. */
  private readExpression(stops: string): string {
    const start = this.at;
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      if (depth === 0 && stops.includes(char)) break;
      if (char === '"') {
        this.readString();
        this.at--;
      } else if ("([{".includes(char)) depth++;
      else if (")]}".includes(char)) depth = Math.max(0, depth - 1);
    }
    return this.text.slice(start, this.at).trim();
  }
}
