import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeProgram } from "../../src/cli/program.ts";
import { HOLDS, type HoldCode, holdFor } from "../../src/core/holds.ts";
import type { RequestName } from "../../src/core/names.ts";
import { splitArguments } from "../../src/intake/reading/command-line.ts";
import { watchFailures } from "../../src/operations/handlers/watch-failures.ts";
import {
  blockAlerts,
  heldAlerts,
  identityAlerts,
  stuckAlerts,
} from "../../src/operations/upkeep/alerts/decide-alerts.ts";
import { actionCommand } from "../../src/recovery/explain/advise.ts";
import type { AttemptRecord } from "../../src/recovery/ledger-record.ts";
import { fakeApi, TOKEN } from "../support/api-fakes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { whyNotTyped } from "../support/typed-command.ts";
import { generation, makeWorld } from "../support/world.ts";

/**
 * Advice works: whatever a held request, its errors and the causes tell people to type is understood as it is printed,
 * accepted by the server in that state, and moves what it was about. The real command line talks to the real routes, over
 * a real store, real submit directories and the real loop.
 */
let world: Awaited<ReturnType<typeof makeWorld>>;
let name: RequestName;
let document: Record<string, unknown>;

beforeEach(async () => {
  world = await makeWorld();
  const { store, engine, commands, ports } = world;
  const sha256 = createHash("sha256").update(TOKEN).digest("hex");
  await store.settings.addToken({ sha256, name: "ann", at: ports.clock.now() });
  const { app } = fakeApi({ store, engine, commands, clock: ports.clock });
  vi.stubEnv("WMS2_SERVER", "http://127.0.0.1:9");
  vi.stubEnv("WMS2_TOKEN", TOKEN);
  vi.stubGlobal("fetch", async (url: string, { method, headers, body }: RequestInit) => {
    const at = url.replace("http://127.0.0.1:9", "");
    const payload = body === undefined || body === null ? {} : { payload: String(body) };
    const answer = await app.inject({
      method: method as "GET",
      url: at,
      headers: headers as Record<string, string>,
      ...payload,
    });
    return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** What the command line says to these words; throws where it would exit with an error. */
async function cli(...words: readonly string[]): Promise<string> {
  let text = "";
  const hear = (chunk: unknown) => {
    text += String(chunk);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockImplementation(hear));
  try {
    const program = await makeProgram(words);
    await program.parseAsync([...words], { from: "user" });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  expect(process.exitCode ?? 0, `wms2 ${words.join(" ")}\n${text}`).toBe(0);
  return text;
}

/** As a person types it, with FILE and TEXT filled in; a --filter is meant. */
async function type(line: string, ...more: readonly string[]): Promise<string> {
  const split = splitArguments(line);
  if (!split.ok) throw new Error(`${line}: ${split.why}`);
  const file = join(tempDir("advice"), "corrected.json");
  writeFileSync(file, JSON.stringify({ ...document, retries: { processing: 1 } }));
  const words = split.argv.slice(1).map((word) => (word === "FILE" ? file : word === "TEXT" ? "as told" : word));
  return cli(...words, ...(words.includes("--filter") && !words.includes("--yes") ? ["--yes"] : []), ...more);
}

/** The command lines in a page: from "wms2" to the end of the line, or to what explains it. */
const linesIn = (page: string): readonly string[] =>
  page.split("\n").flatMap((line) => /\b(wms2 [a-z].*?)(?: {2,}.*|[,;:] .*|)$/.exec(line)?.[1] ?? []);

async function passes(): Promise<void> {
  for (let pass = 0; pass < 5; pass += 1) await world.pass();
}

const STOPPED = { decision: "stop", why: "row-stops", category: "permanent", exitCode: 8001, rule: null } as const;
const UNKNOWN = { cause: "exit", exitCode: 3, category: null, decision: "unclassified", why: "unclassified" } as const;

/** Requests that are held, each for another reason. */
async function held(over: Record<string, unknown>, failed: number, how: Partial<AttemptRecord>): Promise<void> {
  document = { ...JSON.parse(generation("r", 3)), ...over };
  name = await world.submit(JSON.stringify(document));
  await passes();
  world.engine.fail(failed, how);
  world.engine.finish(world.storageDir);
  await passes();
  await world.expectStatus(name, "held");
}

async function heldForFiles(): Promise<void> {
  const dir = tempDir("inputs");
  mkdirSync(dir, { recursive: true });
  for (const at of [0, 1, 2]) writeFileSync(join(dir, `f${at}.txt`), "x");
  const input = { input: { files: join(dir, "*.txt") }, split: { by: "files", files_per_job: 1 }, unit: { jobs: 1 } };
  const bad = [join(dir, "f0.txt")];
  document = {
    name: "r",
    kind: "process",
    ...input,
    steps: [{ name: "s", run: ["/bin/true"] }],
    outputs: [{ name: "o", file: "o" }],
  };
  name = await world.submit(JSON.stringify(document));
  await passes();
  const data = { category: "data", exitCode: 8021, decision: "stop", why: "bad-file" } as const;
  world.engine.fail(1, { ...data, badFiles: bad, files: bad });
  world.engine.fail(1, { ...data, badFiles: [join(dir, "f1.txt")], files: [join(dir, "f1.txt")] });
  world.engine.finish(world.storageDir);
  await passes();
  await world.expectStatus(name, "held");
}

async function heldGraph(): Promise<void> {
  const jobs = [
    { name: "a", run: "false" },
    { name: "b", run: "true", after: "a" },
  ];
  document = { name: "r", kind: "graph", directory: tempDir("graph"), jobs, recovery: { max_rescues: 0 } };
  name = await world.submit(JSON.stringify(document));
  await passes();
  const [dagId = "" as never] = [...world.engine.runs.keys()];
  world.engine.endJob(dagId, "job_000000", false);
  world.engine.endRun(dagId, "failed");
  await passes();
  await world.expectStatus(name, "held");
}

/** Half of what ran in the north failed there, and all that ran in the south ended well. */
async function heldForSite(): Promise<void> {
  document = JSON.parse(generation("r", 40));
  name = await world.submit(JSON.stringify(document));
  await passes();
  world.engine.fail(10, { category: "infrastructure", exitCode: 8020, rule: null, site: "north" });
  const { submitDir } = [...world.engine.runs.values()].at(-1)!.run;
  for (let unit = 10; unit < 40; unit += 1) {
    const site = unit < 21 ? "north" : "south";
    const line = { event: "attempt", at: "2026-01-01T00:00:00Z", node: "merge", cluster: 900 + unit, site };
    const ledger = join(submitDir, `mg_${String(unit).padStart(6, "0")}`, "ledger.jsonl");
    appendFileSync(ledger, `${JSON.stringify({ ...line, decision: "done" })}\n`);
  }
  world.engine.finish(world.storageDir);
  await passes();
  await world.expectStatus(name, "held");
}

const OOM = { cause: "oom", category: "transient", memoryMb: 1000, exitCode: 50660, rule: "too-much-memory" } as const;
const STORIES: Readonly<Record<string, () => Promise<void>>> = {
  "failures no rule knows": () => held({}, 3, UNKNOWN),
  "failures somebody gave up": async () => {
    await held({}, 3, UNKNOWN);
    await type("wms2 classify r --fail all --reason TEXT");
  },
  "failures for good": () => held({}, 3, STOPPED),
  "failures that may go away": () => held({}, 3, {}),
  "jobs without memory": () => held({}, 3, OOM),
  "jobs without memory that have the most there is": () => held({}, 3, { ...OOM, memoryMb: 3000 }),
  "bad input files": heldForFiles,
  "a site that stands out": heldForSite,
  "a graph whose job fails": heldGraph,
  "a person": async () => {
    document = JSON.parse(generation("r", 3));
    name = await world.submit(JSON.stringify(document));
    await passes();
    await type("wms2 hold r --reason TEXT");
    await passes();
    await world.expectStatus(name, "held");
  },
};

interface Suggested {
  readonly action: string;
  readonly command: string | null;
  readonly everybody_command: string | null;
}
const errorsSay = async (): Promise<Suggested> => JSON.parse(await cli("errors", name, "--json")).suggestion;
const causesSay = async (): Promise<Suggested | null> =>
  JSON.parse(await cli("causes", "--json")).items[0]?.suggestion ?? null;

/** What any page tells people to type is understood and accepted as printed. */
async function expectTyped(
  own: readonly string[] = ["show", "errors", "actions", "unclassified", "groups"],
  ofAll: readonly string[] = ["causes"],
): Promise<void> {
  const pages: string[] = [];
  for (const page of own) pages.push(await cli(page, name));
  for (const page of ofAll) pages.push(await cli(page));
  const lines = new Set(pages.flatMap(linesIn));
  expect(lines.size).toBeGreaterThan(2);
  for (const line of lines) {
    expect(await whyNotTyped(line), line).toBeNull();
    const isLook = !/ --reason\b/.test(line) || line.includes("--dry-run");
    await type(line, ...(isLook ? [] : ["--dry-run"]));
  }
}

/** What is offered without a look is allowed with one. */
async function expectAllowed(): Promise<void> {
  const actionsOf = (items: readonly { action: string }[]) => items.map(({ action }) => action);
  const { allowed_actions: offered } = JSON.parse(await cli("show", name, "--json")).request;
  const items: readonly Allowed[] = JSON.parse(await cli("actions", name, "--json")).items;
  const allowed = items.filter((item) => item.allowed);
  expect(actionsOf(allowed)).toEqual(expect.arrayContaining(actionsOf(offered)));
}
interface Allowed {
  readonly action: string;
  readonly allowed: boolean;
}

test.each(Object.entries(STORIES))(
  "held for %s: advice is understood, accepted, the same, and moves it",
  async (story, happens) => {
    await happens();
    await watchFailures(world.ports);
    await expectTyped();
    await expectAllowed();
    const [own, all] = [await errorsSay(), await causesSay()];
    expect(all?.action ?? own.action).toBe(own.action);
    expect(own.command !== null).toBe(story !== "a person");
    if (own.command === null) return;
    const said = await type(own.command);
    if (own.action === "classify") return expect(said).toMatch(/3 to be classified/);
    if (own.action === "recover") await type(own.command.replace(" --dry-run", ""));
    await passes();
    expect((await world.request(name)).status).not.toBe("held");
  },
);

/** What a release of it goes on with: a round that failed, or a plan that the engine refused. */
async function heldFor(code: HoldCode): Promise<void> {
  if (HOLDS[code].release === "plan") {
    document = JSON.parse(generation("r", 3));
    name = await world.submit(JSON.stringify(document));
    world.engine.refuses = "no room";
    await passes();
    world.engine.refuses = null;
    await world.expectStatus(name, "held");
  } else await held({}, 3, code === "unclassified-failures" ? UNKNOWN : {});
  const { version, hold } = await world.request(name);
  const evidence = {
    ...hold?.evidence,
    ...Object.fromEntries(HOLDS[code].evidence.map((key) => [key, evidenceOf(key)])),
  };
  const why = { reason: "a story", actor: "wms2", at: world.ports.clock.now() };
  const change = { hold: holdFor(code, HOLDS[code].meaning, { ...evidence, ...hold?.evidence } as never) };
  if (hold?.code !== code) expect(await world.store.requests.change(name, version, change, why)).toBe(true);
}
const evidenceOf = (key: string): unknown =>
  ["bannedSites", "damaged", "codes", "sites"].includes(key) ? [] : /^(needed|most|cores|units)/.test(key) ? 1 : "x";

test.each(Object.keys(HOLDS) as HoldCode[])(
  "held (%s): what every page prints is understood and accepted, and its first action moves it",
  async (code) => {
    await heldFor(code);
    await watchFailures(world.ports);
    const now = world.ports.clock.now();
    for (const alert of heldAlerts([await world.request(name)])) await world.store.alerts.raise({ ...alert, at: now });
    await expectTyped(["show", "actions"], ["alerts"]);
    await expectAllowed();
    const [first = "abort"] = HOLDS[code].actions;
    await type(actionCommand(first, name));
    await passes();
    expect(await world.request(name)).not.toMatchObject({ status: "held", hold: { code } });
  },
);

test("what alerts tell people to type is understood, and about the request they name", async () => {
  await held({}, 3, STOPPED);
  const request = { ...(await world.request(name)), status: "active" as const, statusSince: new Date(0) };
  const lastError = { step: "register", code: "quota", message: "no room", fix: "free some", unit: null };
  const block = { name: "/a/b/C#1", requestName: name, lastError } as never;
  const identity = { result: "fail", message: "it ends today", fix: "renew it" } as const;
  const alerts = [
    ...stuckAlerts(request, { ok: false }, world.ports.clock.now()),
    ...blockAlerts([block]),
    ...identityAlerts(identity as never),
  ];
  expect(alerts).toHaveLength(3);
  const lines = alerts.flatMap(({ message }) => linesIn(message));
  expect(lines).toEqual(["wms2 doctor", "wms2 blocks retry r"]);
  for (const line of lines) expect(await whyNotTyped(line), line).toBeNull();
  await type("wms2 blocks retry r", "--dry-run");
});

test("a ban for everybody is typed as it is told", async () => {
  await heldForSite();
  await watchFailures(world.ports);
  const [own, all] = [await errorsSay(), await causesSay()];
  expect(all?.everybody_command).toBe(own.everybody_command);
  await type(own.everybody_command ?? "");
  const bans = await world.store.sites.activeBans(world.ports.clock.now());
  expect(bans).toMatchObject([{ site: "north", workflowId: null, createdBy: "ann" }]);
  expect((await errorsSay()).everybody_command).toBeNull();
});
