import type { OutputBlockFacts } from "./output-block.ts";

/** What a block waits for, and since when something of it waits to be registered in the catalog; null: nothing does. */
export function explainBlock({ status, createdAt, units, isFirm, hasAllUnits }: OutputBlockFacts): {
  readonly waitsFor: string | null;
  readonly waitingSince: Date | null;
} {
  if (status === "failed") return { waitsFor: "a person", waitingSince: createdAt };
  if (status === "withdrawing") return { waitsFor: "its rules and files to be taken back", waitingSince: null };
  if (status !== "open") return { waitsFor: null, waitingSince: null };
  if (hasAllUnits || units.owed > 0 || (isFirm && units.replicated > 0))
    return { waitsFor: "its next step", waitingSince: createdAt };
  const forMore = isFirm
    ? "work units that are still to come"
    : "more work units of its site: it is small, and is registered in DBS when it has grown, or at the end with what else is left over";
  return { waitsFor: units.replicated > 0 ? forMore : "work units that are still to come", waitingSince: null };
}
