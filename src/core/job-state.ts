import type { NodeView } from "./run.ts";

interface JobStateFacts {
  /** Stands beside the colour wherever there is no room for the word; each state has its own. */
  readonly letter: string;
  /** Of a terminal. */
  readonly color: "green" | "red" | "yellow" | "cyan" | "dim";
  /** Of pages: several states may share one. */
  readonly tone: "waiting" | "running" | "done" | "failed" | "held" | "retrying";
  readonly meaning: string;
}

/**
 * The states of a job (of a unit likewise) as people see them: one word, one letter and one colour each, on every surface. The
 * engines' own words (ready, pre, queued, post, futile, idle) are translated by `jobStateOf`, nowhere else.
 */
export const JOB_STATE = {
  done: { letter: "✓", color: "green", tone: "done", meaning: "it ended well" },
  credited: { letter: "C", color: "green", tone: "done", meaning: "an earlier version did it, and that still holds" },
  running: { letter: "R", color: "cyan", tone: "running", meaning: "it runs, or has ended and is being checked" },
  retrying: { letter: "↻", color: "yellow", tone: "retrying", meaning: "it failed and is tried again automatically" },
  waiting: {
    letter: "W",
    color: "dim",
    tone: "waiting",
    meaning: "it has not started: it waits for other jobs, for its turn, or for a free place",
  },
  held: { letter: "H", color: "yellow", tone: "held", meaning: "the engine holds it, and says why" },
  failed: { letter: "F", color: "red", tone: "failed", meaning: "it failed, and is not tried again automatically" },
  blocked: { letter: "B", color: "red", tone: "failed", meaning: "it cannot run, because a job before it failed" },
} as const satisfies Readonly<Record<string, JobStateFacts>>;

export type ShownJobState = keyof typeof JOB_STATE;
/** Of a job of this round; one that an earlier version did is not in it. */
export type JobState = Exclude<ShownJobState, "credited">;
export const JOB_STATES = [
  "waiting",
  "running",
  "held",
  "retrying",
  "done",
  "failed",
  "blocked",
] as const satisfies readonly JobState[];

/** In the order of the table. */
export const SHOWN_JOB_STATES = Object.keys(JOB_STATE) as ShownJobState[];

/** The worst first: what a person should see of many. */
export const WORST_FIRST: readonly JobState[] = ["failed", "blocked", "held", "retrying", "running", "waiting", "done"];

/** "waiting: it has not started …; running: …", for descriptions. */
export const describeJobStates = (states: readonly ShownJobState[] = JOB_STATES): string =>
  states.map((state) => `${state}: ${JOB_STATE[state].meaning}`).join("; ");

/** "98 done, 2 failed", in the order of the table; nothing is said of states that no job is in. */
export const countStates = (counts: Readonly<Partial<Record<ShownJobState, number>>>): string =>
  SHOWN_JOB_STATES.flatMap((state) => (counts[state] ? [`${counts[state]} ${state}`] : [])).join(", ");

/** What the engine says of a node, in the one word that people see. */
export function jobStateOf({
  state,
  held,
  idle,
  retries,
}: Pick<NodeView, "state" | "held" | "idle" | "retries">): JobState {
  if (state === "done" || state === "failed") return state;
  if (state === "futile") return "blocked";
  if (held) return "held";
  if (state === "post" || (state === "queued" && !idle)) return "running";
  return retries > 0 ? "retrying" : "waiting";
}

/** What there is to say of its state, without the engine's own phrases; "": the word says all. */
export function describeDetail({ detail }: Pick<NodeView, "detail">): string {
  if (/^(not_idle|done|STATUS_\w+)?$/.test(detail) || detail.startsWith("POST script failed")) return "";
  if (detail === "idle") return "waits for a free place";
  if (detail.startsWith("PRE script failed")) return "preparing it failed";
  return detail.replace(/^idle: /, "");
}

/** A node as all surfaces show it. */
export const shownNode = <N extends NodeView>(node: N) => ({
  ...node,
  state: jobStateOf(node),
  engineState: node.state,
  detail: describeDetail(node),
});
