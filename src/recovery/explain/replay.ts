import { parseJson } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Problem } from "../../core/problem.ts";
import { readAttempt } from "../attempt.ts";
import { decideAttempt } from "../decide.ts";
import type { Decision } from "../decision.ts";
import { historyOf, type LedgerProblem, parseLedger } from "../ledger-record.ts";
import { builtinPolicy, type Policy } from "../policy.ts";
import { readPolicy } from "../read-policy.ts";
import { otherSpeech } from "./policy.ts";

interface Replay {
  readonly decision: Decision;
  /** With the other meaning of short codes, where that makes a difference. */
  readonly other: Decision | null;
  /** What is wrong with the ledger; the decision stands on the lines that could be read. */
  readonly ledgerProblems: readonly LedgerProblem[];
}

/** A recorded attempt decided again, from texts: what a file says, never an exception. */
export function replay(
  texts: { readonly attempt: string; readonly history: string; readonly policy: unknown },
  now: Date,
): Result<Replay, Problem[]> {
  if (Number.isNaN(now.getTime())) return err([{ path: "now", message: "is no time", allowed: null }]);
  const json = parseJson(texts.attempt);
  if (!json.ok) return err([{ path: "attempt", message: `is no JSON: ${json.error}`, allowed: null }]);
  const attempt = readAttempt(json.value);
  const policy = policyFrom(texts.policy);
  if (!attempt.ok || !policy.ok)
    return err([
      ...(attempt.ok ? [] : within("attempt", attempt.error)),
      ...(policy.ok ? [] : within("policy", policy.error)),
    ]);
  const ledger = parseLedger(texts.history);
  const history = historyOf(ledger.lines, attempt.value.node);
  const [decision, other] = [policy.value, otherSpeech(policy.value)].map((one) =>
    decideAttempt(attempt.value, history, one, now),
  ) as [Decision, Decision];
  const differs = decision.row?.id !== other.row?.id;
  return ok({ decision, other: differs ? other : null, ledgerProblems: ledger.problems });
}

function policyFrom(document: unknown): Result<Policy, Problem[]> {
  return document === null || document === undefined ? ok(builtinPolicy()) : readPolicy(document, "policy");
}

const within = (what: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ path, ...rest }) => ({ path: path === "" ? what : `${what}.${path}`, ...rest }));
