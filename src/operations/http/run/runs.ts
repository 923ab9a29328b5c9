import { WorldError } from "../../../core/base/errors.ts";
import type { RunAnswer } from "../../handlers/port.ts";
import { MOST_TOLD, type runs } from "../../runs.ts";
import type { Runs } from "../call.ts";
import { documentOf, refusalOf } from "./requests.ts";

export const runRuns: Runs<typeof runs> = {
  async start({ body }, call) {
    const answer = await call.commands.run(documentOf(body, call), call.by);
    if (!answer.ok) throw refused(answer.error);
    const { name, previous, decision, warnings, jobs } = answer.value;
    const causes = (jobs?.jobs ?? []).flatMap(({ name, cause }) => (cause ? [{ job: name, ...cause }] : []));
    return {
      kind: decision.kind,
      requestName: name,
      previous,
      reason: decision.reason,
      dryRun: call.by.dryRun,
      warnings,
      jobs: jobs && { total: jobs.jobs.length, toRun: causes.length, credited: jobs.credited },
      why: causes.slice(0, MOST_TOLD),
      whyLeft: Math.max(0, causes.length - MOST_TOLD),
    };
  },
};

function refused(error: Extract<RunAnswer, { ok: false }>["error"]): WorldError {
  if (error.kind === "refuse") return new WorldError("conflict", "run", error.reason, { hint: error.hint });
  return refusalOf(error);
}
