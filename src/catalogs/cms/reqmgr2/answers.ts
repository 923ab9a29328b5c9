import { parseJson } from "../../../core/base/json.ts";
import { type Answer, busy, notLetIn, plainRefusal, type ServiceRules } from "../http/question.ts";
import { BrokenAnswer, isRow, type Row } from "../http/rows.ts";
import type { Refusal } from "../services.ts";

const FIXES: Readonly<Record<string, string>> = {
  "1101": "the request is in another status there: look at it in ReqMgr2",
  "1102": "ReqMgr2 does not know the argument, or not that value: see its message",
};

/** Errors are told in headers. */
function refusal(answer: Answer): Refusal {
  const { "x-rest-status": code, "x-error-detail": detail } = answer.headers;
  if (code === undefined) return plainRefusal(answer);
  return { kind: "refused", code, message: detail ?? "no words", fix: FIXES[code] ?? "see the message of ReqMgr2" };
}

export const REQMGR2_RULES: ServiceRules = {
  name: "reqmgr2",
  requestsPerSec: 20,
  concurrency: 4,
  outage: (answer) => notLetIn(answer) ?? busy(answer),
  refusal,
  brokenRow: () => null,
};

function resultOf(value: unknown): readonly unknown[] {
  const result = isRow(value) ? value.result : null;
  if (!Array.isArray(result)) throw new BrokenAnswer("the answer has no result");
  return result;
}

export const isUnknown = ({ status }: Answer): boolean => status === 404;

/** null: there is none of that name. */
export function readRequest(value: unknown, name: string): Row | null {
  const found = resultOf(value)
    .filter(isRow)
    .find((row) => Object.hasOwn(row, name))?.[name];
  return isRow(found) ? found : null;
}

/** Names only; a server that sends documents all the same wraps them in their names. */
export const readNames = (value: unknown): readonly string[] =>
  resultOf(value).flatMap((item) => (typeof item === "string" ? [item] : isRow(item) ? Object.keys(item) : []));

/** null: it was done. An answer of 200 may say ERROR. */
export function readUpdate({ text }: Answer, name: string): Refusal | null {
  const parsed = parseJson(text);
  const said = parsed.ok && isRow(parsed.value) && Array.isArray(parsed.value.result) ? parsed.value.result[0] : null;
  if (isRow(said) && said[name] === "OK") return null;
  const message = `the update was answered with ${text.slice(0, 200)}`;
  return { kind: "refused", code: "ERROR", message, fix: "look at the request in ReqMgr2" };
}
