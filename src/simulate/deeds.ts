import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestName, SiteName } from "../domain/names.ts";
import { highestRescue, rescueName } from "../engine/format/rescue.ts";
import type { ActAnswer, OperatorRequest } from "../operators/port.ts";
import type { Deed } from "./read-events.ts";
import { DAY } from "./read-parts.ts";
import type { Story } from "./story.ts";
import { spoken } from "./timeline.ts";

/** Carries out one event of the story. */
export async function perform(deed: Deed, story: Story): Promise<void> {
  const { engine, sites, time, timeline, passes } = story.world;
  passes.soon(); // what changes now is to be seen by the next pass
  const say = (words: string) => timeline.add("world", null, words, { deed });
  switch (deed.kind) {
    case "operator":
      return operate(deed, story);
    case "site": {
      const status = ({ drain: "draining", enable: "enabled", disable: "disabled" } as const)[deed.action];
      const known = await story.server().commands.changeSite(deed.site as SiteName, { status }, "story");
      return say(`${deed.site} is ${status} now${known ? "" : " (not a known site)"}`);
    }
    case "ban":
    case "unban":
      return changeBan(deed, story);
    case "site-down":
      say(`${deed.site} goes down, its jobs are gone`);
      sites.setUp(deed.site, false);
      for (const run of engine.runs.values()) if (!run.ended) run.evictAt(deed.site);
      return;
    case "site-up":
      say(`${deed.site} is up again`);
      sites.setUp(deed.site, true);
      return;
    case "kill-server":
      return story.kill(deed);
    case "engine-down":
      say(`the engine cannot be reached${deed.forSec === null ? "" : ` for ${spoken(deed.forSec)}`}; its jobs go on`);
      engine.isAway = true;
      if (deed.forSec !== null) time.after(deed.forSec, () => backUp(story));
      return;
    case "engine-up":
      return backUp(story);
    case "lose-answer":
      engine.losesNextAnswer = true;
      return say("the engine's next answer will be lost");
    case "refuse-submits":
      engine.refuses = deed.words;
      return say(deed.words === null ? "the engine takes submissions again" : `the engine refuses: ${deed.words}`);
    default:
      return onRun(deed, story);
  }
}

/** Somebody asks for something through the same command the API calls, and is told the answer. */
async function operate(deed: Extract<Deed, { kind: "operator" }>, story: Story): Promise<void> {
  const { action, reason, body } = deed;
  const name = story.nameOf(deed.request) as RequestName;
  const { how, nodes, cleanup_policy: cleanupPolicy, ...modifications } = body;
  const wanted = {
    action,
    reason,
    ...(how !== undefined && { how }),
    ...(nodes !== undefined && { nodes }),
    ...(cleanupPolicy !== undefined && { cleanupPolicy }),
    ...(Object.keys(modifications).length > 0 && { modifications }),
  } as OperatorRequest;
  const seen = { actor: "story", version: null, dryRun: false };
  const answer = await story.server().commands.act(name, wanted, seen);
  const said = Object.keys(body).length === 0 ? "" : ` ${JSON.stringify(body)}`;
  const isFine = ["done", "would", "already"].includes(answer.kind);
  const words = `${action}${said} is asked for: ${answerWords(answer)}`;
  story.world.timeline.add(isFine ? "operator" : "trouble", name, words, { action, body, answer: answer.kind });
}

function answerWords(answer: ActAnswer): string {
  switch (answer.kind) {
    case "done":
    case "would":
      return [answer.because, ...answer.warnings].join("; ");
    case "already":
      return answer.why;
    case "refused":
      return `refused: ${answer.problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ")}`;
    default:
      return answer.kind;
  }
}

async function changeBan(deed: Extract<Deed, { kind: "ban" | "unban" }>, story: Story): Promise<void> {
  const { commands } = story.server();
  const by = { actor: "story", dryRun: false };
  const site = deed.site as SiteName;
  if (deed.kind === "unban") {
    const answer = await commands.unbanSite(site, { request: null, all: true, reason: "the story" }, by);
    story.world.timeline.add("operator", null, `the ban on ${site} is to be lifted: ${answer.kind}`, { deed, answer });
    return;
  }
  const { reason, forSec } = deed;
  const answer = await commands.banSite(site, { request: null, days: forSec / DAY, reason }, by);
  const why = answer.kind === "problems" ? answer.problems.map(({ message }) => message).join("; ") : reason;
  const words = `a ban on ${site} for ${spoken(forSec)} is asked for: ${answer.kind} (${why})`;
  story.world.timeline.add(answer.kind === "problems" ? "trouble" : "operator", null, words, { deed, answer });
}

function backUp(story: Story): void {
  const { engine, timeline, passes } = story.world;
  engine.isAway = false;
  timeline.add("world", null, "the engine can be reached again");
  passes.soon();
}

type RunDeed = Extract<Deed, { kind: "end-run" | "hold-run" | "release-run" | "corrupt-rescue" | "delete-directory" }>;

function onRun(deed: RunDeed, story: Story): void {
  const name = story.nameOf(deed.request);
  const run = story.world.engine.runOf(name);
  const say = (words: string) => story.world.timeline.add("world", name, words, { deed });
  if (!run) {
    say(`no run: ${deed.kind} comes to nothing`);
    return;
  }
  switch (deed.kind) {
    case "end-run":
      say(`the run is made to end: ${deed.verdict}`);
      run.end(deed.verdict, "the story ended it");
      break;
    case "hold-run":
      say("DAGMan is put on hold");
      run.hold();
      break;
    case "release-run":
      say("DAGMan is released");
      run.release();
      break;
    case "delete-directory":
      rmSync(run.submitDir, { recursive: true, force: true });
      say("its submit directory is deleted");
      if (!run.ended) run.end("lost", "its submit directory is gone");
      break;
    case "corrupt-rescue": {
      const [dir, dag] = deed.unit ? [join(run.submitDir, deed.unit), "group.dag"] : [run.submitDir, "workflow.dag"];
      const number = highestRescue(readdirSync(dir), dag) ?? 1;
      writeFileSync(join(dir, rescueName(dag, number)), "DONE mg_00\u0000garbage written by a dying disk\n");
      say(`${rescueName(dag, number)}${deed.unit ? ` of ${deed.unit}` : ""} is corrupted`);
    }
  }
}
