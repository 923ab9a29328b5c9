import { err, ok, type Result } from "../../core/base/result.ts";
import type { PlanRefusal, UnplannedFile } from "../../core/plan.ts";
import type { ProcessWork } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import type { PlanFacts, PlanFile } from "../../planning/facts.ts";
import { compileMask, countDistinct, countLumis, selectLumis } from "./mask.ts";
import { needsLumis } from "./split.ts";

interface Selection {
  readonly files: readonly PlanFile[];
  readonly unplanned: readonly UnplannedFile[];
}

export const REASONS: Record<Exclude<UnplannedFile["code"], "no-site">, string> = {
  "not-selected": "the run list and lumi mask select nothing of it",
  "no-lumis": "it has no runs and lumis, and this splitting goes by them",
  "too-big": "its one lumi would run longer than a job may (99305; planning.max_wall_minutes)",
};

/** Which files there is work in: what the mask leaves out and what cannot run is taken off. */
export function selectFiles(
  { spec, sizing, policy }: PlanFacts<ProcessWork>,
  candidates: readonly PlanFile[],
): Result<Selection, PlanRefusal> {
  const secondsPerEvent = sizing?.secondsPerEvent ?? spec.resources.secondsPerEvent ?? 0;
  const limitSec = policy.maxWallMinutes * 60;
  const { algorithm } = spec.work.split;
  const mask = compileMask(spec.work.input.mask);
  const files: PlanFile[] = [];
  const unplanned: UnplannedFile[] = [];
  const partly: string[] = [];
  for (const file of candidates) {
    const wanted = mask.all ? null : countLumis(selectLumis(file, mask));
    const code =
      needsLumis(algorithm) && countLumis(file.lumis) === 0
        ? "no-lumis"
        : algorithm === "EventAwareLumiBased" && isTooBig(file, secondsPerEvent, limitSec)
          ? "too-big"
          : wanted === 0
            ? "not-selected"
            : null;
    if (code !== null) unplanned.push({ lfn: file.lfn, code, reason: REASONS[code] });
    else if (algorithm === "EventBased" && wanted !== null && wanted < countDistinct(file.lumis)) partly.push(file.lfn);
    else files.push(file);
  }
  if (partly.length > 0) return err(masksEvents(partly));
  return ok({ files: unplanned.length === 0 ? candidates : files, unplanned });
}

/** Its single lumi would run longer than a job may; with two or more lumis a file is never called too big. */
export const isTooBig = (file: InputFile, secondsPerEvent: number, limitSec: number): boolean =>
  countDistinct(file.lumis) === 1 && (file.events ?? 0) * secondsPerEvent > limitSec;

const masksEvents = (lfns: readonly string[]): PlanRefusal => ({
  code: "contradiction",
  message: `a lumi mask cannot cut event ranges: ${lfns.length} files are selected in part, the first is ${lfns[0]}; split by lumis, by events-and-lumis or by files`,
  evidence: { files: lfns.slice(0, 20), count: lfns.length },
});
