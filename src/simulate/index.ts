import type { Scenario } from "./scenario.ts";

export { readScenario } from "./read-scenario.ts";
export type { Scenario } from "./scenario.ts";
export { runStory } from "./story.ts";
export type { StoryEnd, StoryOptions } from "./story-end.ts";
export { isFine, summarise, summaryJson } from "./summary.ts";
export { Teller } from "./tell.ts";
export type { Entry } from "./timeline.ts";

/** As far as they can be told before intake has looked. */
export const requestNames = ({ requests }: Scenario): readonly string[] =>
  requests.map(({ document }) => String((document as { name?: unknown } | null)?.name ?? ""));
