import { plural } from "../base/text.ts";
import { runningNodes } from "../domain/dag.ts";
import type { PassError, RequestRecord } from "../domain/request.ts";
import type { RunObservation, RunWaits } from "../domain/run.ts";
import { WAIT_CODES, type Wait, type WaitCode } from "../domain/wait.ts";
import type { WaitsOn } from "./decision.ts";

/** What a look at a request leaves to say why it does not move. */
interface WaitFacts {
  readonly request: Pick<RequestRecord, "status" | "statusSince" | "waiting">;
  readonly observation: RunObservation | null;
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
export function explainWait({ request, observation, error, reason, on }: WaitFacts, now: Date): Wait {
  const told = on ? [part(on.code, reason, { until: on.until })] : null;
  const parts = error ? ofError(error, observation) : (told ?? partsOf(request, observation, reason));
  const [first = part("step", reason), ...others] = parts;
  const before = request.waiting;
  const since =
    first.since ?? (before?.code === first.code ? before.since : BY_STATUS.has(first.code) ? request.statusSince : now);
  const { code, words, until } = first;
  return { code, words, since, until, who: WAIT_CODES[code], details: others.map(shown) };
}
/** Reasons as old as the status. */
const BY_STATUS: ReadonlySet<WaitCode> = new Set(["place", "person"]);

interface Part {
  readonly code: WaitCode;
  readonly words: string;
  readonly since: Date | null;
  readonly until: Date | null;
}
const part = (code: WaitCode, words: string, more: Partial<Part> = {}): Part => ({
  code,
  words,
  since: null,
  until: null,
  ...more,
});
const shown = ({ words, until }: Part): string => (until ? `${words}, until ${until.toISOString()}` : words);

/** A disk that cannot be written fails the pass and POST alike: what POST could not judge says more. */
function ofError({ code, message, since }: PassError, observation: RunObservation | null): readonly Part[] {
  const failed = part(PATIENT.has(code) ? "service" : "trouble", message, { since });
  const judging = code === "disk-unwritable" && observation?.kind === "running" ? observation.waits.judging : null;
  return judging?.trouble ? [notJudged(judging), failed] : [failed];
}

const notJudged = ({ nodes, example, trouble }: NonNullable<RunWaits["judging"]>): Part =>
  part("not-judged", `${plural(nodes, "job")} ended and cannot be judged (${example}): ${trouble}`);

function partsOf(
  { status }: WaitFacts["request"],
  observation: RunObservation | null,
  reason: string,
): readonly Part[] {
  if (status === "held") return [part("person", reason)];
  if (status === "queued") return [part("place", reason)];
  if (status !== "active") return [part("step", reason)];
  if (observation?.kind !== "running") return [part(observation?.kind === "ended" ? "step" : "service", reason)];
  return ofRun(observation);
}

type Running = Extract<RunObservation, { kind: "running" }>;

/** The most pressing first: what needs a person, what needs a worker, what time brings. */
function ofRun({ nodes, units, note, waits }: Running): readonly Part[] {
  const { held, judging, unmatched, deferred, limited } = waits;
  const running = runningNodes(nodes) - (judging?.nodes ?? 0);
  const idle = nodes.idle;
  const kept: Part[] = [];
  if (note) kept.push(part("engine", note));
  if (judging?.trouble) kept.push(notJudged(judging));
  if (held) {
    const what = `${plural(held.nodes, "job")} held (${held.example}): ${held.reason}`;
    const next = held.byHand
      ? "; condor_release lets them go on, condor_rm has them judged"
      : "; they are removed and judged soon";
    kept.push(part(held.byHand ? "job-held-by-hand" : "job-held", `${what}${next}`, { since: held.since }));
  }
  if (unmatched) kept.push(part(unmatched.code, `${plural(idle, "idle job")}: ${unmatched.words}`));
  else if (idle > 0) kept.push(part("slots", `${plural(idle, "job")} idle: waiting for a free slot`));
  if (deferred) {
    const what = `${plural(deferred.nodes, "failed job")} tried again later (${deferred.example}: ${deferred.reason})`;
    kept.push(part("retry", `${what}`, { until: deferred.nextAt }));
  }
  for (const { category, limit, waiting } of limited) {
    const [what, where] = category === "units" ? ["unit", ""] : ["job", " in each unit"];
    const words = `${plural(waiting, what)} ${waiting === 1 ? "waits" : "wait"}: category ${category}`;
    kept.push(part("limit", `${words} is at its limit of ${limit}${where}`));
  }
  if (judging && !judging.trouble && running <= 0)
    kept.push(part("judging", `${plural(judging.nodes, "job")} ended and being judged (${judging.example})`));
  const progress = `${units.done} of ${units.total} units done`;
  if (running > 0) return [part("running", `${plural(running, "job")} running, ${progress}`), ...kept];
  return kept.length > 0 ? kept : [part("starting", `nothing runs yet, ${progress}`)];
}
