import { isDeepStrictEqual } from "node:util";
import type { QueueEntry } from "../core/admission.ts";
import { describeError, InvariantError, WorldError } from "../core/base/errors.ts";
import { type Dag, isInEngine } from "../core/dag.ts";
import type { RequestName } from "../core/names.ts";
import type { RequestRecord } from "../core/request.ts";
import type { RunObservation } from "../core/run.ts";
import { unitFolder } from "../submit-dir/names.ts";
import { apply } from "./apply.ts";
import { forEachBounded } from "./bounded.ts";
import { decide } from "./decide.ts";
import { decideError, worldOf } from "./decide-error.ts";
import type { Facts } from "./decision.ts";
import { explainWait } from "./explain-wait.ts";
import { gather, gatherKnown, type Known, type PassView, runOf } from "./gather.ts";
import { runHooks } from "./hooks.ts";
import { assertLeads, type InProgress, Interrupted } from "./in-progress.ts";
import { type Applied, holdRequest } from "./moves.ts";
import { withJobNames } from "./name-jobs.ts";
import { walkOutputs } from "./outputs-walk.ts";
import type { PassWork, Ports, Work } from "./ports.ts";
import { loadQueue } from "./queue.ts";

export interface PassReport {
  readonly requests: number;
  readonly withErrors: number;
  readonly engineError: string | null;
}

/** A request that keeps asking for another look would hide a bug; a healthy one needs a handful. */
const MAX_LOOKS = 50;

/** What the walk over output blocks is known by; no request can have that name. */
const OUTPUTS = "(outputs)" as RequestName;

/**
 * One walk over all open requests. First everything that runs or ends, then admission with what became
 * free. Between the two, what is owed to the catalog. One broken request never stops the others: its error is kept on it and shown; nor does a slow one.
 */
export async function runPass(
  ports: PassWork,
  leaderSince: Date,
  inProgress: InProgress,
  onProgress: () => void = () => {},
): Promise<PassReport> {
  const { observations, engineError } = await observeAll(ports);
  const view: PassView = { observations, leaderSince, disk: await ports.spool.trouble() };
  let withErrors = 0;
  const walk = async (records: readonly RequestRecord[], admissions: ReadonlyMap<string, QueueEntry>) => {
    onProgress();
    const known = await gatherKnown(ports, records);
    await forEachBounded(records, ports.policy.concurrency, async (record) => {
      const { name } = record.spec;
      if (inProgress.has(name)) return leaveAlone(ports, record, inProgress);
      const admission = admissions.get(name) ?? null;
      const work = (signal: AbortSignal) => evaluate({ ...ports, signal }, record, view, admission, known);
      if (await inProgress.give(name, ports.policy, work)) withErrors += 1;
      onProgress();
    });
  };
  const isOurs = ({ status, wish }: RequestRecord) => status !== "new" || wish !== null;
  const rest = (await ports.store.requests.open("but-queued")).filter(isOurs);
  await walk(rest, new Map());
  // What is owed to the catalog goes its own way; whoever waited for it is looked at again.
  const owing = (signal: AbortSignal) => walkOutputs({ ...ports, signal });
  const caughtUp = new Set(inProgress.has(OUTPUTS) ? [] : await inProgress.give(OUTPUTS, ports.policy, owing));
  onProgress();
  if (caughtUp.size > 0) {
    const open = await ports.store.requests.open("but-queued");
    await walk(
      open.filter((record) => caughtUp.has(record.spec.name) && isOurs(record)),
      new Map(),
    );
  }
  const queue = await loadQueue(ports);
  const entries = new Map(queue.entries.map((entry) => [entry.requestName, entry]));
  await walk(
    queue.records.filter((record) => hasNews(record, entries.get(record.spec.name))),
    entries,
  );
  return { requests: rest.length + queue.records.length, withErrors, engineError };
}

/** Most of a long queue waits for the same as before. */
const hasNews = ({ wish, error, waiting }: RequestRecord, entry: QueueEntry | undefined): boolean =>
  wish !== null || error !== null || entry?.verdict !== "wait" || entry.reason !== waiting?.reason;

/** It is still being worked on since an earlier pass. Whoever asked for something else meanwhile need not wait for the end. */
async function leaveAlone({ store, clock }: Work, request: RequestRecord, inProgress: InProgress): Promise<void> {
  const { spec, wish } = request;
  if (wish) inProgress.stop(spec.name, `${wish.kind} was asked for`);
  const reason = "it takes long to plan; that goes on beside everything else";
  const waiting = explainWait({ request, observation: null, error: null, reason }, clock.now());
  if (request.waiting?.reason !== reason) await store.requests.remark(spec.name, { waiting });
}

