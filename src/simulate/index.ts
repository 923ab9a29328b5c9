export { isFine, summarize, summaryJson, Teller } from "./print.ts";
export { readScenario, requestNames, type Scenario } from "./scenario.ts";
export { runStory, type StoryEnd } from "./story.ts";
export type { Entry } from "./timeline.ts";
