import { countStates, JOB_STATE, WORST_FIRST } from "../../../src/core/job-state.ts";
import type { Answer } from "../../api/client.ts";
import { count } from "../../words.ts";

export type UnitGraph = Answer<"dags.unit">;
type States = readonly Pick<UnitGraph["nodes"][number], "state">[];

/** The whole unit in one sentence, with the colour it has: that of its worst job. */
export function unitSentence(nodes: States): { readonly tone: string; readonly text: string } {
  const worst = WORST_FIRST.find((state) => nodes.some((node) => node.state === state)) ?? "waiting";
  const counts = Object.fromEntries(
    WORST_FIRST.map((state) => [state, nodes.filter((node) => node.state === state).length]),
  );
  return { tone: JOB_STATE[worst].tone, text: `${count(nodes.length, "job")}: ${countStates(counts)}` };
}
