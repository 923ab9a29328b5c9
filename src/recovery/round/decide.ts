import { listed, percent, plural } from "../../core/base/text.ts";
import type { HoldCode } from "../../core/holds.ts";
import type { HoldReason, RecoverySpec } from "../../core/request.ts";
import { shapeOf } from "../../core/roles.ts";
import type { RunVerdict } from "../../core/run.ts";
import { sorted } from "./counts.ts";
import { describeDamage, type UnitDamage } from "./damage.ts";
import {
  onlyMoves,
  type Reelection,
  reelectUnits,
  type SiteFacts,
  type SortedUnits,
  sitesLeft,
  sortUnits,
} from "./failed-units.ts";
import { causeOf, hold, progress } from "./hold-round.ts";
import { type Exclusion, type FilesOfUnits, sortFiles } from "./sort-files.ts";
import type { RoundTally } from "./tally.ts";

/** What is known of a round when its run has ended. */
export interface RoundFacts extends SiteFacts {
  readonly verdict: RunVerdict;
  /** The engine's own words about the end. */
  readonly text: string;
  /** What a person calls a unit of this kind of request. */
  readonly unitWord: string;
  readonly unitsTotal: number;
  /** Units of this round that have a row in the store. */
  readonly unitsDone: number;
  /** Names of units that have a row; those of earlier rounds do no harm. */
  readonly finishedUnits: ReadonlySet<string>;
  /** As the engine says. */
  readonly failedUnits: readonly string[];
  readonly tally: RoundTally;
  /** Rescues because of failures, in this round, since the last release; stops do not count. */
  readonly rescuesUsed: number;
  /** Rescues in a row because the engine's own program broke off, up to its last run. */
  readonly repairsUsed: number;
  readonly stopRequested: boolean;
  /** Share of failed units at which a round is held (0.2), and failure-rescues of one round (3). */
  readonly policy: Pick<RecoverySpec, "holdThreshold" | "maxRescues">;
  /** There is work beyond this round, attempted files included. */
  readonly workRemains: boolean;
  /** Files of the failed units; empty for generation. */
  readonly filesOf: FilesOfUnits;
  readonly directory: "complete" | "gone";
  /** Unfinished units whose own directory cannot be used any more. */
  readonly damaged: readonly UnitDamage[];
}

export type RoundDecision =
  | { readonly kind: "complete"; readonly reason: string }
  | { readonly kind: "next-round"; readonly reason: string }
  | {
      readonly kind: "rescue";
      /** repair: the run broke off though no job failed; counted apart from those for failures. */
      readonly rescueKind: "failure" | "repair";
      readonly reelectUnits: readonly Reelection[];
      /** Failed units a rescue cannot help: not to be run again by it. */
      readonly leaveOut: readonly string[];
      readonly reason: string;
    }
  | {
      readonly kind: "exclude-files";
      readonly exclude: readonly Exclusion[];
      readonly attempted: readonly string[];
      readonly reason: string;
    }
  /** A person stopped it: it goes on from its rescue when resumed, and that rescue is not counted. */
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "hold"; readonly hold: HoldReason; readonly reason: string };

/**
 * What becomes of a round whose run has ended. Failed units count against one threshold; transient trouble is
 * rescued, proved bad files are excluded, everything else waits for a person. Nothing here ever gives a request up:
 * only people do that.
 */
export function decideRound(facts: RoundFacts): RoundDecision {
  const { verdict, unitsDone, unitsTotal } = facts;
  if (unitsDone >= unitsTotal) return roundDone(facts);
  if (facts.stopRequested && (verdict === "failed" || verdict === "removed" || verdict === "halted"))
    return { kind: "stopped", reason: `stopped on request, with ${progress(facts)}` };
  if (facts.directory === "gone")
    return hold(facts, "submit-directory-gone", `its submit directory is gone; ${progress(facts)}`);
  // Their rescue would fail without a word, as the run did.
  if (facts.damaged.length > 0)
    return hold(facts, "unit-directory-damaged", `${describeDamage(facts.damaged)}; ${progress(facts)}`);
  if (verdict === "failed") return decideFailed(facts, sortUnits(facts));
  const [code, reason] = HELD_FOR[verdict];
  return hold(facts, code, reason(facts));
}

