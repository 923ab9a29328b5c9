import { stringify } from "../base/json.ts";
import type { Problem } from "../domain/problem.ts";
import { type Checked, check } from "./check.ts";
import { perform, type Stage } from "./deeds.ts";
import type { SimRun } from "./engine/sim-run.ts";
import { gatherFacts, type RequestFacts } from "./facts.ts";
import { Laws } from "./laws.ts";
import { Life } from "./mortal.ts";
import { PassPlan } from "./pass-plan.ts";
import type { Scenario } from "./scenario.ts";
import { makeEars } from "./server-ears.ts";
import type { StoryEnd, StoryOptions } from "./story-end.ts";
import { type Entry, spoken, Timeline } from "./timeline.ts";
import { VirtualTime } from "./virtual-time.ts";
import { EngineWatch, type News } from "./watch-engine.ts";
import { makeWorld, openMemory, type Server, startServer, type World } from "./world.ts";

const BEGIN = new Date("2026-01-01T00:00:00Z");

/** Runs a scenario to its end, in a directory of its own. */
export async function runStory(scenario: Scenario, options: StoryOptions): Promise<StoryEnd> {
  const story = new Story(scenario, options.tell);
  await story.open(options);
  try {
    return await story.run();
  } finally {
    await story.close();
  }
}

interface Scheduled {
  readonly atSec: number;
  readonly act: () => Promise<void>;
  /** The loop looks first: what is expected at a moment includes what was decided at it. */
  readonly passFirst: boolean;
}

class Story implements Stage {
  readonly time = new VirtualTime(BEGIN);
  readonly timeline: Timeline;
  readonly #scenario: Scenario;
  readonly #laws: Laws;
  readonly #watch: EngineWatch;
  readonly #passes: PassPlan;
  readonly #script: Scheduled[] = [];
  readonly #names: string[] = [];
  readonly #checked: Checked[] = [];
  readonly #refused: Problem[] = [];
  readonly #bans = new Set<string>();
  #world: World | null = null;
  #server: Server | null = null;
  #servers = 0;
  #downSec = 0;
  #upAtSec = 0;

  constructor(scenario: Scenario, tell: (entry: Entry) => void) {
    this.#scenario = scenario;
    this.timeline = new Timeline(this.time, tell);
    this.#laws = new Laws((words, request) => this.timeline.add("law", request, `broken law: ${words}`));
    this.#passes = new PassPlan(this.time);
    this.#watch = new EngineWatch(this.timeline, this.#laws, (news, run) => this.#news(news, run));
    const { requests, events, expect } = scenario;
    for (const { atSec, document } of requests) this.#plan(atSec, () => this.#submit(document));
    for (const { atSec, deed } of events) this.#plan(atSec, () => perform(deed, this));
    for (const expectation of expect) {
      if (expectation.atSec !== null) this.#plan(expectation.atSec, () => this.#check(expectation), true);
    }
    this.#script.sort((a, b) => a.atSec - b.atSec);
  }

