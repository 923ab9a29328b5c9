import { localStories } from "../support/local-stories.ts";
import * as stories from "../support/segment-stories.ts";

localStories("segments", {
  "history becomes products, chunks before what is made of them, and the request completes": stories.emptyStory,
  "a product that is gone is found by verify and made again, and nothing else is": stories.holeStory,
  "late history is waited for by name, and of two fills at once each product is made once": stories.lateStory,
  "a product is held after two errors while the others go on, and released by one command": stories.heldStory,
  "a server killed in the middle of a round goes on with it, and repeats nothing": stories.killedStory,
  "a product may be a folder: half written ones are made, and one that lost a file is found": stories.folderStory,
  "what is there already is verified and taken as done": stories.takenStory,
});
