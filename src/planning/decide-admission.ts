import type { AdmissionLimits, Queue, QueueEntry } from "../core/admission.ts";
import type { RequestName } from "../core/names.ts";

export interface Candidate {
  readonly requestName: RequestName;
  readonly urgent: boolean;
  readonly priority: number;
  readonly createdAt: Date;
  readonly queuedSince: Date;
}

/** Urgent first, then the higher priority, then the older request; the name decides what is left. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    Number(b.urgent) - Number(a.urgent) ||
    b.priority - a.priority ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    (a.requestName < b.requestName ? -1 : 1)
  );
}

/** Who starts now, and for the others: at which place they wait, and why. */
export function decideAdmission(queued: readonly Candidate[], active: number, limits: AdmissionLimits): Queue {
  const free = Math.max(0, limits.maxActive - active);
  const taken = active + Math.min(free, queued.length);
  const entries = [...queued].sort(compareCandidates).map(({ createdAt: _, ...candidate }, index): QueueEntry => {
    const place = index + 1;
    const known = { ...candidate, place };
    return place <= free
      ? { ...known, verdict: "start", reason: `slot ${active + place} of ${limits.maxActive} is free` }
      : { ...known, verdict: "wait", reason: waitReason(place - free, taken, limits) };
  });
  return { active, limits, entries };
}

/** Far back only the hundreds are shown: a queue of thousands is not written again whenever one of them starts. */
const roughly = (place: number): string =>
  place <= 100 ? `number ${place}` : `behind more than ${place - 1 - ((place - 1) % 100)} others`;

/** Nobody gets in before a person says so. */
export const ADMISSION_CLOSED = "admission is closed, max_active is 0: wms2 queue --max-active N opens it";

function waitReason(place: number, taken: number, limits: AdmissionLimits): string {
  if (limits.maxActive === 0) return ADMISSION_CLOSED;
  const line = place === 1 ? "next in the queue" : `${roughly(place)} in the queue`;
  return `${line}: ${taken} of ${limits.maxActive} slots are taken`;
}
