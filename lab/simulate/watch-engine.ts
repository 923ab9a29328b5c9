import type { RunVerdict } from "../../src/core/run.ts";
import type { Attempt } from "../../src/recovery/attempt.ts";
import type { Decision } from "../../src/recovery/decision.ts";
import { span } from "../../src/recovery/reason.ts";
import type { Manifest } from "../../src/submit-dir/manifest.ts";
import type { Beginning } from "./engine/outcome.ts";
import type { SimRun } from "./engine/sim-run.ts";
import type { UnitEnd } from "./engine/sim-unit.ts";
import type { Laws } from "./laws.ts";
import type { PassPlan } from "./pass-plan.ts";
import type { Timeline } from "./timeline.ts";

/** What attempts of a request came to. */
interface AttemptTally {
  attempts: number;
  failed: number;
  retries: number;
  mostMemoryMb: number;
  readonly failures: Map<string, number>;
}

export type EngineWatch = ReturnType<typeof makeEngineWatch>;

/** Listens to the engine: writes the timeline, counts attempts, watches the laws, and asks for passes. */
export function makeEngineWatch(timeline: Timeline, laws: Laws, passes: PassPlan) {
  const tallies = new Map<string, AttemptTally>();
  const tallyOf = (request: string): AttemptTally => {
    const tally = tallies.get(request) ?? { attempts: 0, failed: 0, retries: 0, mostMemoryMb: 0, failures: new Map() };
    tallies.set(request, tally);
    return tally;
  };
  return {
    tallies,
    tallyOf,
    began({ request, job }: Beginning): void {
      laws.began(request, job.unit, job.node);
      const tally = tallyOf(request);
      tally.attempts += 1;
      if (job.role === "processing") tally.mostMemoryMb = Math.max(tally.mostMemoryMb, job.memoryMb);
    },
    decided({ request, job: { unit }, attempt: number }: Beginning, attempt: Attempt, decision: Decision): void {
      if (decision.decision === "succeed") return;
      const tally = tallyOf(request);
      tally.failed += 1;
      const where = attempt.site === null ? "" : ` at ${attempt.site}`;
      const what = `${failureOf(decision)}${where}`;
      tally.failures.set(what, (tally.failures.get(what) ?? 0) + 1);
      if (decision.decision === "retry") tally.retries += 1;
      const verdict = verdictOf(decision, attempt);
      const row = decision.row ? `; row ${decision.row.id}` : "";
      timeline.add(
        "attempt",
        request,
        `${unit}/${attempt.node} attempt ${number}${where}: ${failureOf(decision)} → ${verdict} (${decision.category}${row})`,
        { unit, node: attempt.node, attempt: number, site: attempt.site, decision },
        `${what} → ${decision.decision === "retry" ? "retry" : `${decision.decision} (${decision.why})`}`,
      );
    },
    /** A unit's outputs were made: from here on its work must never be done again. */
    merged(request: string, unit: string, manifest: Manifest): void {
      laws.merged(request, unit, manifest);
    },
    unitEnded(run: SimRun, unit: string, end: UnitEnd, site: string | null): void {
      const where = site === null ? "" : ` at ${site}`;
      timeline.add("unit", run.request, `${unit} ${end}${where}`, { unit, end, site }, `units ${end}${where}`);
      passes.news(end === "done" ? "unit" : "end", run.unitCount);
    },
    runEnded(run: SimRun, verdict: RunVerdict, text: string): void {
      const said = `the run ended: ${verdict}${text ? ` (${text})` : ""}`;
      timeline.add("run", run.request, said, { verdict, text, dag: run.run.dagId });
      passes.news("end", run.unitCount);
    },
  };
}

const failureOf = ({ cause, exitCode }: Decision): string =>
  cause === "exit" ? `exit ${exitCode}` : `${cause}${exitCode > 0 ? ` (${exitCode})` : ""}`;

function verdictOf(decision: Decision, attempt: Attempt): string {
  if (decision.decision === "retry") {
    const parts = [decision.delaySec > 0 ? `retry in ${span(decision.delaySec)}` : "retry at once"];
    if ((decision.memoryMb ?? 0) > (attempt.memoryMb ?? 0)) parts.push(`with ${decision.memoryMb} MB`);
    if ((decision.wallMinutes ?? 0) > (attempt.wallMinutes ?? 0)) parts.push(`with ${decision.wallMinutes} min`);
    return parts.join(" ");
  }
  const bad = decision.badFiles.length > 0 ? `, bad: ${decision.badFiles.join(", ")}` : "";
  return `${decision.decision}: ${decision.why}${bad}`;
}
