export { readScenario, requestNames, type Scenario } from "./scenario.ts";
export { runStory, type StoryEnd } from "./story.ts";
export { isFine, summarise, summaryJson, Teller } from "./tell.ts";
export type { Entry } from "./timeline.ts";
