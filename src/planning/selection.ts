import { err, ok, type Result } from "../base/result.ts";
import type { PlanRefusal, UnplannedFile } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";
import { isTooBig } from "./event-aware-lumi.ts";
import type { PlanFile, SplitTuning } from "./facts.ts";
import { compileMask, countLumis, type Mask, selectLumis } from "./mask.ts";
import { byLfn } from "./piece.ts";

export interface Selection {
  readonly files: readonly PlanFile[];
  readonly unplanned: readonly UnplannedFile[];
}

type Verdict = "keep" | "partly" | UnplannedFile["code"];

const REASONS: Record<UnplannedFile["code"], string> = {
  "not-selected": "the run list and lumi mask select nothing of it",
  "no-lumis": "it has no runs and lumis, and this splitting goes by them",
  "beyond-total": "the request asks for fewer files",
  "too-big": "its one lumi would run longer than a job may (99305)",
};

/** Which files there is work in: the mask, the total number of files, and what cannot run are taken off. */
export function selectFiles(
  spec: RequestSpec,
  candidates: readonly PlanFile[],
  tuning: SplitTuning,
  secondsPerEvent: number,
): Result<Selection, PlanRefusal> {
  const mask = compileMask(spec.input?.mask ?? null);
  const judge = verdictOf(spec, mask, tuning, secondsPerEvent);
  const files: PlanFile[] = [];
  const unplanned: UnplannedFile[] = [];
  const partly: string[] = [];
  for (const file of candidates) {
    const verdict = judge(file);
    if (verdict === "keep") files.push(file);
    else if (verdict === "partly") partly.push(file.lfn);
    else unplanned.push({ lfn: file.lfn, code: verdict, reason: REASONS[verdict] });
  }
  if (partly.length) return err(masksEvents(partly));
  if (spec.split.algorithm === "FileBased" && tuning.totalFiles > 0 && files.length > tuning.totalFiles) {
    files.sort(byLfn);
    for (const { lfn } of files.splice(tuning.totalFiles)) {
      unplanned.push({ lfn, code: "beyond-total", reason: REASONS["beyond-total"] });
    }
  }
  return ok({ files, unplanned });
}

function verdictOf(
  spec: RequestSpec,
  mask: Mask,
  tuning: SplitTuning,
  secondsPerEvent: number,
): (file: PlanFile) => Verdict {
  const byMask = (file: PlanFile): Verdict =>
    mask.all || selectLumis(file, mask).length > 0 ? "keep" : "not-selected";
  switch (spec.split.algorithm) {
    case "FileBased":
      return byMask;
    case "EventBased":
      return (file) => {
        if (mask.all) return "keep";
        const wanted = countLumis(selectLumis(file, mask));
        if (wanted === 0) return "not-selected";
        return wanted === countLumis(selectLumis(file, compileMask(null))) ? "keep" : "partly";
      };
    case "LumiBased":
      return (file) => (file.lumis.some(({ lumis }) => lumis.length) ? byMask(file) : "no-lumis");
    case "EventAwareLumiBased":
      return (file) => {
        if (!file.lumis.some(({ lumis }) => lumis.length)) return "no-lumis";
        const isLeftOut = tuning.leaveOutTooBig && isTooBig(file, secondsPerEvent, tuning.jobTimeLimitSec);
        return isLeftOut ? "too-big" : byMask(file);
      };
  }
}

const masksEvents = (lfns: readonly string[]): PlanRefusal => ({
  code: "contradiction",
  message: `a lumi mask cannot cut event ranges: ${lfns.length} files are selected in part, the first is ${lfns[0]}; split by lumis, by events-and-lumis or by files`,
  evidence: { files: lfns.slice(0, 20), count: lfns.length },
});
