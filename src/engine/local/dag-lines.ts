/** One statement of a .dag file: comments and blank lines dropped, `\` continuations joined, CRLF accepted. */
export interface DagLine {
  /** Number of its first physical line, from 1. */
  readonly line: number;
  readonly words: readonly string[];
  readonly text: string;
}

export function* logicalLines(text: string): Generator<DagLine> {
  const physical = text.split("\n");
  for (let i = 0; i < physical.length; i++) {
    const line = i + 1;
    let joined = (physical[i] as string).replace(/\r$/, "");
    if (/^\s*#/.test(joined)) continue;
    while (joined.endsWith("\\") && i + 1 < physical.length) {
      i += 1;
      joined = `${joined.slice(0, -1)} ${(physical[i] as string).replace(/\r$/, "").trimStart()}`;
    }
    const trimmed = joined.trim();
    if (trimmed) yield { line, words: trimmed.split(/\s+/), text: trimmed };
  }
}

/** `k="v" k2="a \"b\""` as DAGMan unescapes it: \" is a quote, \\ a backslash; null when it does not parse. */
export function parseAssignments(text: string): [string, string][] | null {
  const pairs: [string, string][] = [];
  const pattern = /\s*([+\w.]+)\s*=\s*"((?:\\[\s\S]|[^"\\])*)"/y;
  while (pattern.lastIndex < text.length) {
    if (!text.slice(pattern.lastIndex).trim()) break;
    const match = pattern.exec(text);
    if (!match) return null;
    pairs.push([match[1] as string, (match[2] as string).replace(/\\(["\\])/g, "$1")]);
  }
  return pairs.length ? pairs : null;
}
