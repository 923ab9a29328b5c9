export { isFine, summarise, summaryJson, Teller } from "./print.ts";
export { readScenario, requestNames } from "./scenario.ts";
export { runStory } from "./story.ts";
export type { Entry } from "./timeline.ts";
