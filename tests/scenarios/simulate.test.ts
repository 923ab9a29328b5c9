import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Entry, isFine, readScenario, runStory, summarise, Teller } from "../../lab/simulate/index.ts";
import { parseDocument } from "../../src/intake/reading/parse-document.ts";
import { freshStore } from "../support/store-embedded.ts";
import { tempDir } from "../support/temp-dir.ts";

const folder = resolve(import.meta.dirname, "../../examples/scenarios");
const golden = resolve(import.meta.dirname, "../golden/simulate");

function read(text: string) {
  const parsed = parseDocument(text, "yaml");
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return readScenario(parsed.value, () => ({}));
}

/** A story that timed out is still at work in the store they share. */
let before: Promise<unknown> = Promise.resolve();

async function tell(text: string, seed?: number, over = new AbortController()) {
  await before;
  onTestFinished(() => over.abort());
  const scenario = read(text);
  if (!scenario.ok) throw new Error(JSON.stringify(scenario.error, null, 1));
  const lines: string[] = [];
  const teller = new Teller([], (line) => lines.push(line));
  const running = runStory(scenario.value, {
    dir: tempDir("simulate"),
    seed: seed ?? scenario.value.seed,
    store: await freshStore(),
    tell: (entry: Entry) => teller.tell(entry),
    signal: over.signal,
  });
  before = running.catch(() => {});
  const end = await running;
  teller.flush();
  return { end, text: `${lines.join("\n")}\n${summarise(end, 0)}\n`, summary: summarise(end, 0) };
}

/** Examples that show what is still to come. The list must shrink: one that comes true fails its test. */
const PENDING: readonly string[] = [];

describe("the example scenarios", () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
    const isPending = PENDING.includes(file);
    test(`${file}${isPending ? " is still pending" : " comes true"}`, async () => {
      const { end, summary } = await tell(readFileSync(join(folder, file), "utf8"));
      expect(isFine(end), summary).toBe(!isPending);
    });
  }
});

/** Ten units of two jobs; `more` adds to the scenario, `request` to its request. */
const story = (more: string, request = ""): string => `
request:
  name: tale
  kind: generate
  events: 200
  split: { by: events, events_per_job: 10 }
  unit: { jobs: 2 }
  steps: [{ name: gen, run: [/bin/true] }]
  outputs: [{ name: gen, file: gen.out }]
${request}
durations: { processing: { mean: 1 h, spread: 0.3 } }
${more}`;

test("a story that is told to end does so between two moments, as one that timed out has to before the next begins", async () => {
  const over = new AbortController();
  over.abort();
  expect((await tell(story(""), 1, over)).end.facts).toEqual([]);
});

test("a story is the same every time, and another with another seed", async () => {
  const text = story("outcomes: [{ probability: 0.2, exit_code: 60307, after: 5 min }]");
  const [first, again, other] = [await tell(text, 1), await tell(text, 1), await tell(text, 2)];
  expect(again.text).toBe(first.text);
  expect(other.text).not.toBe(first.text);
});

test("the timeline and the summary, as people read them", async () => {
  const { text } = await tell(readFileSync(join(folder, "flaky-site.yaml"), "utf8"));
  await expect(text).toMatchFileSnapshot(join(golden, "flaky-site.txt"));
});

test("all problems of a scenario are told, each with its place", () => {
  const answer = read(`
request: { name: x }
sitez: {}
settings: { recovery.max_execution: 3 }
sites: { "no rth": { cores: 0 } }
outcomes: [{ exit_code: 1, signal: 9 }, { attempt: "two", cause: bored }, 7]
events: [{ do: dance }, { at: 1 h, do: drain }]
expect: [{ status: happy, units_done: some, color: red }]`);
  const problems = answer.ok ? [] : answer.error.map(({ path, message }) => `${path}: ${message}`);
  expect(problems.join("\n")).toMatchInlineSnapshot(`
    "settings["recovery.max_execution"]: is not a known key; did you mean recovery.max_executions?
    sites["no rth"]: is no name of a site
    sites["no rth"].cores: must be at least 1 (got 0)
    outcomes[0]: has exit_code and signal: keep one
    outcomes[1].attempt: is no number or range (got "two")
    outcomes[1].cause: "bored" is not one of the choices
    outcomes[2]: must be a rule (got 7)
    events[0].at: is missing
    events[0].do: "dance" is not one of the choices
    events[1].site: is missing
    expect[0].status: "happy" is no status
    expect[0].units_done: is no number or range (got "some")
    expect[0].color: is not a known key
    sitez: is not a known key; did you mean sites?"
  `);
});