  async open({ dir, seed, store }: StoryOptions): Promise<void> {
    const ears = makeEars(this.timeline, this.#passes);
    const kept = store ?? (await openMemory());
    this.#world = await makeWorld(this.#scenario, seed, dir, kept, this.time, this.#watch, ears);
    this.#passes.intervalSec = this.#world.policy.intervalSec;
  }

  async close(): Promise<void> {
    this.#server?.life.die("the story is over");
    await this.#world?.store.close();
  }

  get world(): World {
    if (!this.#world) throw new Error("the story has no world yet");
    return this.#world;
  }
  server(): Server {
    if (!this.#server) throw new Error("no server is up");
    return this.#server;
  }
  nameOf(request: string | null): string {
    return request ?? this.#names[0] ?? "";
  }
  setDown(downSec: number): void {
    this.#downSec = downSec;
  }
  lookSoon(): void {
    this.#passes.soon();
  }
  kill(downSec: number): void {
    this.#downSec = downSec;
    this.#server?.life.die("between two passes");
  }

  async run(): Promise<StoryEnd> {
    const until = this.#scenario.untilSec;
    this.#startServer();
    for (;;) {
      if (await this.#isOver()) break;
      const next = this.#nextSec();
      if (next === null || next > until) break;
      this.time.moveTo(this.time.begin + next * 1000);
      this.time.runDue();
      if (!this.#server && this.time.sec >= this.#upAtSec) this.#startServer();
      await this.#runScript();
      if (this.#server && this.#passes.isDue()) await this.#pass();
    }
    return this.#finish();
  }

  #nextSec(): number | null {
    const engine = this.time.nextMs === null ? null : (this.time.nextMs - this.time.begin) / 1000;
    // With no server nothing is scripted but the world: what people ask for waits until one is up.
    const moments = this.#server
      ? [engine, this.#script[0]?.atSec ?? null, this.#passes.nextSec]
      : [engine, this.#upAtSec];
    const known = moments.filter((moment) => moment !== null);
    return known.length === 0 ? null : Math.max(this.time.sec, Math.min(...known));
  }

  async #runScript(): Promise<void> {
    while (this.#server && this.#script[0] && this.#script[0].atSec <= this.time.sec) {
      const { act, passFirst } = this.#script[0];
      if (passFirst && !this.#passes.isFresh()) await this.#pass();
      if (!this.#server) return;
      this.#script.shift();
      await act();
      this.#afterLife();
    }
  }

  async #pass(): Promise<void> {
    this.#passes.begin();
    await this.server().loop.passOnce();
    if (this.#passes.hasMoved) await this.#tellBans();
    this.#passes.end();
    if (this.server().life.isCounting) this.#passes.soon();
    this.#afterLife();
  }

  async #tellBans(): Promise<void> {
    for (const ban of await this.world.store.sites.activeBans(this.time.now())) {
      if (this.#bans.has(ban.id)) continue;
      this.#bans.add(ban.id);
      const whom = ban.workflowId === null ? "for all" : "for this workflow";
      const length = spoken((ban.expiresAt.getTime() - this.time.ms) / 1000);
      this.timeline.add("decision", null, `${ban.site} is banned ${whom}, for ${length}: ${ban.reason}`, { ban });
    }
  }

  #startServer(): void {
    this.#servers += 1;
    const name = `server-${this.#servers}`;
    const life = new Life((where) => this.#died(name, where));
    this.#server = startServer(this.world, name, life, () => this.#passes.nudge());
    if (this.#servers > 1) this.timeline.add("server", null, `${name} starts`);
    this.#passes.nudge();
  }

  #died(name: string, where: string): void {
    if (where !== "the story is over") this.timeline.add("server", null, `${name} is killed: ${where}`);
  }

  #afterLife(): void {
    if (!this.#server?.life.isDead) return;
    this.#server = null;
    this.#upAtSec = this.time.sec + this.#downSec;
  }

  #news(news: News, run: SimRun): void {
    this.#passes.news(news, run.unitCount);
  }

  #plan(atSec: number, act: () => Promise<void>, passFirst = false): void {
    this.#script.push({ atSec, act, passFirst });
  }

  async #submit(document: unknown): Promise<void> {
    const { commands } = this.server();
    const answer = await commands.submit({ text: stringify(document), format: "json" }, "story");
    if (answer.ok && answer.value.request) {
      this.#names.push(answer.value.request.spec.name);
      for (const warning of answer.value.warnings)
        this.timeline.add("trouble", answer.value.request.spec.name, `warning: ${warning}`);
      return;
    }
    if (answer.ok) return;
    const { error } = answer;
    const problems =
      error.kind === "problems" ? error.problems : [{ path: "name", message: `${error.name} is taken`, allowed: null }];
    this.#refused.push(...problems.map((problem) => ({ ...problem, path: `request.${problem.path}` })));
  }

  async #check(expectation: Scenario["expect"][number]): Promise<void> {
    const names = expectation.request === null ? this.#names : [expectation.request];
    for (const name of names) {
      const facts = await gatherFacts(this.world, this.#watch, name);
      this.#checked.push(...check(expectation, facts, this.timeline.entries));
    }
  }

  /** Over: nothing is scripted any more, and every request is terminal, or waits for somebody who will not come. */
  async #isOver(): Promise<boolean> {
    if (this.#refused.length > 0) return true;
    if (this.#script.length > 0 || !this.#server) return false;
    if (!this.#passes.isFresh()) return false;
    const open = await this.world.store.requests.open();
    return open.every((record) => record.status === "held" && record.wish === null);
  }

  async #finish(): Promise<StoryEnd> {
    this.#laws.finish();
    const last = this.#scenario.expect.filter(({ atSec }) => atSec === null);
    for (const expectation of last) await this.#check(expectation);
    const missed = this.#server?.life.plannedDeath;
    if (missed)
      this.#checked.push({ holds: false, words: `the server is killed ${missed}, but it never came to that` });
    const { items } = await this.world.store.requests.list({ limit: 1000 });
    const facts: RequestFacts[] = [];
    for (const { spec } of items.toReversed()) facts.push(await gatherFacts(this.world, this.#watch, spec.name));
    const mayFail = this.#scenario.events.some(
      ({ deed }) => deed.kind === "operator" && ["fail", "restart"].includes(deed.action),
    );
    for (const one of facts) this.#laws.ended(one, mayFail, this.time.sec);
    if (this.world.engine.doubleSubmissions > 0)
      this.#laws.break("", `a directory was submitted while it ran, ${this.world.engine.doubleSubmissions} times`);
    return {
      facts,
      tallies: this.#watch.tallies,
      checked: this.#checked,
      lawsBroken: this.#laws.broken,
      refused: this.#refused,
      virtualSec: this.time.sec,
      passes: this.#passes.count,
      servers: this.#servers,
      entries: this.timeline.entries,
    };
  }
}
