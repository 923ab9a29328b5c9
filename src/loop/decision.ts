import type { QueueEntry } from "../core/admission.ts";
import type { Dag, DagStatus, EngineIntent, NodeTally, RescueKind, UnitTally } from "../core/dag.ts";
import { type EvidenceOf, type HoldCode, holdFor } from "../core/holds.ts";
import type { DagId, UnitName } from "../core/names.ts";
import type { OutputSummary, OutputsEnd } from "../core/output-block.ts";
import type { HoldReason, RequestRecord } from "../core/request.ts";
import type { RunObservation } from "../core/run.ts";
import type { NodeRow } from "../core/segments.ts";
import type { WaitCode } from "../core/wait.ts";
import type { Workflow } from "../core/workflow.ts";
import type { Reelection } from "../recovery/round/failed-units.ts";
import type { Exclusion } from "../recovery/round/sort-files.ts";
import type { Filling } from "./gather-fill.ts";
import type { EndedRound } from "./gather-round.ts";
import type { FoundLock } from "./look-at-transfers.ts";
import type { RerunWish } from "./rerun-wish.ts";
import type { SideRun } from "./with-sides.ts";

/** What a pass knows about one request. Gathered once; the decision reads nothing else. */
export interface Facts {
  readonly request: RequestRecord;
  readonly workflow: Workflow | null;
  /** What a person calls a unit of this kind of request. */
  readonly unitWord: string;
  /** The DAG of the present round; null before it is planned. */
  readonly dag: Dag | null;
  readonly submitIntent: EngineIntent | null;
  /** Runs of failed jobs beside that one which are not over. */
  readonly sides: readonly SideRun[];
  /** Of all these together. null: the engine was not asked (no run), or could not be. */
  readonly observation: RunObservation | null;
  readonly admission: QueueEntry | null;
  /** The submit directory stands under its final name. */
  readonly directoryComplete: boolean;
  /** Units the engine calls done that have no row yet. */
  readonly newlyDone: readonly UnitName[];
  /** What became of its outputs so far, and what the catalog calls one that is through. */
  readonly outputs: OutputSummary & { readonly finally: OutputsEnd };
  /** Its products are looked after one by one: a round ends into their rows. */
  readonly hasProducts: boolean;
  /** What was seen of them; null: it has none, or its status does not ask for it. */
  readonly filling: Filling | null;
  /** Is there work beyond what was planned so far? */
  readonly workRemains: boolean;
  /** Units that were planned and are neither done nor left out by name; only gathered where a round may be over. */
  readonly unaccounted: number;
  /** What it was asked for and would complete without, in words; null: nothing. */
  readonly leftOut: string | null;
  /** Share of the whole request's units that are finished; null: it has no production steps left. */
  readonly shareDone: number | null;
  /** Only gathered when its run has ended and something is to be decided about it. */
  readonly round: EndedRound | null;
  /** Why nothing can be written to the spool or the storage; null: it can. */
  readonly diskTrouble: string | null;
  /** Its runs are another engine's than ours: that one's name. */
  readonly foreignEngine: string | null;
  /** How long this server has been the one that runs the loop. */
  readonly leaderForSec: number;
}

/** What is to be done, with the reason that is shown to people. */
type Of<Kind extends string, More = unknown> = { readonly kind: Kind; readonly reason: string } & More;

