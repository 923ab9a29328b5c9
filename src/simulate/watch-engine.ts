import type { RunVerdict } from "../domain/run.ts";
import type { Attempt } from "../recovery/attempt.ts";
import type { Decision } from "../recovery/decision.ts";
import { span } from "../recovery/reason.ts";
import type { Beginning } from "./engine/outcome.ts";
import type { EngineListener, SimRun } from "./engine/sim-run.ts";
import type { Manifest } from "./engine/submit-dir.ts";
import type { UnitEnd } from "./engine/unit-run.ts";
import type { Laws } from "./laws.ts";
import type { PassPlan } from "./pass-plan.ts";
import type { Timeline } from "./timeline.ts";

/** What attempts of a request came to. */
export interface AttemptTally {
  attempts: number;
  failed: number;
  retries: number;
  mostMemoryMb: number;
  readonly failures: Map<string, number>;
}

/** Listens to the engine: writes the timeline, counts attempts, watches the laws, and asks for passes. */
export class EngineWatch implements EngineListener {
  readonly tallies = new Map<string, AttemptTally>();
  readonly #timeline: Timeline;
  readonly #laws: Laws;
  readonly #passes: PassPlan;

  constructor(timeline: Timeline, laws: Laws, passes: PassPlan) {
    this.#timeline = timeline;
    this.#laws = laws;
    this.#passes = passes;
  }

  began(begun: Beginning): void {
    this.#laws.began(begun.request, begun.unit, begun.node);
    const tally = this.tallyOf(begun.request);
    tally.attempts += 1;
    if (begun.role === "processing") tally.mostMemoryMb = Math.max(tally.mostMemoryMb, begun.memoryMb);
  }

  judged({ request, unit, attempt: number }: Beginning, attempt: Attempt, decision: Decision): void {
    if (decision.decision === "succeed") return;
    const tally = this.tallyOf(request);
    tally.failed += 1;
    const what = failureOf(decision);
    const where = attempt.site === null ? "" : ` at ${attempt.site}`;
    tally.failures.set(`${what}${where}`, (tally.failures.get(`${what}${where}`) ?? 0) + 1);
    if (decision.decision === "retry") tally.retries += 1;
    const verdict = verdictOf(decision, attempt);
    const row = decision.row ? `; row ${decision.row.id}` : "";
    this.#timeline.add(
      "attempt",
      request,
      `${unit}/${attempt.node} attempt ${number}${where}: ${what} → ${verdict} (${decision.category}${row})`,
      { unit, node: attempt.node, attempt: number, site: attempt.site, decision },
      `${what}${where} → ${decision.decision === "retry" ? "retry" : `${decision.decision} (${decision.why})`}`,
    );
  }

  merged(request: string, unit: string, manifest: Manifest): void {
    this.#laws.merged(request, unit, manifest);
  }

  unitEnded(run: SimRun, unit: string, end: UnitEnd, site: string | null): void {
    const where = site === null ? "" : ` at ${site}`;
    this.#timeline.add("unit", run.request, `${unit} ${end}${where}`, { unit, end, site }, `units ${end}${where}`);
    this.#passes.news(end === "done" ? "unit" : "end", run.unitCount);
  }

  runEnded(run: SimRun, verdict: RunVerdict, words: string): void {
    const said = `the run ended: ${verdict}${words ? ` (${words})` : ""}`;
    this.#timeline.add("run", run.request, said, { verdict, words, dag: run.run.dagId });
    this.#passes.news("end", run.unitCount);
  }

  tallyOf(request: string): AttemptTally {
    const known = this.tallies.get(request);
    if (known) return known;
    const made = { attempts: 0, failed: 0, retries: 0, mostMemoryMb: 0, failures: new Map<string, number>() };
    this.tallies.set(request, made);
    return made;
  }
}

const failureOf = ({ cause, exitCode }: Decision): string =>
  cause === "exit" ? `exit ${exitCode}` : `${cause}${exitCode > 0 ? ` (${exitCode})` : ""}`;

function verdictOf(decision: Decision, attempt: Attempt): string {
  if (decision.decision === "retry") {
    const words = [decision.delaySec > 0 ? `retry in ${span(decision.delaySec)}` : "retry at once"];
    if ((decision.memoryMb ?? 0) > (attempt.memoryMb ?? 0)) words.push(`with ${decision.memoryMb} MB`);
    if ((decision.wallMinutes ?? 0) > (attempt.wallMinutes ?? 0)) words.push(`with ${decision.wallMinutes} min`);
    return words.join(" ");
  }
  const bad = decision.badFiles.length > 0 ? `, bad: ${decision.badFiles.join(", ")}` : "";
  return `${decision.decision}: ${decision.why}${bad}`;
}
