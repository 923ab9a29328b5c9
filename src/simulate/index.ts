import type { Scenario } from "./scenario.ts";

export { readScenario } from "./read-scenario.ts";
export type { Scenario } from "./scenario.ts";
export { runStory, type StoryEnd } from "./story.ts";
export { isFine, summarise, summaryJson } from "./summary.ts";
export { Teller } from "./tell.ts";
export type { Entry } from "./timeline.ts";

/** As far as they can be told before intake has looked. */
export const requestNames = ({ requests }: Scenario): readonly string[] =>
  requests.map(({ document }) => String((document as { name?: unknown } | null)?.name ?? ""));