export type Decision =
  /** Nothing to do, or cannot tell yet: the reason is shown to whoever asks why nothing happens. */
  | Of<"wait", { readonly on?: WaitsOn }>
  | Of<"open-workflow">
  | Of<"start">
  | Of<"plan">
  | Of<"discard-plan">
  /** Rows of products become what runs that are over left; locks of nobody on what is to be made are removed. */
  | Of<
      "settle-products",
      { readonly over: readonly DagId[]; readonly learned: readonly NodeRow[]; readonly locks: readonly FoundLock[] }
    >
  /** What somebody asked to have filled is done with. */
  | Of<"end-fill">
  | Of<"submit">
  /** Store the engine's progress; record newly finished units as owed. */
  | Of<"follow">
  | Of<"finish-round", { readonly next: "queued" | "completed" }>
  /** No work is left: what its outputs are in takes no more of them. */
  | Of<"close-outputs">
  /** No work is left, but outputs are owed: the run is over and the request stays. */
  | Of<"owe-outputs">
  | Of<"end-partial", { readonly dagStatus: "partial" | "failed" | "removed" | "halted" }>
  /** A new DAG on the same directory: the engine skips what is done. */
  | Of<"rescue", Rescue>
  | Of<"prepare-rescue">
  /** Failed jobs of a graph run again beside its run, which goes on. */
  | Of<"begin-side", { readonly jobs: readonly string[] }>
  | Of<"prepare-side", { readonly side: Dag }>
  | Of<"submit-side", { readonly side: Dag }>
  | Of<"end-side", { readonly side: Dag; readonly dagStatus: DagStatus }>
  /** Bad files are excluded, the others of their units tried again; the round is over. */
  | Of<"exclude-files", { readonly exclude: readonly Exclusion[]; readonly attempted: readonly string[] }>
  /** Credit what finished and go on with the next round. The rest is given up, or planned again there. */
  | Of<"leave-round", { readonly rest: "given-up" | "planned-again" }>
  /** The same, and its next rounds are made for this engine. */
  | Of<"move-engine", { readonly engine: string }>
  | Of<"begin-stop">
  | Of<"stop-run">
  | Of<"stopped", Stopped>
  | Of<"requeue">
  /** What was asked for is so already, or fits no more. */
  | Of<"drop-wish">
  /** Failed nodes that cool off are tried again now: unit → nodes. */
  | Of<"end-waits", { readonly nodes: Readonly<Record<string, readonly string[]>> }>
  /** It was held while its run went on in the engine: it is followed again. */
  | Of<"go-on">
  | Of<"complete">
  | Of<"fail">
  | Of<"restart">
  | Of<"abort">
  | { readonly kind: "hold"; readonly hold: HoldReason };

/** What a wait is for, where that is known better than by the status. */
export interface WaitsOn {
  readonly code: WaitCode;
  readonly until: Date | null;
}

interface Stopped {
  readonly afterwards: "resubmitting" | HoldReason;
  /** The priority and the production steps that are left, where one was reached. */
  readonly demote: Partial<Pick<RequestRecord, "priority" | "productionSteps">>;
  readonly isRoundDone: boolean;
}

export interface Rescue {
  readonly rescueKind: RescueKind;
  readonly reelectUnits: readonly Reelection[];
  /** Failed units that are not to be run again by it. */
  readonly leaveOut: readonly string[];
  /** Who gets a fresh budget: unit → its nodes (null: all of them); null: nobody. */
  readonly epochOf: Readonly<Record<string, readonly string[] | null>> | null;
  /** What single nodes get instead of what they had, by "unit/node". */
  readonly nodeChanges?: RerunWish["nodeChanges"];
  readonly alone?: boolean;
}

export const hold = <Code extends HoldCode>(
  code: Code,
  message: string,
  evidence: EvidenceOf<Code>,
): Extract<Decision, { kind: "hold" }> => ({ kind: "hold", hold: holdFor(code, message, evidence) });

/** Facts that should never come together; `where` they were met. */
export function bug(message: string, where: string, { request, workflow, dag }: Facts): ReturnType<typeof hold> {
  const { spec, version, status } = request;
  const correlation = { request: spec.name, version, status, workflow: workflow?.id ?? null, dag: dag?.id ?? null };
  return hold("bug", message, { error: "bug", message, where, correlation });
}

export const owesOutputs = ({ outputs }: Facts): boolean => outputs.done < outputs.blocks;

/** The engine shows other numbers than the store has, or units done that have no row yet. */
export function isNews({ dag, observation, newlyDone, sides }: Facts): boolean {
  if (!dag || !observation || observation.kind === "unknown") return false;
  return newlyDone.length > 0 || [{ dag, observation }, ...sides].some(hasMoved);
}

function hasMoved({ dag, observation }: Pick<SideRun, "dag" | "observation">): boolean {
  if (!observation || observation.kind === "unknown") return false;
  const { nodes, units } = observation;
  return (
    dag.status === "submitted" ||
    (Object.keys(nodes) as (keyof NodeTally)[]).some((key) => nodes[key] !== dag.nodes[key]) ||
    (Object.keys(units) as (keyof UnitTally)[]).some((key) => units[key] !== dag.units[key])
  );
}
