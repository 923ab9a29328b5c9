import type { Dag, DagStatus } from "../../src/core/dag.ts";
import type { DagId, RequestName, UnitName, WorkflowId } from "../../src/core/names.ts";
import type { WishKind } from "../../src/core/operator.ts";
import { NO_OUTPUTS } from "../../src/core/output-block.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import type { RequestStatus } from "../../src/core/request-status.ts";
import { NO_WAITS, type RunObservation, type RunVerdict } from "../../src/core/run.ts";
import type { Facts } from "../../src/loop/decision.ts";

/** What a pass may know of a request. */
export const T0 = new Date("2026-01-01T00:00:00Z");
export const NOW = new Date("2026-01-01T00:10:00Z");
export const policy = { resubmitGraceSec: 10 };

export const nodes = { total: 40, waiting: 0, queued: 0, idle: 0, held: 0, done: 40, failed: 0 };
export const units = { total: 4, waiting: 0, running: 0, done: 4, failed: 0 };

export const request = (status: RequestStatus, over: Partial<RequestRecord> = {}): RequestRecord =>
  ({
    spec: { name: "r" as RequestName, kind: "process", generation: null },
    status,
    version: 3,
    hold: null,
    wish: null,
    productionSteps: [],
    statusSince: T0,
    ...over,
  }) as RequestRecord;

export const dag = (status: DagStatus, over: Partial<Dag> = {}): Dag =>
  ({ id: "d" as DagId, status, version: 1, nodes, units, submitDir: "/s", engineId: "7", ...over }) as Dag;

export const ended = (
  verdict: RunVerdict,
  over: Partial<Extract<RunObservation, { kind: "ended" }>> = {},
): RunObservation => ({
  kind: "ended",
  verdict,
  nodes,
  units,
  unitsDone: ["mg_000000" as UnitName],
  unitsFailed: [],
  text: "",
  rescue: null,
  ...over,
});
export const running = (done: number): RunObservation => ({
  kind: "running",
  nodes,
  units: { ...units, done },
  unitsDone: [],
  unitsFailed: [],
  note: null,
  waits: NO_WAITS,
});

export const facts = (over: Partial<Facts>): Facts => ({
  request: request("active"),
  workflow: { id: "w" as WorkflowId, round: 0 } as Facts["workflow"],
  dag: null,
  unitWord: "unit",
  submitIntent: null,
  sides: [],
  observation: null,
  admission: null,
  directoryComplete: true,
  newlyDone: [],
  hasProducts: false,
  filling: null,
  outputs: { ...NO_OUTPUTS, finally: "archived" },
  unaccounted: 0,
  leftOut: null,
  workRemains: false,
  shareDone: null,
  round: null,
  diskTrouble: null,
  foreignEngine: null,
  leaderForSec: 100,
  ...over,
});

/** Three of five blocks are archived; `error`: what keeps the fourth. */
export const owing = (error: { code: string; message: string } | null = null): Facts["outputs"] => ({
  blocks: 5,
  done: 3,
  failed: 0,
  finally: "archived",
  trouble: error && {
    block: "/A/B/C#1",
    nextTryAt: new Date("2026-01-01T14:05:00Z"),
    error: { step: "tape-rule", fix: "ask for more", unit: null, ...error },
  },
});

export const intent = { tries: 1 } as NonNullable<Facts["submitIntent"]>;
export const abortWish = { wish: { kind: "abort", actor: "ann", reason: "typo", at: T0 } } as const;
export const wished = (status: RequestStatus, kind: WishKind) => request(status, { wish: { ...abortWish.wish, kind } });
export const place = { verdict: "start", reason: "a place is free" } as Facts["admission"];
