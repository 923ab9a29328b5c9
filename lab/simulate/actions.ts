import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestName, SiteName } from "../../src/core/names.ts";
import { highestRescue, rescueName } from "../../src/engines/format/rescue.ts";
import type { ActAnswer, OperatorRequest } from "../../src/operations/handlers/port.ts";
import { TOP, UNIT } from "../../src/submit-dir/names.ts";
import type { Action } from "./read-events.ts";
import { DAY } from "./read-parts.ts";
import type { Story } from "./story.ts";
import { spoken } from "./timeline.ts";

/** Carries out one event of the story. */
export async function perform(act: Action, story: Story): Promise<void> {
  const { engine, sites, time, timeline, passes } = story.world;
  passes.soon(); // what changes now is to be seen by the next pass
  const say = (text: string) => timeline.add("world", null, text, { event: act });
  switch (act.kind) {
    case "operator":
      return operate(act, story);
    case "site": {
      const status = ({ drain: "draining", enable: "enabled", disable: "disabled" } as const)[act.action];
      const known = await story
        .server()
        .commands.changeSite(act.site as SiteName, { status }, { actor: "story", dryRun: false });
      return say(`${act.site} is ${status} now${known ? "" : " (not a known site)"}`);
    }
    case "ban":
    case "unban":
      return changeBan(act, story);
    case "site-down":
      say(`${act.site} goes down, its jobs are gone`);
      sites.setUp(act.site, false);
      for (const run of engine.runs.values()) if (!run.ended) run.runner.evictAt(act.site);
      return;
    case "site-up":
      say(`${act.site} is up again`);
      sites.setUp(act.site, true);
      return;
    case "kill-server":
      return story.kill(act);
    case "engine-down":
      say(`the engine cannot be reached${act.forSec === null ? "" : ` for ${spoken(act.forSec)}`}; its jobs go on`);
      engine.isAway = true;
      if (act.forSec !== null) time.after(act.forSec, () => backUp(story));
      return;
    case "engine-up":
      return backUp(story);
    case "lose-answer":
      engine.losesNextAnswer = true;
      return say("the engine's next answer will be lost");
    case "refuse-submits":
      engine.refuses = act.reason;
      return say(act.reason === null ? "the engine takes submissions again" : `the engine refuses: ${act.reason}`);
    default:
      return onRun(act, story);
  }
}

/** Somebody asks for something through the same command the API calls, and is told the answer. */
async function operate(act: Extract<Action, { kind: "operator" }>, story: Story): Promise<void> {
  const { action, reason, body } = act;
  const name = story.nameOf(act.request) as RequestName;
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
  const text = `${action}${said} is asked for: ${answerText(answer)}`;
  story.world.timeline.add(isFine ? "operator" : "trouble", name, text, { action, body, answer: answer.kind });
}

function answerText(answer: ActAnswer): string {
  switch (answer.kind) {
    case "done":
    case "would":
      return [answer.reason, ...answer.warnings].join("; ");
    case "already":
      return answer.why;
    case "refused":
      return `refused: ${answer.problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ")}`;
    default:
      return answer.kind;
  }
}

async function changeBan(act: Extract<Action, { kind: "ban" | "unban" }>, story: Story): Promise<void> {
  const { commands } = story.server();
  const by = { actor: "story", dryRun: false };
  const site = act.site as SiteName;
  if (act.kind === "unban") {
    const answer = await commands.unbanSite(site, { request: null, all: true, reason: "the story" }, by);
    story.world.timeline.add("operator", null, `the ban on ${site} is to be lifted: ${answer.kind}`, {
      event: act,
      answer,
    });
    return;
  }
  const { reason, forSec } = act;
  const answer = await commands.banSite(site, { request: null, days: forSec / DAY, reason }, by);
  const why = answer.kind === "problems" ? answer.problems.map(({ message }) => message).join("; ") : reason;
  const text = `a ban on ${site} for ${spoken(forSec)} is asked for: ${answer.kind} (${why})`;
  story.world.timeline.add(answer.kind === "problems" ? "trouble" : "operator", null, text, { event: act, answer });
}

function backUp(story: Story): void {
  const { engine, timeline, passes } = story.world;
  engine.isAway = false;
  timeline.add("world", null, "the engine can be reached again");
  passes.soon();
}

type RunAction = Extract<
  Action,
  { kind: "end-run" | "hold-run" | "release-run" | "corrupt-rescue" | "delete-directory" }
>;

function onRun(act: RunAction, story: Story): void {
  const name = story.nameOf(act.request);
  const run = story.world.engine.runOf(name);
  const say = (text: string) => story.world.timeline.add("world", name, text, { event: act });
  if (!run) {
    say(`no run: ${act.kind} comes to nothing`);
    return;
  }
  switch (act.kind) {
    case "end-run":
      say(`the run is made to end: ${act.verdict}`);
      run.endAs(act.verdict, "the story ended it");
      break;
    case "hold-run":
      say("DAGMan is put on hold");
      run.runner.hold();
      break;
    case "release-run":
      say("DAGMan is released");
      run.runner.release();
      break;
    case "delete-directory":
      rmSync(run.run.submitDir, { recursive: true, force: true });
      say("its submit directory is deleted");
      if (!run.ended) run.endAs("lost", "its submit directory is gone");
      break;
    case "corrupt-rescue": {
      const [dir, dag] = act.unit ? [join(run.run.submitDir, act.unit), UNIT.dag] : [run.run.submitDir, TOP.dag];
      const number = highestRescue(readdirSync(dir), dag) ?? 1;
      writeFileSync(join(dir, rescueName(dag, number)), "DONE mg_00\u0000garbage written by a dying disk\n");
      say(`${rescueName(dag, number)}${act.unit ? ` of ${act.unit}` : ""} is corrupted`);
    }
  }
}
