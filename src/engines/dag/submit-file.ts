import { Fault, logicalLines, within } from "./lines.ts";

/**
 * A submit description as condor_submit reads it: `key = value` lines, case-insensitive keys, values expanded
 * only at `queue`, so that an include further down still counts. Reading files is the caller's, since an
 * include must be read at every submission (facts: the elected site and boosts arrive that way).
 */
export interface SubmitFile {
  /** Lower-case key → unexpanded value. Attributes (`My.X`, `+X`) are kept as `my.x`. */
  readonly values: ReadonlyMap<string, string>;
  /** Attribute names as they were written, by their `my.x` key. */
  readonly attributes: ReadonlyMap<string, string>;
}

export type ReadInclude = (path: string) => string;

interface Draft {
  readonly values: Map<string, string>;
  readonly attributes: Map<string, string>;
  queued: boolean;
}

/** Throws a Fault, as `expand` does. */
export function parseSubmit(
  text: string,
  name: string,
  vars: readonly (readonly [string, string])[],
  readInclude: ReadInclude,
): SubmitFile {
  const draft: Draft = { values: new Map(), attributes: new Map(), queued: false };
  for (const [key, value] of vars) assign(draft, key, value);
  readText(text, name, draft, readInclude, 0);
  if (!draft.queued) throw new Fault(`${name}: no queue statement`);
  return draft;
}

function readText(text: string, name: string, draft: Draft, readInclude: ReadInclude, depth: number): void {
  for (const { line, text: source } of logicalLines(text)) {
    within(`${name} (line ${line}): `, () => readLine(source, draft, readInclude, depth));
    if (draft.queued) return;
  }
}

function readLine(line: string, draft: Draft, readInclude: ReadInclude, depth: number): void {
  const include = /^include(\s+\w+)?\s*:\s*(.+)$/i.exec(line);
  if (include) {
    if (include[1] && !/^\s+ifexist$/i.test(include[1])) throw new Fault(`include${include[1]} is not supported`);
    if (depth > 8) throw new Fault("includes are nested too deeply");
    const path = expand(include[2] as string, draft.values).trim();
    readText(readInclude(path), path, draft, readInclude, depth + 1);
    return;
  }
  const queue = /^queue\b\s*(.*)$/i.exec(line);
  if (queue) {
    if (queue[1] && queue[1] !== "1") throw new Fault(`"${line}" is not supported: one job per node`);
    draft.queued = true;
    return;
  }
  const assignment = /^(\+?[\w.]+)\s*=\s*(.*)$/.exec(line);
  if (!assignment) throw new Fault(`cannot read "${line.slice(0, 80)}"`);
  assign(draft, assignment[1] as string, assignment[2] as string);
}

function assign(draft: Draft, key: string, value: string): void {
  const attribute = key.startsWith("+") ? key.slice(1) : /^my\./i.test(key) ? key.slice(3) : null;
  const lower = attribute === null ? key.toLowerCase() : `my.${attribute.toLowerCase()}`;
  if (attribute !== null) draft.attributes.set(lower, attribute);
  // A value that names itself means what it was before this line; everything else waits for `queue`.
  const own = draft.values.get(lower) ?? "";
  const self = new RegExp(`\\$\\(${lower.replace(/[.]/g, "\\.")}\\)`, "gi");
  draft.values.set(lower, self.test(value) ? value.replace(self, () => own) : value);
}

/** Expands $(X) and $(X:default), inner ones first; $$(…) belongs to matchmaking and stays as it is. */
export function expand(value: string, values: ReadonlyMap<string, string>, depth = 0): string {
  if (!value.includes("$")) return value;
  if (depth > 32) throw new Fault(`macros of "${value.slice(0, 80)}" never end`);
  let out = "";
  for (let i = 0; i < value.length; ) {
    const called = /^\$([A-Za-z]+)\(/.exec(value.slice(i, i + 24));
    if (called) throw new Fault(`macro function $${called[1]}() is not supported`);
    const later = value.startsWith("$$(", i);
    if (!later && !value.startsWith("$(", i)) {
      out += value[i];
      i += 1;
      continue;
    }
    const end = closing(value, i);
    if (end < 0) throw new Fault(`"${value.slice(0, 80)}" has an open $(`);
    const start = i;
    i = end + 1;
    if (later) {
      out += value.slice(start, i);
      continue;
    }
    const body = expand(value.slice(start + 2, end), values, depth + 1);
    const [, name = "", fallback = ""] = /^([^:]*):?(.*)$/s.exec(body) ?? [];
    out += expand(values.get(name.trim().toLowerCase()) ?? fallback, values, depth + 1);
  }
  return out;
}

/** Index of the parenthesis that closes the first one from `start` on; -1: none. */
function closing(text: string, start: number): number {
  let level = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "(") level += 1;
    else if (text[i] === ")" && --level === 0) return i;
  }
  return -1;
}
