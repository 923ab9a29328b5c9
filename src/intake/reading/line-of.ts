import { isMap, isPair, isSeq, LineCounter, type Node } from "yaml";
import type { Problem } from "../../core/problem.ts";
import { yamlDocument } from "./yaml-document.ts";

/**
 * Finds the lines of a text where problems stand, by their paths in the document; null: nobody can say. What a path names and is
 * not written stands where the map or list around it does. JSON is YAML, too.
 */
export function makeLineFinder(text: string): (path: string) => number | null {
  const lines = new LineCounter();
  const document = yamlDocument(text, lines);
  return (path) => {
    if (path === "") return null;
    let at: unknown = document.contents;
    let offset: number | null = null;
    for (const step of stepsOf(path)) {
      const [next, start] = stepInto(at, step);
      if (start === null) break;
      [at, offset] = [next, start];
    }
    return offset === null ? null : lines.linePos(offset).line;
  };
}

/** Problems with the lines they stand at; those of the syntax say theirs themselves. */
export function problemsAtLines(text: string, problems: readonly Problem[]): readonly Problem[] {
  // A text that was too long to be read is not read here, either: what is wrong with it has no path.
  const lineOf = problems.some(({ path }) => path !== "") ? makeLineFinder(text) : () => null;
  return problems.map((problem) => {
    const line = Number(/^line (\d+)\b/.exec(problem.message)?.[1] ?? lineOf(problem.path) ?? 0);
    return line > 0 ? { ...problem, line } : problem;
  });
}

/** What stands under a key or number, and where it begins. */
function stepInto(node: unknown, step: string): [unknown, number | null] {
  if (isMap(node)) {
    const pair = node.items.find((item) => isPair(item) && String((item.key as { value?: unknown }).value) === step);
    return pair ? [pair.value, startOf(pair.key as Node)] : [null, null];
  }
  const item = isSeq(node) && /^\d+$/.test(step) ? node.items[Number(step)] : undefined;
  return item ? [item, startOf(item as Node)] : [null, null];
}

const startOf = (node: Node | null): number | null => node?.range?.[0] ?? null;

/** The other way round of childPath: jobs[1].after, attachments["a.sh"]. */
const stepsOf = (path: string): readonly string[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, key]) => key ?? index ?? (JSON.parse(`"${quoted}"`) as string),
  );
