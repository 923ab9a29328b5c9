import { listed, plural, thousands } from "../../core/base/text.ts";
import { ACTION, type OperatorAction } from "./actions.ts";

/**
 * What an action comes to, counted just before it is done. People are told so before they press and after, by the same
 * words in the command line, on the page, for many requests at once and to agents: they are all made here.
 */
export interface Effect {
  readonly action: OperatorAction;
  /** Jobs that run now and are killed by it. */
  readonly jobsKilled: number;
  /** What these have worked so far, together, in seconds of a clock on the wall; null: unknown. */
  readonly secondsLost: number | null;
  /** Work units that are done and stay so, and those that are planned and not done. */
  readonly unitsKept: number;
  readonly unitsLeft: number;
  readonly unitWord: string;
  /** Who asked for the request. */
  readonly requestor: string;
  /** Open requests that read what it makes. */
  readonly readers: readonly string[];
}

/** What takes jobs out of the engine wherever there are some. */
const KILLS: readonly OperatorAction[] = ["stop", "hold", "requeue", "abort", "fail", "restart"];
/** On a full disk the end of a job may have been lost: a release takes the run out first. */
export const killsJobs = (action: OperatorAction, holdCode: string | null): boolean =>
  KILLS.includes(action) || (holdCode === "disk-unwritable" && (action === "release" || action === "resume"));

/** `reason`: what was decided, where an action has several ways. */
export function describeEffect(effect: Effect, name: string, reason: string | null): string {
  const { action, requestor, readers } = effect;
  const parts = [
    reason ?? DOES[action] ?? ACTION[action].meaning,
    ...lossText(effect),
    ...(action === "restart" ? [] : keptText(effect)),
    ...(FOLLOWS[action]?.(effect, name) ?? []),
    `requested by ${requestor}`,
    ...(readers.length > 0 ? [`${listed(readers)} ${readers.length === 1 ? "reads" : "read"} what it makes`] : []),
  ];
  return parts.join("; ");
}

/** The effect on one of many requests, as it travels. */
interface EffectView {
  readonly jobs_killed: number;
  readonly hours_lost: number | null;
  readonly units_kept: number;
  readonly units_left: number;
  readonly unit_word: string;
  readonly requestor: string;
}

/** What an action comes to for many requests together. */
export function describeEffects(effects: readonly EffectView[]): string {
  const sum = (of: (effect: EffectView) => number) => effects.reduce((total, effect) => total + of(effect), 0);
  const isKnown = effects.every(({ hours_lost }) => hours_lost !== null);
  const words = new Set(effects.map(({ unit_word }) => unit_word));
  const all = {
    jobsKilled: sum(({ jobs_killed }) => jobs_killed),
    secondsLost: isKnown ? sum(({ hours_lost }) => (hours_lost ?? 0) * 3600) : null,
    unitsKept: sum(({ units_kept }) => units_kept),
    unitsLeft: sum(({ units_left }) => units_left),
    unitWord: words.size === 1 ? [...words].join() : "unit",
  };
  const people = [...new Set(effects.map(({ requestor }) => requestor))];
  return [...lossText(all), ...keptText(all), `requested by ${listed(people)}`].join("; ");
}

interface Previewed {
  readonly request_name: string;
  readonly outcome: string;
  readonly version: number | null;
}

/** Those of which it was shown what would happen, as they were then: what is done next is about these. */
export const seenIn = (items: readonly Previewed[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    items.flatMap(({ request_name, outcome, version }) =>
      outcome === "would" && version !== null ? [[request_name, version] as const] : [],
    ),
  );

const DOES: Readonly<Partial<Record<OperatorAction, string>>> = {
  submit: "submits the draft: it is queued, and planned when a slot is free",
  stop: "stops it",
  hold: "stops it for somebody to look at",
  requeue: "takes it out of the engine and puts it back into the queue",
  abort: "ends it for good",
  fail: "gives it up for good",
  resume: "goes on where it was stopped",
};

type Counted = Pick<Effect, "jobsKilled" | "secondsLost" | "unitsKept" | "unitsLeft" | "unitWord">;

function lossText({ jobsKilled, secondsLost }: Counted): readonly string[] {
  if (jobsKilled === 0) return [];
  const are = jobsKilled === 1 ? "is" : "are";
  const lost = secondsLost === null ? "what they did so far is lost" : `${spanText(secondsLost)} of work is lost`;
  return [`${thousands(jobsKilled)} running ${jobsKilled === 1 ? "job" : "jobs"} ${are} killed, ${lost}`];
}

function keptText({ unitsKept, unitsLeft, unitWord }: Counted): readonly string[] {
  const all = unitsKept + unitsLeft;
  if (all === 0) return [];
  if (unitsKept === 0) return [`none of ${plural(all, unitWord)} is done yet`];
  return [
    `${thousands(unitsKept)} of ${thousands(all)} ${all === 1 ? unitWord : `${unitWord}s`} ${unitsKept === 1 ? "stays" : "stay"} done`,
  ];
}

const unrun = ({ unitsLeft, unitWord }: Effect): readonly string[] =>
  unitsLeft === 0 ? [] : [`${plural(unitsLeft, unitWord)} will not run`];
const left = ({ unitsLeft, unitWord }: Effect): readonly string[] =>
  unitsLeft === 0 ? [] : [`${plural(unitsLeft, unitWord)} left to run`];

const FOLLOWS: Readonly<Partial<Record<OperatorAction, (effect: Effect, name: string) => readonly string[]>>> = {
  stop: (effect, name) => [...left(effect), `it stays stopped until: wms2 resume ${name}`],
  hold: (effect, name) => [...left(effect), `it waits until: wms2 resume ${name}`],
  requeue: (effect) => [...left(effect), "it goes on from there when it is its turn"],
  abort: (effect) => [...unrun(effect), "only a restart starts it again"],
  fail: (effect) => [...unrun(effect), "a list of its outputs is kept for withdrawing them"],
  resume: left,
};

function spanText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 360) / 10} h`;
}
