import { isAttempt, parseLedger } from "../recovery/ledger-record.ts";
import { type Answers, answered, answerTo, NO_ANSWERS, numbered } from "../recovery/round/answers.ts";
import type { FailedNode } from "../recovery/round/recover.ts";
import { isFinal } from "../recovery/round/tally.ts";
import type { Ports } from "./ports.ts";

/** The nodes of these units whose last word is a failure that nothing follows by itself; one ledger at a time. */
export async function failedNodes(
  { spool }: Pick<Ports, "spool">,
  submitDir: string,
  units: readonly string[],
  answers: Answers = NO_ANSWERS,
): Promise<readonly FailedNode[]> {
  const found: FailedNode[] = [];
  for await (const { unit, text } of spool.ledgers(submitDir, units)) {
    const last = new Map<string, FailedNode>();
    for (const { line, attempt } of numbered(parseLedger(text ?? "").lines.filter(isAttempt))) {
      const said = answerTo(answers, unit, line, attempt);
      last.set(line.node, { unit, node: line.node, record: answered(line, said), ...(said && { said }) });
    }
    found.push(...[...last.values()].filter(({ record }) => record.decision !== "done" && isFinal(record)));
  }
  return found;
}
