import { decideAdmission } from "../admission/decide-admission.ts";
import { describeError, InvariantError, WorldError } from "../base/errors.ts";
import { type AdmissionLimits, DEFAULT_ADMISSION_LIMITS, type QueueEntry } from "../domain/admission.ts";
import { isInEngine } from "../domain/dag.ts";
import type { PassError, RequestRecord } from "../domain/request.ts";
import { CAPACITY_STATUSES } from "../domain/request-status.ts";
import type { RunObservation } from "../domain/run.ts";
import { apply } from "./apply.ts";
import { decide } from "./decide.ts";
import { gather, gatherKnown, type Known, type PassView, runOf } from "./gather.ts";
import { type Applied, holdRequest } from "./moves.ts";
import type { Ports, Work } from "./ports.ts";

export interface PassReport {
  readonly requests: number;
  readonly withErrors: number;
  readonly engineError: string | null;
}

/** A request that keeps asking for another look would hide a bug; a healthy one needs a handful. */
const MAX_LOOKS = 50;

/**
 * One walk over all open requests. First everything that runs or ends, then admission with what became
 * free. One broken request never stops the others: its error is kept on it and shown.
 */
export async function runPass(ports: Work, leaderSince: Date): Promise<PassReport> {
  const { observations, engineError } = await observeAll(ports);
  const view: PassView = { observations, leaderSince };
  let withErrors = 0;
  const walk = async (records: readonly RequestRecord[], admissions: ReadonlyMap<string, QueueEntry>) => {
    const known = await gatherKnown(ports, records);
    await forEachBounded(records, ports.policy.concurrency, async (record) => {
      const admission = admissions.get(record.spec.name) ?? null;
      if (await evaluate(ports, record, view, admission, known)) withErrors += 1;
    });
  };
  const open = (await ports.store.requests.open()).filter((record) => record.status !== "new");
  await walk(
    open.filter((record) => record.status !== "queued"),
    new Map(),
  );
  const queue = await loadQueue(ports);
  const queued = queue.records;
  await walk(queued, new Map(queue.entries.map((entry) => [entry.requestName, entry])));
  return { requests: open.length, withErrors, engineError };
}

/** The queue as the next pass will see it, for people too. */
export async function loadQueue(ports: Ports) {
  const open = await ports.store.requests.open();
  const active = open.filter((record) => CAPACITY_STATUSES.includes(record.status)).length;
  const records = open.filter((record) => record.status === "queued");
  const candidates = records.map((record) => ({
    requestName: record.spec.name,
    urgent: record.urgent,
    priority: record.priority,
    createdAt: record.createdAt,
    queuedSince: record.statusSince,
  }));
  return { ...decideAdmission(candidates, active, await admissionLimits(ports)), records };
}

export async function admissionLimits(ports: Pick<Ports, "store">): Promise<AdmissionLimits> {
  return (await ports.store.settings.get<AdmissionLimits>("admission")) ?? DEFAULT_ADMISSION_LIMITS;
}

async function observeAll(
  ports: Ports,
): Promise<{ observations: ReadonlyMap<string, RunObservation>; engineError: string | null }> {
  const dags = (await ports.store.dags.open()).filter(({ status }) => isInEngine(status));
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
  ports: Work,
  first: RequestRecord,
  view: PassView,
  admission: QueueEntry | null,
  known: Known,
): Promise<boolean> {
  let record: RequestRecord = first;
  try {
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const facts = await gather(ports, record, view, admission, look === 1 ? known : null);
      const decision = decide(facts, ports.policy, ports.clock.now());
      ports.metrics.countDecision(decision.kind);
      if (decision.kind !== "wait")
        ports.log.info("decision.made", { request: record.spec.name, decision: summary(decision) });
      const applied = await apply(ports, facts, decision);
      if (applied.rest) {
        await settle(ports, record, applied);
        return false;
      }
      const fresh = await ports.store.requests.get(record.spec.name);
      if (!fresh) return false;
      if (fresh.status === "queued" && record.status !== "queued") return false;
      record = fresh;
    }
    throw new InvariantError(`no rest after ${MAX_LOOKS} looks`, { request: record.spec.name });
  } catch (error) {
    return keepError(ports, record, view, error);
  }
}

const summary = (decision: { kind: string; because?: string; hold?: { code: string } }) =>
  `${decision.kind}: ${decision.because ?? decision.hold?.code ?? ""}`;

async function settle(ports: Ports, record: RequestRecord, applied: Applied): Promise<void> {
  if (record.error || record.waiting !== applied.waiting) {
    await ports.store.requests.remark(record.spec.name, { error: null, waiting: applied.waiting });
  }
}

/** Services that are away come back by themselves; anything else that fails alike too often needs a person. */
const PATIENT: ReadonlySet<string> = new Set(["engine-unreachable", "catalog-unreachable", "store-unreachable"]);

/** The pass guard: one of the three places that catch everything. Keeps the error on its request. */
async function keepError(ports: Work, record: RequestRecord, view: PassView, error: unknown): Promise<boolean> {
  const world = error instanceof WorldError ? error : null;
  if (world?.code === "store-unreachable") throw error;
  const code = world?.code ?? "bug";
  const message = describeError(error);
  const before = record.error?.code === code ? record.error : null;
  const now = ports.clock.now();
  const kept: PassError = {
    code,
    message,
    hint: world?.hint ?? "this is a bug of wms2: please report it",
    since: before?.since ?? now,
    count: (before?.count ?? 0) + 1,
  };
  const stack = error instanceof Error && !world ? { stack: error.stack } : {};
  ports.log.error("pass.failed", { request: record.spec.name, code, message, count: kept.count, ...stack });
  await ports.store.requests.remark(record.spec.name, { error: kept, waiting: message });
  const isBug = !world;
  if (record.status !== "held" && (isBug || (!PATIENT.has(code) && kept.count >= ports.policy.maxErrors))) {
    const fresh = await ports.store.requests.get(record.spec.name);
    if (!fresh || fresh.status === "held") return true;
    const facts = await gather(ports, fresh, view, null);
    const evidence = error instanceof InvariantError ? { evidence: error.evidence } : { hint: kept.hint };
    await holdRequest(ports, facts, { code, message, evidence, actions: ["release", "abort"] });
  }
  return true;
}

async function forEachBounded<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
