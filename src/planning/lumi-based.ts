import type { InputFile } from "../domain/workflow.ts";
import { type LumiWalk, walkLumis } from "./lumi-walk.ts";
import type { Budget, Piece } from "./piece.ts";

export interface LumiBasedOptions extends Omit<LumiWalk, "quota"> {
  readonly lumisPerJob: number;
}

/** So many lumis per job. Files without lumis are not for this algorithm. */
export function splitByLumis(files: readonly InputFile[], options: LumiBasedOptions, budget: Budget): Generator<Piece> {
  return walkLumis(files, { ...options, quota: () => options.lumisPerJob }, budget);
}
