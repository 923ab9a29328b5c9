import type { NodeAction } from "../../core/operator.ts";
import type { AttemptRecord } from "../ledger-record.ts";

/**
 * What people said of failures that no rule knew. An answer is about one attempt: where the node fails again, that is a
 * new question. Whoever counts what waits for a decision goes by this.
 */
export type Answers = ReadonlyMap<string, NodeAction>;

export const NO_ANSWERS: Answers = new Map();

/** Of all that was said of attempts; a resubmit answers nothing. */
export const answersOf = (actions: readonly NodeAction[]): Answers =>
  new Map(actions.filter(({ kind }) => kind !== "resubmit").map((action) => [attemptKey(action), action]));

export const attemptKey = ({ unit, node, attempt }: { unit: string; node: string; attempt: number }): string =>
  `${unit}/${node} ${attempt}`;

/** Attempts are known by their cluster; what was never submitted has none, and is known by its place, which no cluster is. */
export function numbered<Line extends { readonly node: string; readonly cluster: number }>(
  lines: readonly Line[],
): readonly { readonly line: Line; readonly attempt: number }[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const count = (counts.get(line.node) ?? 0) + 1;
    counts.set(line.node, count);
    return { line, attempt: line.cluster > 0 ? line.cluster : -count };
  });
}

/** The ledger of a unit as it reads after what people said: given up for good, or to be tried again; the rest still waits. */
export function withAnswers(unit: string, lines: readonly AttemptRecord[], answers: Answers): readonly AttemptRecord[] {
  if (answers.size === 0 || !lines.some(({ decision }) => decision === "unclassified")) return lines;
  return numbered(lines).map(({ line, attempt }) => answered(line, answerTo(answers, unit, line, attempt)));
}

/** null: nobody has said anything, or there was nothing to say. */
export const answerTo = (
  answers: Answers,
  unit: string,
  { node, decision }: AttemptRecord,
  attempt: number,
): NodeAction | null => (decision === "unclassified" ? answers.get(attemptKey({ unit, node, attempt })) : null) ?? null;

export function answered(line: AttemptRecord, said: NodeAction | null): AttemptRecord {
  if (!said) return line;
  return said.kind === "fail"
    ? { ...line, decision: "stop", category: "permanent", why: "row-stops" }
    : { ...line, decision: "stop", why: "run-retries" };
}
