import { WorldError } from "../../src/core/base/errors.ts";
import { stringify } from "../../src/core/base/json.ts";
import { thousands } from "../../src/core/base/text.ts";
import type { Problem } from "../../src/core/problem.ts";
import { perform } from "./actions.ts";
import { type Checked, check } from "./check.ts";
import { gatherFacts, type RequestFacts } from "./facts.ts";
import { Life } from "./killable.ts";
import type { Action } from "./read-events.ts";
import type { Expectation } from "./read-expectations.ts";
import type { Scenario } from "./scenario.ts";
import { spoken } from "./timeline.ts";
import { makeWorld, type Server, type StoryOptions, startServer, type World } from "./world.ts";

export type StoryEnd = Readonly<Awaited<ReturnType<Story["run"]>>>;

/** Runs a scenario to its end, in a directory of its own. */
export async function runStory(scenario: Scenario, options: StoryOptions): Promise<StoryEnd> {
  const story = new Story(scenario, await makeWorld(scenario, options));
  try {
    return await story.run(options);
  } finally {
    await story.close();
  }
}

type StoryLimits = Pick<StoryOptions, "signal" | "mostEvents" | "mostSec">;
const tooLong = (why: string) => new WorldError("too-long", "simulate", why, { hint: "fewer jobs, fewer days" });

interface Scheduled {
  readonly atSec: number;
  readonly run: () => Promise<void>;
  /** The loop looks first: what is expected at a moment includes what was decided at it. */
  readonly passFirst?: boolean;
}

export class Story {
  readonly world: World;
  readonly #scenario: Scenario;
  readonly #script: Scheduled[];
  readonly #names: string[] = [];
  readonly #checked: Checked[] = [];
  readonly #refused: Problem[] = [];
  readonly #bans = new Set<string>();
  #server: Server | null = null;
  #servers = 0;
  #downSec = 0;
  #upAtSec = 0;

