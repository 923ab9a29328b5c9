import type { RequestName } from "../../core/names.ts";
import type { RecoverWanted } from "../../core/recover.ts";
import { kindOf } from "../../kinds/kind.ts";
import { effectiveSpec } from "../../loop/gather-round.ts";
import type { Work } from "../../loop/ports.ts";
import { mayDo } from "../../recovery/round/actions.ts";
import { decideRecovery } from "../../recovery/round/recover.ts";
import { act, movedOn } from "./act.ts";
import { refusal } from "./check-action.ts";
import type { By, Seen } from "./port.ts";
import { besideNow, failedSoFar, presentRun } from "./present-run.ts";
import type { RecoverAnswer } from "./recovery-port.ts";

/**
 * Jobs that ran out of memory or time, or lost their host, are resubmitted with what they lacked; all others stay as
 * they are. Of a run that goes on it is those that failed so far. Where nothing qualifies, nothing is done.
 */
export async function recover(
  ports: Work,
  name: RequestName,
  { reason, ...wanted }: RecoverWanted & { readonly reason: string },
  seen: Seen & By,
): Promise<RecoverAnswer> {
  const request = await ports.store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return movedOn(ports.store, request);
  const may = mayDo("resubmit", request.status);
  if (may.kind === "refused") return refusal("refused", may.why, `in ${may.allowedIn.join(", ")}`);
  const run = await presentRun(ports.store, request);
  const failed = run ? await failedSoFar(ports, run) : [];
  // What runs again already has not failed for good.
  const again = run ? await besideNow(ports, run.dag) : new Set();
  const nodes = failed.filter(({ unit }) => !again.has(unit));
  const { cores } = effectiveSpec(request).resources;
  const names = run && nodes.length > 0 ? await ports.spool.jobNames(run.dag.submitDir) : null;
  const only = wanted.only?.map((name) => names?.nodeOf(name) ?? name) ?? null;
  const nextVersionKeeps = kindOf(ports.kinds, request.spec.work).credits !== undefined;
  const decided = decideRecovery({ name, nodes, limits: ports.policy, cores, nextVersionKeeps }, { ...wanted, only });
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const called = decided.value.nodes.map((one) => ({ ...one, job: names?.nameOf(one.unit) ?? null }));
  const recovery = { ...decided.value, nodes: called };
  if (recovery.rerun.size === 0) return { kind: "nothing", recovery, message: recovery.reason, request };
  const changed = [...recovery.rerun].filter(([, changes]) => Object.keys(changes).length > 0);
  const resubmit = {
    action: "resubmit" as const,
    reason: `recover: ${reason}`,
    nodes: [...recovery.rerun.keys()],
    nodeChanges: Object.fromEntries(changed),
  };
  // What was decided holds for the request as it was looked at.
  const answer = await act(ports, name, resubmit, { ...seen, version: request.version });
  switch (answer.kind) {
    case "already":
      return { kind: "already", recovery, message: answer.why, request: answer.request };
    case "done":
    case "would": {
      const when = answer.detail.beside ? "beside the others" : "when the run has ended";
      const later = run && !run.isOver ? `; they run again ${when}` : "";
      return { kind: answer.kind, recovery, message: `${recovery.reason}${later}`, request: answer.request };
    }
    default:
      return answer;
  }
}
