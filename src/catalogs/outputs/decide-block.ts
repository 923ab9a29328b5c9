import { isDue, secondsBetween } from "../../core/base/clock.ts";
import type { OutputBlockFacts, OutputStep, UnitOutputState } from "../../core/output-block.ts";

/** How long a block is tried (docs/adr/0014-output-ledger.md). */
export interface OutputPatience {
  /** Seconds before each next try; the last one stands for all further. */
  readonly backoffSec: readonly number[];
  /** After how long of nothing but failures a person is asked. */
  readonly giveUpAfterSec: number;
  /** Of a catalog that is asked in each pass: after how many refusals a person is asked. null: by time alone. */
  readonly maxRefusals: number | null;
}

/** A catalog that answers at once is asked in each pass; any other ever less often. */
export const patienceFor = (retries: "each-pass" | "backoff", limits: OutputPatience): OutputPatience =>
  retries === "each-pass" ? { ...limits, backoffSec: [0] } : { ...limits, maxRefusals: null };

export type BlockDecision =
  | { readonly kind: "run"; readonly step: OutputStep }
  /** No unit is added from here on. */
  | { readonly kind: "seal" }
  /** It is too small to stand alone, and all units of its workflow are there: with what else is left over, or by itself. */
  | { readonly kind: "settle" }
  | { readonly kind: "done" }
  | { readonly kind: "give-up" }
  | { readonly kind: "withdraw-rules" }
  | { readonly kind: "withdraw-files"; readonly state: UnitOutputState }
  | { readonly kind: "withdrawn" }
  /** until null: for its other units. */
  | { readonly kind: "wait"; readonly until: Date | null };

/** The receipt of having deleted the rules of a block. */
export const RULES_WITHDRAWN = "withdraw-rules";

/** One block, one look, one decision. */
export function decideBlock(
  block: OutputBlockFacts,
  steps: readonly OutputStep[],
  patience: OutputPatience,
  now: Date,
): BlockDecision {
  const { status, nextTryAt } = block;
  if (status !== "open" && status !== "withdrawing") return { kind: "wait", until: null };
  if (status === "open" && isHopeless(block, patience, now)) return { kind: "give-up" };
  if (!isDue(nextTryAt, block.updatedAt, now)) return { kind: "wait", until: nextTryAt };
  if (status === "withdrawing") return decideWithdrawal(block);
  for (const step of steps) {
    if (step.when === "firm" && !block.isFirm) return decideRest(block);
    if (step.when === "after-last-unit" && !block.isSealed) return decideRest(block);
    const isOwed = step.when === "each-unit" ? block.units[step.takes] > 0 : !(step.name in block.receipts);
    if (isOwed) return { kind: "run", step };
  }
  return block.isSealed ? { kind: "done" } : decideRest(block);
}

/** All is done that can be while units may come. */
function decideRest({ hasAllUnits, isFirm }: OutputBlockFacts): BlockDecision {
  if (!hasAllUnits) return { kind: "wait", until: null };
  return { kind: isFirm ? "seal" : "settle" };
}

/**
 * Some units were refused at these steps just now: the block's other units go on without them, and nothing is closed. Of
 * what is small, at the end, they go on in a block of their own.
 */
export function decideBeside(
  refusedAt: ReadonlySet<string>,
  block: OutputBlockFacts,
  steps: readonly OutputStep[],
  patience: OutputPatience,
  now: Date,
): BlockDecision {
  if (refusedAt.size === 0) return decideBlock(block, steps, patience, now);
  const others = steps.filter(({ name, when }) => !refusedAt.has(name) && when !== "after-last-unit");
  const decision = decideBlock({ ...block, isSealed: false, refusals: 0, nextTryAt: now }, others, patience, now);
  return decision.kind === "seal" ? { kind: "wait", until: null } : decision;
}

/** By time, whatever fails; a catalog that is asked in each pass, by its refusals: one that is away comes back. */
function isHopeless(
  { refusals, failingSince }: OutputBlockFacts,
  { giveUpAfterSec, maxRefusals }: OutputPatience,
  now: Date,
): boolean {
  if (maxRefusals !== null) return refusals >= maxRefusals;
  return failingSince !== null && secondsBetween(failingSince, now) >= giveUpAfterSec;
}

/** Rules first: a file that is invalid and still protected does no harm, one that is valid and unprotected may vanish. */
function decideWithdrawal({ begun, receipts, units }: OutputBlockFacts): BlockDecision {
  if (begun.length > 0 && !(RULES_WITHDRAWN in receipts)) return { kind: "withdraw-rules" };
  const state = (["registered", "replicated", "owed"] as const).find((one) => units[one] > 0);
  return state ? { kind: "withdraw-files", state } : { kind: "withdrawn" };
}

/** When a step that failed is tried again. What a service refuses needs a person: it is tried with the longest wait. */
export function nextTry({ tries }: { tries: number }, isRefused: boolean, patience: OutputPatience, now: Date): Date {
  const { backoffSec } = patience;
  const at = isRefused ? backoffSec.length - 1 : Math.min(tries, backoffSec.length - 1);
  return new Date(now.getTime() + (backoffSec[at] ?? 0) * 1000);
}