async function observeAll(
  ports: Ports,
): Promise<{ observations: ReadonlyMap<string, RunObservation>; engineError: string | null }> {
  const isOurs = ({ status, engine }: Dag) => isInEngine(status) && engine === ports.engine.id;
  const dags = (await ports.store.dags.open()).filter(isOurs);
  if (dags.length === 0) return { observations: new Map(), engineError: null };
  const runs = dags.map((dag) => runOf(dag, 0));
  try {
    return { observations: await ports.engine.observe(runs), engineError: null };
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const why = describeError(error);
    ports.log.warn("engine.unreachable", { why });
    return {
      observations: new Map(runs.map((run) => [run.dagId, { kind: "unknown", why } as const])),
      engineError: why,
    };
  }
}

/** Looks, decides and applies until there is nothing to do now. Answers whether it ended in an error. */
async function evaluate(
  ports: PassWork,
  first: RequestRecord,
  view: PassView,
  admission: QueueEntry | null,
  known: Known,
): Promise<boolean> {
  let record: RequestRecord = first;
  let observation: RunObservation | null = null;
  try {
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      ports.signal?.throwIfAborted();
      const facts = await gather(ports, record, view, admission, look === 1 ? known : null);
      observation = facts.observation;
      const decision = decide(facts, ports.policy, ports.clock.now());
      ports.metrics.countDecision(decision.kind);
      if (decision.kind !== "wait")
        ports.log.info("decision.made", { request: record.spec.name, decision: summary(decision) });
      const trouble = decision.kind === "wait" ? diskTrouble(facts, view) : null;
      if (trouble) throw trouble;
      assertLeads(ports);
      await runHooks(ports, facts);
      const applied = await apply(ports, facts, decision);
      if (applied.rest) {
        await remark(ports, facts, applied);
        return false;
      }
      const fresh = await ports.store.requests.get(record.spec.name);
      if (!fresh) return false;
      if (fresh.status === "queued" && record.status !== "queued") return false;
      record = fresh;
    }
    throw new InvariantError(`no rest after ${MAX_LOOKS} looks`, { request: record.spec.name });
  } catch (error) {
    // What a late pass ran into says nothing about the request.
    return error instanceof Interrupted || !ports.leads() ? false : keepError(ports, record, observation, view, error);
  }
}

/** What keeps a run from going on although nothing is left to be decided: a full disk, as we see it or as POST does. */
function diskTrouble({ request: { status }, dag, observation }: Facts, { disk }: PassView): WorldError | null {
  if (status !== "active" && status !== "planning") return null;
  const checking = observation?.kind === "running" ? observation.waits.checking : null;
  if (disk || !checking?.trouble || !dag) return disk;
  const [unit = ""] = checking.example.split("/");
  const path = `${dag.submitDir}/${unitFolder(unit)}`;
  return new WorldError(
    "disk-unwritable",
    path,
    `${checking.example} cannot be checked: ${checking.trouble} (in ${path})`,
  );
}

const summary = (decision: { kind: string; reason?: string; hold?: { code: string } }) =>
  `${decision.kind}: ${decision.reason ?? decision.hold?.code ?? ""}`;

/** A request that has just moved to rest (held, over) is explained by its status. */
async function remark(ports: Ports, facts: Facts, { waiting: reason, on }: Applied): Promise<void> {
  const { request, observation, unitWord, workflow, dag } = facts;
  const counts = workflow ? { counts: { done: workflow.unitsDone, total: workflow.unitsPlanned } } : {};
  const explained =
    reason === null
      ? null
      : explainWait({ request, observation, unitWord, ...counts, error: null, reason, on }, ports.clock.now());
  const waiting = explained && (await withJobNames(ports, dag?.submitDir, explained));
  if (request.error || !isDeepStrictEqual(request.waiting, waiting))
    await ports.store.requests.remark(request.spec.name, { error: null, waiting });
}

/** The pass guard: one of the three places that catch everything. Keeps the error on its request. */
async function keepError(
  ports: Work,
  request: RequestRecord,
  observation: RunObservation | null,
  view: PassView,
  error: unknown,
): Promise<boolean> {
  const { name } = request.spec;
  const world = worldOf(error, name);
  if (world?.code === "store-unreachable") throw error;
  const now = ports.clock.now();
  // The log has the whole stack; what is held names the line there.
  const correlation = world ? null : ports.ids.next();
  const { kept, hold } = decideError(request, error, correlation, ports.policy, now);
  const { code, message, count } = kept;
  const stack = world ? {} : { correlation, stack: (error as Error | null)?.stack };
  ports.log.error("pass.failed", { request: name, code, message, count, ...stack });
  const waiting = explainWait({ request, observation, error: kept, reason: message }, now);
  await ports.store.requests.remark(name, { error: kept, waiting });
  const fresh = hold && request.status !== "held" ? await ports.store.requests.get(name) : null;
  if (hold && fresh && fresh.status !== "held") await holdRequest(ports, await gather(ports, fresh, view, null), hold);
  return true;
}
