import { type AdmissionLimits, DEFAULT_ADMISSION_LIMITS } from "../core/admission.ts";
import type { RequestRecord } from "../core/request.ts";
import { CAPACITY_STATUSES } from "../core/request-status.ts";
import { decideAdmission } from "../planning/decide-admission.ts";
import type { Ports } from "./ports.ts";

/** The queue as the next pass will see it, for people too; or as it would be with other priorities. */
export async function loadQueue(ports: Ports, instead: ReadonlyMap<string, number> = new Map()) {
  const open = await ports.store.requests.open();
  // One that only waits for the catalog has no jobs: an outage there must not keep others from running.
  const hasJobs = ({ waiting }: RequestRecord) => waiting?.code !== "outputs" && waiting?.code !== "outputs-refused";
  const active = open.filter((record) => CAPACITY_STATUSES.includes(record.status) && hasJobs(record)).length;
  const queued = open.filter((record) => record.status === "queued");
  const rests: ReadonlySet<string> = await ports.store.requests.resting(ports.clock.now());
  const records = queued.filter((record) => !rests.has(record.spec.name));
  const candidates = records.map((record) => ({
    requestName: record.spec.name,
    urgent: record.urgent,
    priority: instead.get(record.spec.name) ?? record.priority,
    createdAt: record.createdAt,
    queuedSince: record.statusSince,
  }));
  return { ...decideAdmission(candidates, active, await admissionLimits(ports)), records };
}

export async function admissionLimits(ports: Pick<Ports, "store">): Promise<AdmissionLimits> {
  return (await ports.store.settings.get<AdmissionLimits>("admission")) ?? DEFAULT_ADMISSION_LIMITS;
}
