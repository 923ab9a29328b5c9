import { err, ok, type Result } from "../../base/result.ts";

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

export type ReadInclude = (path: string) => Result<string, string>;

interface Draft {
  readonly values: Map<string, string>;
  readonly attributes: Map<string, string>;
  queued: boolean;
}

export function parseSubmit(
  text: string,
  name: string,
  vars: readonly (readonly [string, string])[],
  readInclude: ReadInclude,
): Result<SubmitFile, string> {
  const draft: Draft = { values: new Map(), attributes: new Map(), queued: false };
  for (const [key, value] of vars) assign(draft, key, value);
  const fault = readText(text, name, draft, readInclude, 0);
  if (fault) return err(fault);
  if (!draft.queued) return err(`${name}: no queue statement`);
  return ok(draft);
}

function readText(text: string, name: string, draft: Draft, readInclude: ReadInclude, depth: number): string | null {
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const number = i + 1;
    let line = (lines[i] as string).trim();
    if (line.startsWith("#")) continue;
    while (line.endsWith("\\") && i + 1 < lines.length)
      line = `${line.slice(0, -1)} ${(lines[++i] as string).trim()}`.trim();
    if (!line) continue;
    const fault = readLine(line, draft, readInclude, depth);
    if (fault) return `${name} (line ${number}): ${fault}`;
    if (draft.queued) return null;
  }
  return null;
}

function readLine(line: string, draft: Draft, readInclude: ReadInclude, depth: number): string | null {
  const include = /^include(\s+\w+)?\s*:\s*(.+)$/i.exec(line);
  if (include) {
    if (include[1] && !/^\s+ifexist$/i.test(include[1])) return `include${include[1]} is not supported`;
    if (depth > 8) return "includes are nested too deeply";
    const path = expand(include[2] as string, draft.values);
    if (!path.ok) return path.error;
    const text = readInclude(path.value.trim());
    return text.ok ? readText(text.value, path.value, draft, readInclude, depth + 1) : text.error;
  }
  const queue = /^queue\b\s*(.*)$/i.exec(line);
  if (queue) {
    if (queue[1] && queue[1] !== "1") return `"${line}" is not supported: one job per node`;
    draft.queued = true;
    return null;
  }
  const assignment = /^(\+?[\w.]+)\s*=\s*(.*)$/.exec(line);
  if (!assignment) return `cannot read "${line.slice(0, 80)}"`;
  assign(draft, assignment[1] as string, assignment[2] as string);
  return null;
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
export function expand(value: string, values: ReadonlyMap<string, string>, depth = 0): Result<string, string> {
  if (!value.includes("$")) return ok(value);
  if (depth > 32) return err(`macros of "${value.slice(0, 80)}" never end`);
  let out = "";
  for (let i = 0; i < value.length; ) {
    if (value.startsWith("$$(", i)) {
      const end = closing(value, i + 2);
      out += value.slice(i, end + 1);
      i = end + 1;
      continue;
    }
    const called = /^\$([A-Za-z]+)\(/.exec(value.slice(i, i + 24));
    if (called) return err(`macro function $${called[1]}() is not supported`);
    if (!value.startsWith("$(", i)) {
      out += value[i];
      i += 1;
      continue;
    }
    const end = closing(value, i + 1);
    if (end < 0) return err(`"${value.slice(0, 80)}" has an open $(`);
    const body = expand(value.slice(i + 2, end), values, depth + 1);
    if (!body.ok) return body;
    const [name, fallback] = splitDefault(body.value);
    const found = values.get(name.trim().toLowerCase()) ?? fallback ?? "";
    const inner = expand(found, values, depth + 1);
    if (!inner.ok) return inner;
    out += inner.value;
    i = end + 1;
  }
  return ok(out);
}

function splitDefault(body: string): [string, string | undefined] {
  const colon = body.indexOf(":");
  return colon < 0 ? [body, undefined] : [body.slice(0, colon), body.slice(colon + 1)];
}

/** Index of the parenthesis that closes the one at `open`; -1: none. */
function closing(text: string, open: number): number {
  let level = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "(") level += 1;
    else if (text[i] === ")" && --level === 0) return i;
  }
  return -1;
}
