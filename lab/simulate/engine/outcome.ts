import type { Attempt } from "../../../src/recovery/attempt.ts";
import { chance } from "../chance.ts";
import type { OutcomeRule } from "../read-outcomes.ts";
import { passes } from "../read-parts.ts";
import type { Scenario } from "../scenario.ts";

/** An execution that begins: all that is known of it before it ends. */
export interface Beginning {
  readonly request: string;
  /** As POST will see it, but for how it ends. */
  readonly job: Attempt & Record<"cores" | "memoryMb" | "wallMinutes", number> & Record<"unit" | "site", string>;
  /** What the person called a job of a graph; null: it is none. */
  readonly name: string | null;
  readonly speed: number;
  /** Which execution of the node in its epoch, losses included. */
  readonly attempt: number;
  readonly epoch: number;
  /** Executions of this node in all epochs: chance is asked again for each. */
  readonly serial: number;
  /** Since the story began. */
  readonly atSec: number;
  readonly startedAt: Date;
  readonly events: number | null;
  readonly steps: readonly string[];
}

/** How it will end, and after how long. */
export interface Ending {
  /** null: as the world has it, with success or out of time. */
  readonly rule: OutcomeRule | null;
  readonly result: OutcomeRule["result"];
  readonly seconds: number;
  /** The file the rule spoke of. */
  readonly file: string | null;
}

/** Decides how executions end: the rules of the story, first match wins; nobody runs longer than it may. */
export function makeOutcomes({ outcomes, durations }: Scenario, seed: number): (begun: Beginning) => Ending {
  const used = new Map<number, number>();

  const secondsOf = ({ request, job: { role, unit, node }, serial, speed }: Beginning): number => {
    const { sec, spread } = durations[role as "merge"] ?? durations.processing;
    const vary = spread === 0 ? 1 : 1 + spread * (2 * chance(seed, request, unit, node, serial) - 1);
    return (sec * vary) / speed;
  };

  const applies = ({ index, match }: OutcomeRule, begun: Beginning): boolean => {
    const { request, job, serial, atSec } = begun;
    if (match.request && !match.request.test(request)) return false;
    if (match.sites && !match.sites.test(job.site)) return false;
    if (match.unit && !match.unit.test(job.unit)) return false;
    if (match.node && !match.node.test(job.node) && !(begun.name !== null && match.node.test(begun.name))) return false;
    if (!match.roles.includes(job.role)) return false;
    if (!passes(match.attempt, begun.attempt) || !passes(match.epoch, begun.epoch)) return false;
    if (atSec < match.fromSec || atSec >= match.untilSec) return false;
    if (match.memoryBelowMb !== null && job.memoryMb >= match.memoryBelowMb) return false;
    const luck = [request, job.unit, job.node, serial, index];
    if (match.probability < 1 && chance(seed, ...luck) >= match.probability) return false;
    const times = used.get(index) ?? 0;
    if (times >= match.times) return false;
    used.set(index, times + 1);
    return true;
  };

  return (begun) => {
    const [mean, limit] = [secondsOf(begun), begun.job.wallMinutes * 60];
    const natural: Ending =
      mean > limit
        ? { rule: null, result: { kind: "cause", cause: "walltime" }, seconds: limit, file: null }
        : { rule: null, result: { kind: "succeed" }, seconds: mean, file: null };
    for (const rule of outcomes) {
      const { file } = rule.match;
      const named = file ? (begun.job.inputs.find((one) => file.test(one)) ?? null) : null;
      if ((file && named === null) || !applies(rule, begun)) continue;
      if (rule.result.kind === "succeed") return natural;
      const isWall = rule.result.kind === "cause" && rule.result.cause === "walltime";
      const seconds = rule.afterSec ?? (isWall ? limit : mean);
      return { rule, result: rule.result, seconds: Math.min(seconds, limit), file: named };
    }
    return natural;
  };
}
