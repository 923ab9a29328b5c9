import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SiteName } from "../domain/names.ts";
import { highestRescue, rescueName } from "../engine/format/rescue.ts";
import { act } from "./operator.ts";
import type { Deed } from "./scenario.ts";
import type { Timeline } from "./timeline.ts";
import { spoken } from "./timeline.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Server, World } from "./world.ts";

export interface Stage {
  readonly world: World;
  readonly time: VirtualTime;
  readonly timeline: Timeline;
  server(): Server;
  /** The only request's name, when the story names none. */
  nameOf(request: string | null): string;
  kill(downSec: number): void;
  /** What changed is to be seen by the next pass. */
  lookSoon(): void;
  /** Makes the next death last this long. */
  setDown(downSec: number): void;
}

/** Carries out one event of the story. */
export async function perform(deed: Deed, stage: Stage): Promise<void> {
  stage.lookSoon();
  const { world, time, timeline } = stage;
  const { engine, sites } = world;
  const say = (words: string) => timeline.add("world", null, words, { deed });
  switch (deed.kind) {
    case "operator":
      return act(deed, stage);
    case "site": {
      const status = ({ drain: "draining", enable: "enabled", disable: "disabled" } as const)[deed.action];
      const known = await stage.server().commands.changeSite(deed.site as SiteName, { status }, "story");
      return say(`${deed.site} is ${status} now${known ? "" : " (not a known site)"}`);
    }
    case "ban":
    case "unban":
      return changeBan(deed, stage);
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
      if (deed.during === null && deed.afterCalls === null) return stage.kill(deed.downSec);
      stage.setDown(deed.downSec);
      stage.server().life.arm(deed.during, deed.when, deed.afterCalls);
      return;
    case "engine-down":
      say(`the engine cannot be reached${deed.forSec === null ? "" : ` for ${spoken(deed.forSec)}`}; its jobs go on`);
      engine.isAway = true;
      if (deed.forSec !== null) time.after(deed.forSec, () => backUp(stage));
      return;
    case "engine-up":
      return backUp(stage);
    case "lose-answer":
      engine.losesNextAnswer = true;
      return say("the engine's next answer will be lost");
    case "refuse-submits":
      engine.refuses = deed.words;
      return say(deed.words === null ? "the engine takes submissions again" : `the engine refuses: ${deed.words}`);
    default:
      return onRun(deed, stage);
  }
}

async function changeBan(deed: Extract<Deed, { kind: "ban" | "unban" }>, stage: Stage): Promise<void> {
  const { commands } = stage.server();
  const by = { actor: "story", dryRun: false };
  const site = deed.site as SiteName;
  if (deed.kind === "unban") {
    const answer = await commands.unbanSite(site, { request: null, all: true, reason: "the story" }, by);
    stage.timeline.add("operator", null, `the ban on ${site} is to be lifted: ${answer.kind}`, { deed, answer });
    return;
  }
  const { reason, forSec } = deed;
  const answer = await commands.banSite(site, { request: null, days: forSec / DAY, reason }, by);
  const why = answer.kind === "problems" ? answer.problems.map(({ message }) => message).join("; ") : reason;
  const words = `a ban on ${site} for ${spoken(forSec)} is asked for: ${answer.kind} (${why})`;
  stage.timeline.add(answer.kind === "problems" ? "trouble" : "operator", null, words, { deed, answer });
}

const DAY = 86_400;

function backUp(stage: Stage): void {
  stage.world.engine.isAway = false;
  stage.timeline.add("world", null, "the engine can be reached again");
  stage.lookSoon();
}

type RunDeed = Extract<Deed, { kind: "end-run" | "hold-run" | "release-run" | "corrupt-rescue" | "delete-directory" }>;

function onRun(deed: RunDeed, stage: Stage): void {
  const name = stage.nameOf(deed.request);
  const run = stage.world.engine.runOf(name);
  const say = (words: string) => stage.timeline.add("world", name, words, { deed });
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
