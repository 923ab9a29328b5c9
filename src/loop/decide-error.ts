import { secondsBetween } from "../core/base/clock.ts";
import { describeError, diskFull, InvariantError, WorldError, whereOf } from "../core/base/errors.ts";
import { holdFor } from "../core/holds.ts";
import type { HoldReason, PassError, RequestRecord } from "../core/request.ts";
import { PATIENT } from "./explain-wait.ts";
import type { LoopPolicy } from "./ports.ts";

/** The outside world behind an error; null: a bug of ours. */
export const worldOf = (error: unknown, name: string): WorldError | null =>
  error instanceof WorldError ? error : diskFull(error, name);

/** What is kept of a pass that failed on a request, and the hold that is due: for a bug at once, else when it goes on. */
export function decideError(
  { error: last, spec }: Pick<RequestRecord, "error" | "spec">,
  error: unknown,
  /** Names the line of the log that has the whole stack; null: the world failed, there is none. */
  correlation: string | null,
  policy: Pick<LoopPolicy, "diskPatienceSec" | "maxErrors">,
  now: Date,
): { readonly kept: PassError; readonly hold: HoldReason | null } {
  const world = worldOf(error, spec.name);
  const code = world?.code ?? "bug";
  const message = describeError(world ?? error);
  const hint = world?.hint ?? "this is a bug of wms2: please report it";
  const before = last?.code === code ? last : null;
  const kept = { code, message, hint, since: before?.since ?? now, count: (before?.count ?? 0) + 1 };
  if (!world) {
    const name = error instanceof Error ? error.name : typeof error;
    const said = error instanceof InvariantError ? { evidence: error.evidence } : {};
    const evidence = { error: name, message, where: whereOf(error), correlation, ...said };
    return { kept, hold: holdFor("bug", message, evidence) };
  }
  const isDue =
    code === "disk-unwritable"
      ? secondsBetween(kept.since, now) >= policy.diskPatienceSec
      : code === "too-long" || (!PATIENT.has(code) && kept.count >= policy.maxErrors);
  const evidence = { error: code, subject: world.subject, hint };
  const named = code === "disk-unwritable" || code === "too-long" ? code : "keeps-failing";
  return { kept, hold: isDue ? holdFor(named, message, evidence) : null };
}
