import type { ProblemView } from "../../../src/operations/operation.ts";

type DocumentProblem = NonNullable<ProblemView["problems"]>[number];

/** Where a line begins and ends in its text; one that is not there is the last. */
export function placeOfLine(text: string, line: number): { readonly from: number; readonly to: number } {
  const lines = text.split("\n");
  const at = Math.max(0, Math.min(lines.length, line) - 1);
  const from = lines.slice(0, at).reduce((sum, { length }) => sum + length + 1, 0);
  return { from, to: from + lines[at]!.length };
}

/** What is wrong in each line. */
export function marksOf(problems: readonly DocumentProblem[]): ReadonlyMap<number, string> {
  const marks = new Map<number, string>();
  for (const { line, path, message } of problems) {
    if (line === undefined) continue;
    const text = [path, message].filter(Boolean).join(" ");
    const before = marks.get(line);
    marks.set(line, before ? `${before}; ${text}` : text);
  }
  return marks;
}

/** In the order of the text; what has no line comes first, since it is about the whole. */
export const inOrder = (problems: readonly DocumentProblem[]): readonly DocumentProblem[] =>
  problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
