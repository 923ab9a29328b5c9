import type { AdmissionLimits, Queue, QueueEntry } from "../domain/admission.ts";
import type { RequestName } from "../domain/names.ts";

export interface Candidate {
  readonly requestName: RequestName;
  readonly urgent: boolean;
  readonly priority: number;
  readonly createdAt: Date;
  readonly queuedSince: Date;
}

/** Urgent first, then the higher priority, then the older request; the name settles what is left. */
export function compareCandidates(a: Candidate, b: Candidate): number {
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
  const entries = [...queued].sort(compareCandidates).map((candidate, index): QueueEntry => {
    const place = index + 1;
    const common = {
      requestName: candidate.requestName,
      place,
      urgent: candidate.urgent,
      priority: candidate.priority,
      queuedSince: candidate.queuedSince,
    };
    if (place <= free)
      return { ...common, verdict: "start", reason: `place ${active + place} of ${limits.maxActive} is free` };
    return {
      ...common,
      verdict: "wait",
      reason: waitReason(place - free, active + Math.min(free, queued.length), limits),
    };
  });
  return { active, limits, entries };
}

function waitReason(place: number, taken: number, limits: AdmissionLimits): string {
  if (limits.maxActive === 0) return "admission is closed: max_active is 0";
  const line = place === 1 ? "next in the queue" : `number ${place} in the queue`;
  return `${line}: ${taken} of ${limits.maxActive} places are taken`;
}
