import type { Answer } from "../../api/client.ts";
import { count, PART_LOOK, type PartState } from "../../words.ts";

export type UnitGraph = Answer<"dags.unit">;
type UnitNode = UnitGraph["nodes"][number];
type NodeFacts = Pick<UnitNode, "state" | "held" | "idle" | "retries">;

/** The engine's word for a node, as one of the states that people know from every page. */
export function stateOf({ state, held, idle, retries }: NodeFacts): PartState {
  if (state === "done" || state === "failed") return state;
  if (state === "futile") return "blocked";
  if (held) return "held";
  if (state === "post" || (state === "queued" && !idle)) return "running";
  if (retries > 0) return "retrying";
  return state === "queued" ? "idle" : "waiting";
}

/** How many are in which state, worst first: "1 failed, 2 done". */
function tally(nodes: readonly NodeFacts[]): string {
  const states = nodes.map(stateOf);
  return WORST_FIRST.flatMap((state) => {
    const number = states.filter((own) => own === state).length;
    return number > 0 ? [`${number} ${state}`] : [];
  }).join(", ");
}
const WORST_FIRST = ["failed", "blocked", "held", "retrying", "running", "idle", "waiting", "done"] as const;

/** The whole unit in one sentence, with the colour it has. */
export function unitSentence(nodes: readonly NodeFacts[]): { readonly tone: string; readonly text: string } {
  const worst = WORST_FIRST.find((state) => nodes.some((node) => stateOf(node) === state)) ?? "waiting";
  return { tone: PART_LOOK[worst][0], text: `${count(nodes.length, "job")}: ${tally(nodes)}` };
}
