import * as stories from "../support/graph-stories.ts";
import { localStories } from "../support/local-stories.ts";

localStories("graph", {
  "a diamond over files runs in order and completes without a catalog": stories.diamondStory,
  "what waits for an end runs whatever came before; a rescue runs it again, and nothing that is done":
    stories.endedStory,
  "a failed job is resubmitted by its own name while others run, and frees what it blocked": stories.resubmitStory,
  "kill -9 of server and engine while a failed job runs again: it is adopted, and nothing runs twice":
    stories.killedBesideStory,
  "errors say what failed by its name, and which jobs it blocks": stories.blockedStory,
});
