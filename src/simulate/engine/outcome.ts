import { chance } from "../chance.ts";
import type { OutcomeRule } from "../read-outcomes.ts";
import { passes } from "../read-parts.ts";
import type { Durations, Scenario } from "../scenario.ts";
import type { Asks } from "./submit-dir.ts";

/** An execution that begins: all that is known of it before it ends. */
export interface Beginning extends Asks {
  readonly request: string;
  readonly unit: string;
  readonly node: string;
  readonly role: string;
  readonly site: string;
  readonly host: string;
  readonly speed: number;
  /** Which execution of the node in its epoch, losses included. */
  readonly attempt: number;
  readonly epoch: number;
  /** Executions of this node in all epochs: chance is asked anew for each. */
  readonly serial: number;
  /** Since the story began. */
  readonly atSec: number;
  readonly startedAt: Date;
  readonly files: readonly string[];
  readonly events: number | null;
  readonly steps: readonly string[];
  /** Where its unit may run; null: anywhere. */
  readonly sites: readonly string[] | null;
  readonly cluster: number;
  readonly dagRetry: number;
  readonly maxRetries: number;
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
export class Outcomes {
  readonly #rules: readonly OutcomeRule[];
  readonly #durations: Durations;
  readonly #seed: number;
  readonly #used = new Map<number, number>();

  constructor({ outcomes, durations }: Scenario, seed: number) {
    this.#rules = outcomes;
    this.#durations = durations;
    this.#seed = seed;
  }

  of(begun: Beginning): Ending {
    const { mean, limit } = { mean: this.#secondsOf(begun), limit: begun.wallMinutes * 60 };
    const natural: Ending =
      mean > limit
        ? { rule: null, result: { kind: "cause", cause: "walltime" }, seconds: limit, file: null }
        : { rule: null, result: { kind: "succeed" }, seconds: mean, file: null };
    for (const rule of this.#rules) {
      const file = rule.match.file;
      const named = file ? (begun.files.find((one) => file.test(one)) ?? null) : null;
      if ((file && named === null) || !this.#applies(rule, begun)) continue;
      if (rule.result.kind === "succeed") return natural;
      const isWall = rule.result.kind === "cause" && rule.result.cause === "walltime";
      const seconds = rule.afterSec ?? (isWall ? limit : mean);
      return { rule, result: rule.result, seconds: Math.min(seconds, limit), file: named };
    }
    return natural;
  }

  #applies({ index, match }: OutcomeRule, begun: Beginning): boolean {
    const { request, sites, unit, node, roles, attempt, epoch, fromSec, untilSec } = match;
    if (request && !request.test(begun.request)) return false;
    if (sites && !sites.test(begun.site)) return false;
    if (unit && !unit.test(begun.unit)) return false;
    if (node && !node.test(begun.node)) return false;
    if (!roles.includes(begun.role)) return false;
    if (!passes(attempt, begun.attempt) || !passes(epoch, begun.epoch)) return false;
    if (begun.atSec < fromSec || begun.atSec >= untilSec) return false;
    if (match.memoryBelowMb !== null && begun.memoryMb >= match.memoryBelowMb) return false;
    const luck = [begun.request, begun.unit, begun.node, begun.serial, index];
    if (match.probability < 1 && chance(this.#seed, ...luck) >= match.probability) return false;
    const used = this.#used.get(index) ?? 0;
    if (used >= match.times) return false;
    this.#used.set(index, used + 1);
    return true;
  }

  #secondsOf({ role, request, unit, node, serial, speed }: Beginning): number {
    const { sec, spread } = this.#durations[role as "merge"] ?? this.#durations.processing;
    const vary = spread === 0 ? 1 : 1 + spread * (2 * chance(this.#seed, request, unit, node, serial) - 1);
    return (sec * vary) / speed;
  }
}