  constructor(scenario: Scenario, world: World) {
    this.world = world;
    this.#scenario = scenario;
    const { requests, events, expect } = scenario;
    this.#script = [
      ...requests.map(({ atSec, document }) => ({ atSec, run: () => this.#submit(document) })),
      ...events.map(({ atSec, act }) => ({ atSec, run: () => perform(act, this) })),
      ...expect.flatMap((one) =>
        one.atSec === null ? [] : [{ atSec: one.atSec, run: () => this.#check(one), passFirst: true }],
      ),
    ].sort((a, b) => a.atSec - b.atSec);
  }

  async close(): Promise<void> {
    this.#server?.life.die("the story is over");
    await this.world.store.close();
  }

  server(): Server {
    if (!this.#server) throw new Error("no server is up");
    return this.#server;
  }
  /** The only request's name, when the story names none. */
  nameOf(request: string | null): string {
    return request ?? this.#names[0] ?? "";
  }
  kill({ downSec, during, when, afterCalls }: Extract<Action, { kind: "kill-server" }>): void {
    const { life } = this.server();
    this.#downSec = downSec;
    if (during === null && afterCalls === null) life.die("between two passes");
    else life.arm(during, when, afterCalls);
  }

  async run({ signal, mostEvents, mostSec }: StoryLimits = {}) {
    const { time, passes } = this.world;
    const begun = performance.now();
    this.#startServer();
    while (!signal?.aborted && !(await this.#isOver())) {
      if (mostEvents !== undefined && time.happened + passes.count > mostEvents)
        throw tooLong(`more than ${thousands(BigInt(mostEvents))} simulated events`);
      if (mostSec !== undefined && performance.now() - begun > mostSec * 1000)
        throw tooLong(`it did not end in time (${mostSec} s)`);
      const next = this.#nextSec();
      if (next > this.#scenario.untilSec) break;
      time.moveTo(time.begin + next * 1000);
      time.runDue();
      if (!this.#server && time.sec >= this.#upAtSec) this.#startServer();
      await this.#runScript();
      if (this.#server && passes.isDue()) await this.#pass();
    }
    return this.#finish();
  }

  /** Infinite: nothing will happen any more. With no server up, what people ask for waits until one is. */
  #nextSec(): number {
    const { time, passes } = this.world;
    const engine = time.nextMs === null ? Number.POSITIVE_INFINITY : (time.nextMs - time.begin) / 1000;
    const scripted = this.#script[0]?.atSec ?? Number.POSITIVE_INFINITY;
    const soonest = this.#server ? Math.min(engine, scripted, passes.nextSec) : Math.min(engine, this.#upAtSec);
    return Math.max(time.sec, soonest);
  }

  async #runScript(): Promise<void> {
    while (this.#server && this.#script[0] && this.#script[0].atSec <= this.world.time.sec) {
      const { run, passFirst } = this.#script[0];
      if (passFirst && !this.world.passes.isFresh()) await this.#pass();
      if (!this.#server) return;
      this.#script.shift();
      await run();
      this.#afterLife();
    }
  }

  async #pass(): Promise<void> {
    this.world.passes.begin();
    await this.server().loop.passOnce();
    if (this.world.passes.hasMoved) await this.#tellBans();
    this.world.passes.end();
    if (this.server().life.isCounting) this.world.passes.soon();
    this.#afterLife();
  }

  async #tellBans(): Promise<void> {
    const { store, time, timeline } = this.world;
    for (const ban of await store.sites.activeBans(time.now())) {
      if (this.#bans.has(ban.id)) continue;
      this.#bans.add(ban.id);
      const whom = ban.workflowId === null ? "for all" : "for this workflow";
      const length = spoken((ban.expiresAt.getTime() - time.ms) / 1000);
      timeline.add("decision", null, `${ban.site} is banned ${whom}, for ${length}: ${ban.reason}`, { ban });
    }
  }

  #startServer(): void {
    const { timeline, passes } = this.world;
    this.#servers += 1;
    const name = `server-${this.#servers}`;
    const life = new Life((where) => {
      if (where !== "the story is over") timeline.add("server", null, `${name} is killed: ${where}`);
    });
    this.#server = startServer(this.world, name, life);
    if (this.#servers > 1) timeline.add("server", null, `${name} starts`);
    passes.nudge();
  }

  #afterLife(): void {
    if (!this.#server?.life.isDead) return;
    this.#server = null;
    this.#upAtSec = this.world.time.sec + this.#downSec;
  }

  async #submit(document: unknown): Promise<void> {
    const { commands } = this.server();
    const answer = await commands.submit({ text: stringify(document), format: "json" }, "story");
    if (answer.ok) {
      const { request, warnings } = answer.value;
      if (!request) return;
      this.#names.push(request.spec.name);
      for (const warning of warnings) this.world.timeline.add("trouble", request.spec.name, `warning: ${warning}`);
      return;
    }
    const { error } = answer;
    const problems =
      error.kind === "problems" ? error.problems : [{ path: "name", message: `${error.name} is taken`, allowed: null }];
    this.#refused.push(...problems.map((problem) => ({ ...problem, path: `request.${problem.path}` })));
  }

  async #check(expectation: Expectation): Promise<void> {
    const names = expectation.request === null ? this.#names : [expectation.request];
    for (const name of names) {
      const facts = await gatherFacts(this.world, name);
      this.#checked.push(...check(expectation, facts, this.world.timeline.entries));
    }
  }

  /** Over: nothing is scripted any more, and every request is terminal, or waits for somebody who will not come. */
  async #isOver(): Promise<boolean> {
    if (this.#refused.length > 0) return true;
    if (this.#script.length > 0 || !this.#server) return false;
    if (!this.world.passes.isFresh()) return false;
    const open = await this.world.store.requests.open();
    return open.every((record) => record.status === "held" && record.wish === null);
  }

  async #finish() {
    const { laws, store, engine, time, watch, passes, timeline } = this.world;
    laws.finish();
    for (const one of this.#scenario.expect) if (one.atSec === null) await this.#check(one);
    const missed = this.#server?.life.plannedDeath;
    if (missed) this.#checked.push({ holds: false, text: `the server is killed ${missed}, but it never came to that` });
    const { items } = await store.requests.list({ limit: 1000 });
    const facts: RequestFacts[] = [];
    for (const { spec } of items.toReversed()) facts.push(await gatherFacts(this.world, spec.name));
    const mayFail = this.#scenario.events.some(
      ({ act }) => act.kind === "operator" && ["fail", "restart"].includes(act.action),
    );
    for (const one of facts) laws.ended(one, mayFail, time.sec);
    if (engine.doubleSubmissions > 0)
      laws.break("", `a directory was submitted while it ran, ${engine.doubleSubmissions} times`);
    return {
      facts,
      tallies: watch.tallies,
      checked: this.#checked,
      lawsBroken: laws.broken,
      /** A request the real intake refused: the story is not about that. */
      refused: this.#refused,
      virtualSec: time.sec,
      passes: passes.count,
      servers: this.#servers,
      entries: timeline.entries,
    };
  }
}