/** A run that ended in any other way than by its failures waits for a person. */
const HELD_FOR: Readonly<Record<Exclude<RunVerdict, "failed">, [HoldCode, (facts: RoundFacts) => string]>> = {
  aborted: ["run-aborted", (facts) => `the run ended itself early${causeOf(facts)}; ${progress(facts)}`],
  removed: ["removed-from-outside", (facts) => `somebody took the run out of the queue; ${progress(facts)}`],
  halted: ["halted-from-outside", (facts) => `somebody halted the run; ${progress(facts)}`],
  unreadable: ["dag-unreadable", ({ text }) => `the engine cannot read the DAG: ${text}`],
  lost: [
    "run-lost",
    (facts) => `the engine has no trace of the run, and jobs of it may still be somewhere; ${progress(facts)}`,
  ],
  success: ["units-unaccounted", (facts) => `the run succeeded, but only ${progress(facts)}`],
};

function roundDone({ workRemains, unitsTotal, unitWord }: RoundFacts): RoundDecision {
  const reason = `${unitsTotal === 1 ? `its ${unitWord} is` : `all ${plural(unitsTotal, unitWord)} are`} done`;
  return workRemains
    ? { kind: "next-round", reason: `${reason} and work remains` }
    : { kind: "complete", reason: `${reason} and no work is left` };
}

function decideFailed(facts: RoundFacts, units: SortedUnits): RoundDecision {
  const { policy, unitsTotal, unitWord, rescuesUsed } = facts;
  const failed = units.failed;
  const moves = reelectUnits(units.open, facts);
  // No signs of a bad request: what only has to move (the rescue places it elsewhere), and where no job failed.
  const moving = units.open.filter((unit) => onlyMoves(unit, moves, facts)).length;
  const counted = failed - moving - units.open.filter(({ isCutOff }) => isCutOff).length;
  const ratio = counted / Math.max(unitsTotal, 1);
  const count = `${failed} of ${plural(unitsTotal, unitWord)} failed${blockedText(facts, failed)}`;
  if (units.unclassified.length > 0)
    return hold(
      facts,
      "unclassified-failures",
      // How many are left changes with every decision: whoever wants the number asks for it.
      `no rule knows its failures, or some of them: a person has to say what they mean${causeOf(facts)}`,
    );
  const nothingToRescue = units.open.length === 0 && failed > 0;
  if (nothingToRescue && failed > units.data.length) return holdForGood(facts, units, count);
  if (counted > 1 && ratio >= policy.holdThreshold)
    return hold(
      facts,
      "failure-threshold",
      `${count}${moving > 0 ? `, ${moving} of them only for their site` : ""}: ${percent(ratio)}, and ${percent(policy.holdThreshold)} is the limit${causeOf(facts)}`,
    );
  if (nothingToRescue) return excludeBadFiles(facts, units);
  const isBroken = units.open.length === failed && units.open.every(({ isCutOff }) => isCutOff);
  if (isBroken && facts.repairsUsed >= MOST_REPAIRS)
    return hold(
      facts,
      "run-broken",
      `the run broke off again after ${plural(facts.repairsUsed, "repair")}, and no job had failed${brokenBy(facts)}; ${progress(facts)}`,
    );
  if (!isBroken && rescuesUsed >= policy.maxRescues)
    return hold(facts, "rescues-used-up", `${count}; ${rescuesText(rescuesUsed, policy.maxRescues)}${causeOf(facts)}`);
  if (sitesLeft(facts.possibleSites, facts.bannedSites)?.length === 0)
    return hold(facts, "no-site-left", `every site it may use is banned (${listed(facts.bannedSites)}); ${count}`);
  if (isBroken) return repair(facts, units, moves);
  return rescue(facts, units, moves, count);
}

