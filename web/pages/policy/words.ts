import type { Tone } from "../../ui/badge.tsx";
import { quoted } from "../../words.ts";

/** What becomes of an attempt, as on other pages. */
const DECISION_LOOK: Readonly<Record<string, readonly [Tone, string, string]>> = {
  done: ["done", "✓", "It is done"],
  succeed: ["done", "✓", "It is done"],
  retry: ["retrying", "↻", "It would be retried"],
  stop: ["failed", "F", "It would stop"],
  unclassified: ["held", "?", "A person would be asked"],
  abort: ["failed", "✕", "The run would be aborted"],
};
export const lookOf = (decision: string): readonly [Tone, string, string] =>
  DECISION_LOOK[decision] ?? ["waiting", "·", decision];

/** The question that the address asks; null: none. */
export interface Asked {
  readonly code: number;
  readonly request?: string;
  readonly site?: string;
  readonly attempt: number;
  readonly stderr?: string;
}
type Get = (key: string) => string | undefined;

export function readAsked(get: Get): Asked | null {
  const code = get("code")?.trim() ?? "";
  if (!/^-?\d{1,6}$/.test(code)) return null;
  const [request, site, stderr] = ["request", "site", "stderr"].map((key) => get(key)?.trim() || undefined);
  const attempt = Number(get("attempt") ?? 1);
  return {
    code: Number(code),
    attempt: Number.isInteger(attempt) && attempt >= 1 && attempt <= 100 ? attempt : 1,
    ...(request && { request }),
    ...(site && { site }),
    ...(stderr && { stderr }),
  };
}

export const cliExplain = ({ code, site, attempt, stderr }: Asked): string =>
  [
    "wms2 policy explain",
    site && `--site ${quoted(site)}`,
    attempt > 1 && `--attempt ${attempt}`,
    stderr && `--stderr ${quoted(stderr)}`,
    code < 0 ? `-- ${code}` : code,
  ]
    .filter(Boolean)
    .join(" ");

/** Whether the policy has changed its mind, in one sentence. */
export function replaySentence(
  before: { readonly decision: string; readonly rule: string | null },
  present: { readonly decision: string; readonly rule: string | null },
): string {
  if (before.decision === present.decision && before.rule === present.rule)
    return `The same would be decided now: ${present.decision}, by the same rule.`;
  if (before.decision === present.decision)
    return `The same would be decided now (${present.decision}), by another rule: ${present.rule ?? "none"}.`;
  return `It would be decided otherwise now: ${present.decision}, not ${before.decision}.`;
}