describe("catastrophes end with a reason, and nothing is done twice", () => {
  const cases: Readonly<Record<string, { events: string; status: string; hold?: string }>> = {
    "a lost run": { events: "{ at: 1 h, do: lose-run }", status: "held", hold: "run-lost" },
    "a run removed by somebody else": {
      events: "{ at: 1 h, do: end-run, verdict: removed }",
      status: "held",
      hold: "removed-from-outside",
    },
    "a deleted submit directory": {
      events: "{ at: 1 h, do: delete-directory }",
      status: "held",
      hold: "submit-directory-gone",
    },
    "a corrupt rescue file": {
      events: "{ at: 1 h, do: hold }, { at: 2 h, do: corrupt-rescue }, { at: 3 h, do: resume }",
      status: "held",
      hold: "rescue-damaged",
    },
    "a corrupt rescue file of a unit": {
      events: "{ at: 1 h, do: hold }, { at: 2 h, do: corrupt-rescue, unit: mg_000002 }, { at: 3 h, do: resume }",
      status: "completed, units_done: 10",
    },
    "an engine that refuses": { events: "{ at: 0 s, do: refuse-submits }", status: "held", hold: "engine-rejected" },
    "an engine that refuses, and is fixed": {
      events: "{ at: 0 s, do: refuse-submits }, { at: 5 h, do: accept-submits }, { at: 6 h, do: release }",
      status: "completed, units_done: 10",
    },
    "an abort": { events: "{ at: 1 h, do: abort }", status: "aborted" },
    "a site that goes down and comes back": {
      events: "{ at: 30 min, do: site-down, site: north }, { at: 5 h, do: site-up, site: north }",
      status: "completed",
    },
    "a held DAGMan": { events: "{ at: 30 min, do: hold-run }, { at: 9 h, do: release-run }", status: "completed" },
  };
  for (const [name, { events, status, hold }] of Object.entries(cases)) {
    test(name, async () => {
      const expected = `{ status: ${status}${hold ? `, hold: ${hold}` : ""} }`;
      const { end, text } = await tell(story(`events: [${events}]\nexpect: [${expected}]`));
      expect(isFine(end), text).toBe(true);
    });
  }
});

test("a site where everything fails is banned, and what failed there is done elsewhere; nobody is asked", async () => {
  const { end, text } = await tell(
    story(`
outcomes: [{ site: south, exit_code: 60307, after: 5 min }]
expect:
  - { status: completed, units_done: 10, events_done: 200, rescues: 1 }`),
  );
  expect(isFine(end), text).toBe(true);
});

test.each([
  [0, 1, 2],
  [0, 6, 7],
  [3, 6, 7],
])("retries of the run %i, of the rule %i: %i executions, over all rescues", async (ofRun, ofRule, executions) => {
  const rule = `{ exit_codes: [10], max_retries: ${ofRule}, delay: 2 h }`;
  const request = `  retries: { processing: ${ofRun} }
  recovery: { max_rescues: 9, handlers: [{ name: flaky, rules: [${rule}] }] }`;
  const { end, text } = await tell(
    story(
      `outcomes: [{ node: proc_000003, exit_code: 10, after: 5 min }]
expect: [{ status: held, hold: retries-used-up, rescues: ${Math.ceil(executions / (ofRun + 1)) - 1} }]`,
      request,
    ),
  );
  expect(isFine(end), text).toBe(true);
  expect(text).toContain("used up the retries of handler flaky, rule 1");
  // Five nodes a unit; the one that failed stops before its merge and cleanup.
  expect(end.facts[0]?.numbers.attempts).toBe(9 * 5 + 2 + executions);
  // It failed after five minutes; the rescue that came an hour later kept to the two hours of the rule.
  if (ofRule === 1) expect(text).toMatch(/\+2:1\d:\d\d\s+mg_000001\/proc_000003 attempt 2/);
});

/** What a story came to, apart from when: a server that dies may only make it later. */
const outcomeOf = ({ facts }: Awaited<ReturnType<typeof tell>>["end"]) =>
  facts.map(({ status, numbers }) => ({
    status,
    done: numbers.units_done,
    registered: numbers.units_registered,
    events: numbers.events_done,
    runs: numbers.runs,
    attempts: numbers.attempts,
  }));

test("the server may be killed at any call of any port: the end is the same", { timeout: 120_000 }, async () => {
  const outcomes = "outcomes: [{ unit: mg_000002, attempt: 1-4, exit_code: 60307, after: 5 min }]";
  const calm = await tell(story(outcomes));
  expect(outcomeOf(calm.end)).toMatchObject([{ status: "completed", done: 10, runs: 2 }]);
  const moments = ["0 s", "1 h", "1 h 30 min", "2 h"];
  for (const [at, calls] of [3, 11, 19, 27, 38, 49, 61, 73, 88, 104].entries()) {
    const kill = `{ at: ${moments[at % moments.length]}, do: kill-server, after_calls: ${calls}, down: 1 min }`;
    const { end, text } = await tell(story(`${outcomes}\nevents: [${kill}]`));
    expect(outcomeOf(end), text).toEqual(outcomeOf(calm.end));
    expect({ servers: end.servers, laws: end.lawsBroken }, text).toEqual({ servers: 2, laws: [] });
  }
});
