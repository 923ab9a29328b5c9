import type { MergeOutput } from "../catalogs/outputs/merge-output.ts";
import type { Result } from "../core/base/result.ts";
import { holdFor } from "../core/holds.ts";
import type { UnitName } from "../core/names.ts";
import type { HoldReason } from "../core/request.ts";

/** What a unit that is done left behind, and what does not agree with its plan (null: all of it does). */
export interface UnitLeft {
  readonly name: UnitName;
  readonly made: Result<MergeOutput, string>;
  readonly wrong: string | null;
}

interface UnitsDecision {
  /** To be recorded as owed to the catalog. */
  readonly finished: readonly { readonly name: UnitName; readonly made: MergeOutput }[];
  /** Not believed: they count as failed from here on. */
  readonly refused: readonly { readonly unit: UnitName; readonly reason: string }[];
  /** One left nothing that can be read. */
  readonly hold: HoldReason | null;
}

export function decideUnits(units: readonly UnitLeft[], submitDir: string): UnitsDecision {
  const unreadable = units.find(({ made }) => !made.ok);
  return {
    finished: units.flatMap(({ name, made, wrong }) => (made.ok && wrong === null ? [{ name, made: made.value }] : [])),
    refused: units.flatMap(({ name: unit, made, wrong }) =>
      made.ok && wrong !== null
        ? [{ unit, reason: `${unit} is done, but its merge_output.json cannot be believed: ${wrong}` }]
        : [],
    ),
    hold:
      unreadable && !unreadable.made.ok
        ? holdFor("unit-output-unreadable", `${unreadable.name} is done, but ${unreadable.made.error}`, {
            unit: unreadable.name,
            submitDir,
          })
        : null,
  };
}
