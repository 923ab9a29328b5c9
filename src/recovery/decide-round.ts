import type { HoldReason } from "../domain/request.ts";

/** What went wrong in a round, summed up for a person. */
export interface RoundFailures {
  readonly unitsTotal: number;
  readonly unitsFailed: readonly string[];
  readonly endReason: string;
  /** The first few nodes that gave up, with the reason their last attempt gave. */
  readonly examples: readonly { readonly unit: string; readonly node: string; readonly reason: string }[];
}

const NAMED = 5;

/** A round that ended with failures waits for a person, who is told what failed first. */
export function holdForFailures(failures: RoundFailures | null): {
  readonly kind: "hold";
  readonly hold: HoldReason;
} {
  const message = failures ? describe(failures) : "the round ended with failures";
  return {
    kind: "hold",
    hold: { code: "units-failed", message, evidence: { ...failures }, actions: ["abort"] },
  };
}

function describe(failures: RoundFailures): string {
  const first = failures.examples[0];
  const why = first ? `; first: ${first.unit}/${first.node}: ${first.reason}` : `; ${failures.endReason}`;
  const named = failures.unitsFailed.slice(0, NAMED).join(", ");
  const more = failures.unitsFailed.length > NAMED ? ` and ${failures.unitsFailed.length - NAMED} more` : "";
  return failures.unitsFailed.length === 0
    ? failures.endReason
    : `${failures.unitsFailed.length} of ${failures.unitsTotal} units failed (${named}${more})${why}`;
}
