import { plural } from "../core/base/text.ts";
import { runningNodes } from "../core/dag.ts";
import type { PassError, RequestRecord } from "../core/request.ts";
import type { RunObservation, RunWaits } from "../core/run.ts";
import { WAIT_CODES, type Wait, type WaitCode } from "../core/wait.ts";
import { ADMISSION_CLOSED } from "../planning/decide-admission.ts";
import type { WaitsOn } from "./decision.ts";

/** What a look at a request leaves to say why it does not move. */
interface WaitFacts {
  readonly request: Pick<RequestRecord, "status" | "statusSince" | "waiting"> & Partial<Pick<RequestRecord, "wish">>;
  readonly observation: RunObservation | null;
  /** What a person calls a unit of this kind of request; absent: it has no run. */
  readonly unitWord?: string;
  /** Units of all rounds, as every list counts them; absent: only those of the run are known. */
  readonly counts?: { readonly done: number; readonly total: number };
  /** The pass failed on it; null: it did not. */
  readonly error: PassError | null;
  /** In the words of the decision to wait. */
  readonly reason: string;
  /** What the decision to wait knows of it. */
  readonly on?: WaitsOn | undefined;
}

/** Services that are away come back by themselves; anything else that fails alike too often needs a person. */
export const PATIENT: ReadonlySet<string> = new Set(["engine-unreachable", "catalog-unreachable", "store-unreachable"]);

/**
 * Why a request does not move, since when, until when, and who can change that. The one answer that list, show, watch, API, alerts
 * and metrics give. A wait of the same kind goes on: it keeps its beginning.
 */
export function explainWait(facts: WaitFacts, now: Date): Wait {
  const { request, observation, error, reason, on } = facts;
  const told = on ? [part(on.code, reason, { until: on.until })] : null;
  const parts = error ? ofError(error, observation) : (told ?? partsOf(facts, now));
  const [first = part("step", reason), ...others] = parts;
  const before = request.waiting;
  const since =
    first.since ?? (before?.code === first.code ? before.since : BY_STATUS.has(first.code) ? request.statusSince : now);
  const { code, until } = first;
  return { code, reason: first.reason, since, until, who: WAIT_CODES[code], details: others.map(shown) };
}
/** Reasons as old as the status. */
const BY_STATUS: ReadonlySet<WaitCode> = new Set(["admission", "admission-closed", "person"]);

interface Part {
  readonly code: WaitCode;
  readonly reason: string;
  readonly since: Date | null;
  readonly until: Date | null;
}
const part = (code: WaitCode, reason: string, more: Partial<Part> = {}): Part => ({
  code,
  reason,
  since: null,
  until: null,
  ...more,
});
const shown = ({ reason, until }: Part): string => (until ? `${reason}, until ${until.toISOString()}` : reason);

/** A disk that cannot be written fails the pass and POST alike: what POST could not check says more. */
function ofError({ code, message, since }: PassError, observation: RunObservation | null): readonly Part[] {
  const failed = part(PATIENT.has(code) ? "service" : "trouble", message, { since });
  const checking = code === "disk-unwritable" && observation?.kind === "running" ? observation.waits.checking : null;
  return checking?.trouble ? [notChecked(checking), failed] : [failed];
}

const notChecked = ({ nodes, example, trouble }: NonNullable<RunWaits["checking"]>): Part =>
  part("not-checked", `${plural(nodes, "job")} ended and cannot be checked (${example}): ${trouble}`);

function partsOf({ request, observation, reason, unitWord = "unit", counts }: WaitFacts, now: Date): readonly Part[] {
  const { status, wish } = request;
  if (status === "held") return [part("person", reason)];
  if (status === "queued") return [part(reason === ADMISSION_CLOSED ? "admission-closed" : "admission", reason)];
  if (status !== "active") return [part("step", reason)];
  if (observation?.kind !== "running") return [part(observation?.kind === "ended" ? "step" : "service", reason)];
  return [...ofRun(observation, unitWord, now, counts), ...ofWish(wish)];
}

/** What is asked of a run that goes on and cannot be done before it ends. */
const ofWish = (wish: RequestRecord["wish"] | undefined): readonly Part[] =>
  wish?.kind === "resubmit" && !wish.detail?.beside
    ? [part("step", `the resubmit that ${wish.actor} asked for follows when the run ends`)]
    : [];

type Running = Extract<RunObservation, { kind: "running" }>;

/** The most pressing first: what needs a person, what needs a worker, what time brings. */
function ofRun(
  { nodes, units, note, waits, beside = 0 }: Running,
  unitWord: string,
  now: Date,
  counts: WaitFacts["counts"],
): readonly Part[] {
  const { held, checking, unmatched, deferred, limited } = waits;
  const running = runningNodes(nodes) - (checking?.nodes ?? 0);
  const idle = nodes.idle;
  const kept: Part[] = [];
  if (note) kept.push(part("engine", note));
  if (checking?.trouble) kept.push(notChecked(checking));
  if (held) {
    const what = `${plural(held.nodes, "job")} held (${held.example}): ${held.reason}`;
    const next = held.byHand
      ? "; condor_release lets them go on, condor_rm has them checked"
      : "; they are removed and checked soon";
    kept.push(part(held.byHand ? "job-held-by-hand" : "job-held", `${what}${next}`, { since: held.since }));
  }
  if (unmatched) kept.push(part(unmatched.code, `${plural(idle, "job")} waiting: ${unmatched.reason}`));
  else if (idle > 0) kept.push(part("slots", `${plural(idle, "job")} waiting for a free slot`));
  if (deferred) {
    const isDue = deferred.nextAt <= now;
    const when = isDue ? "tried again as soon as the engine looks" : "tried again later";
    const what = `${plural(deferred.nodes, "failed job")} ${when} (${deferred.example}: ${deferred.reason})`;
    kept.push(part("retry", what, { until: isDue ? null : deferred.nextAt }));
  }
  for (const { category, group, limit, waiting } of limited) {
    if (group !== undefined) {
      const who = `${plural(waiting, "job")} ${waiting === 1 ? "waits" : "wait"}: `;
      kept.push(part("limit", `${who}${plural(limit, "job")} of the group ${group} at once is its limit (at_once)`));
      continue;
    }
    const [what, where] = category === "units" ? ["unit", ""] : ["job", " in each unit"];
    const who = `${plural(waiting, what)} ${waiting === 1 ? "waits" : "wait"}: category ${category}`;
    kept.push(part("limit", `${who} is at its limit of ${limit}${where}`));
  }
  if (checking && !checking.trouble && running <= 0)
    kept.push(part("checking", `${plural(checking.nodes, "job")} ended and being checked (${checking.example})`));
  if (beside > 0)
    kept.push(
      part("running", `${plural(beside, "failed job")} ${beside === 1 ? "runs" : "run"} again beside the others`),
    );
  const progress = `${counts?.done ?? units.done} of ${plural(counts?.total ?? units.total, unitWord)} done`;
  if (running > 0) return [part("running", `${plural(running, "job")} running, ${progress}`), ...kept];
  const hasBegun = units.done + units.failed + nodes.done + nodes.failed > 0;
  const nothing = hasBegun ? "nothing runs at this moment: the engine starts the next job soon" : "nothing runs yet";
  return kept.length > 0 ? kept : [part("starting", `${nothing}, ${progress}`)];
}
