import type { Queue } from "../../core/admission.ts";
import type { DagId, RequestName } from "../../core/names.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { UnitStates } from "../../core/run.ts";
import type { CauseSuggestion } from "../../recovery/explain/cause-advice.ts";
import type { OperatorAction } from "../../recovery/round/actions.ts";
import type { CauseFilter, CauseRow, Found, RequestChoice } from "../../store/port.ts";
import type { ActAnswer } from "./port.ts";

/** The parts of the commands (see port.ts) that look at many requests, or at what could be done. */
export interface DeskCommands {
  causes(filter: CauseFilter): Promise<{ readonly causes: readonly Cause[]; readonly lookedAt: Date | null }>;
  /** Every action, and what it would come to now; null: no such request. */
  actionsOf(
    name: RequestName,
  ): Promise<{ readonly request: RequestRecord; readonly choices: readonly Choice[] } | null>;
  /** Requests and sites by a part of their name; runs and jobs by the id the engine gave them. */
  /** `note`: why there may be more than was found. */
  search(text: string, limit: number): Promise<{ readonly items: readonly Found[]; readonly note: string | null }>;
  /** null: no such run. */
  unitMap(id: DagId, paints: ReadonlySet<UnitPaint>): Promise<UnitMap | null>;
  /** The queue if these had other priorities; null: one of them is not in it. */
  queueIf(priorities: ReadonlyMap<string, number>): Promise<Queue | null>;
}

const UNIT_PAINTS = ["states", "sites", "codes", "tries", "ages"] as const;
export type UnitPaint = (typeof UNIT_PAINTS)[number];
/** A value for each unit, by its place in the legend. */
interface Painted {
  readonly legend: readonly string[];
  readonly of: readonly number[];
}
export interface UnitMap extends UnitStates {
  readonly dagId: DagId;
  /** Of how many units the ledgers were read for it. */
  readonly ledgersRead: number;
  readonly sites?: Painted;
  /** Of the last failed attempt; "0": none failed, "": nobody knows. */
  readonly codes?: Painted;
  readonly tries?: readonly number[];
  /** Seconds since it finished, or since its last attempt ended; -1: none did. */
  readonly ages?: readonly number[];
}

export interface Cause extends CauseRow {
  readonly codeName: string;
  readonly meaning: string | null;
  readonly suggestion: CauseSuggestion;
  readonly filter: Pick<RequestChoice, "status" | "code" | "site" | "file">;
}
export interface Choice {
  readonly action: OperatorAction;
  readonly answer: ActAnswer;
}
