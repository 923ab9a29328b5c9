import type { MemoryLimits } from "./plan.ts";
import type { RequestFile, RequestSpec } from "./request.ts";

/** A document that passed intake: the spec, the files that travel with it, and what a person should know. */
export interface Submission {
  readonly spec: RequestSpec;
  readonly files: readonly RequestFile[];
  readonly warnings: readonly string[];
}

/** What an installation adds to a request that leaves it out, and the limits it is held to. */
export interface IntakeRules extends MemoryLimits {
  readonly requestor: string;
  /** What runs the steps of ReqMgr2's documents. */
  readonly cmsPayload: "simulator" | "cmssw";
  readonly defaultMemoryPerCoreMb: number;
  readonly maxWallMinutes: number;
  /** null: no limit. */
  readonly maxCores: number | null;
  readonly maxDiskMb: number;
  readonly maxNodesPerRound: number;
  readonly maxNodesPerRequest: number;
  readonly maxFileBytes: number;
  readonly maxFilesBytes: number;
}

export const DEFAULT_INTAKE_RULES: IntakeRules = {
  requestor: "unknown",
  cmsPayload: "simulator",
  defaultMemoryPerCoreMb: 2000,
  maxMemoryPerCoreMb: 3000,
  maxWallMinutes: 47 * 60,
  maxCores: null,
  maxDiskMb: 10_000_000,
  maxNodesPerRound: 1_000_000,
  maxNodesPerRequest: 10_000_000,
  maxFileBytes: 1_000_000,
  maxFilesBytes: 8_000_000,
};