/** In a row: an engine that does not get over its trouble by then needs a person. */
export const MOST_REPAIRS = 5;

const brokenBy = ({ text }: RoundFacts): string => (text === "" ? "" : ` (${text})`);

/** Nothing of the request is at fault, so none of its own rescues is used. */
function repair(facts: RoundFacts, units: SortedUnits, moves: readonly Reelection[]): RoundDecision {
  const again = `goes on where it was, repair ${facts.repairsUsed + 1} of ${MOST_REPAIRS} in a row`;
  return {
    kind: "rescue",
    rescueKind: "repair",
    reelectUnits: moves,
    leaveOut: units.beyondRescue.map(({ unit }) => unit),
    reason: `the run broke off with ${progress(facts)}, and no job had failed${brokenBy(facts)}; ${again}`,
  };
}

/** Why no rescue follows. */
const rescuesText = (used: number, most: number): string =>
  most === 0 ? "no automatic retries allowed" : `${plural(used, "automatic rescue")} of ${most} used`;

/** Jobs of a graph that neither failed nor ran: they wait for those that failed, and count against nothing. */
function blockedText({ failedUnits, unitsTotal, unitsDone }: RoundFacts, failed: number): string {
  const isGraph = failedUnits.some((unit) => shapeOf(unit).layout === "flat");
  const blocked = unitsTotal - unitsDone - failed;
  return isGraph && blocked > 0 ? ` and ${failed === 1 ? "blocks" : "block"} ${plural(blocked, "other")}` : "";
}

function rescue(facts: RoundFacts, units: SortedUnits, moves: readonly Reelection[], count: string): RoundDecision {
  const { rescuesUsed, policy } = facts;
  const away = sorted(moves.flatMap(({ avoidSites }) => avoidSites));
  const moved =
    moves.length === 0 ? "" : `; ${plural(moves.length, facts.unitWord)} to be placed away from ${listed(away)}`;
  return {
    kind: "rescue",
    rescueKind: "failure",
    reelectUnits: moves,
    leaveOut: units.beyondRescue.map(({ unit }) => unit),
    reason: `${count}${causeOf(facts)}; rescue ${rescuesUsed + 1} of ${policy.maxRescues}${moved}`,
  };
}

function excludeBadFiles(facts: RoundFacts, units: SortedUnits): RoundDecision {
  const { exclude, attempted } = sortFiles(units.data, facts.filesOf, facts.finishedUnits, facts.tally.files);
  const others =
    attempted.length === 0
      ? ""
      : `; ${plural(attempted.length, "other file")} of the same ${facts.unitWord}s will be tried again`;
  return {
    kind: "exclude-files",
    exclude,
    attempted,
    reason: `${plural(units.data.length, facts.unitWord)} failed only for bad files, now excluded: ${listed(exclude.map(({ lfn }) => lfn))}${others}`,
  };
}

function holdForGood(facts: RoundFacts, units: SortedUnits, count: string): RoundDecision {
  if (units.spent.length > 0) {
    const rules = [...new Set(units.spent.flatMap(({ spentRules }) => spentRules))];
    const used = rules.length > 0 ? `the retries of ${listed(rules)}` : "their executions";
    const whose = plural(units.spent.length, `${facts.unitWord} has`, `${facts.unitWord}s have`);
    return hold(
      facts,
      rules.length > 0 ? "retries-used-up" : "executions-used-up",
      `${count}, and ${whose} ${facts.unitWord === "job" ? "" : "nodes that "}used up ${used}${causeOf(facts)}`,
    );
  }
  if (units.permanent.length > 0)
    return hold(facts, "permanent-failures", `${count}, and a retry would change nothing${causeOf(facts)}`);
  const torn = sortFiles(units.torn, facts.filesOf, facts.finishedUnits, facts.tally.files).torn;
  return hold(
    facts,
    "bad-files-in-torn-units",
    `${count} for bad files, but they also hold parts of ${listed(torn)}, whose other parts are done`,
  );
}
