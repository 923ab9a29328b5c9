import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { allOf, makeClient } from "../../src/cli/client.ts";
import { requestFacts } from "../../src/cli/requests.ts";
import { gatherFacts } from "../../src/cli/top/ask.ts";
import type { DagId } from "../../src/core/names.ts";
import { fetchWithin, makeMcpWorld } from "../support/mcp-agent.ts";
import { experiment } from "../support/segment-stories.ts";
import { tempDir } from "../support/temp-dir.ts";
import { generation } from "../support/world.ts";

/**
 * Same fact, same number: at any moment of any campaign, whatever two surfaces say of the same thing agrees. Between a
 * change in the engine and the next pass nobody knows of it; then all do.
 */
const KINDS = ["generate", "process", "graph", "segments"] as const;
const units = fc.integer({ min: 1, max: 4 });
const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("submit" as const), kind: fc.constantFrom(...KINDS), units }) },
  // Which of the runs.
  { weight: 3, arbitrary: fc.record({ do: fc.constant("finish" as const), run: fc.nat(20), units }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const), run: fc.nat(20), units }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), units }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("release" as const, "abort" as const, "hold" as const),
      run: fc.nat(20),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type World = Awaited<ReturnType<typeof makeMcpWorld>>;
type Agent = Awaited<ReturnType<World["connect"]>>;
type Get = (path: string) => Promise<Json>;
// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
type Json = any;

const graph = (name: string, units: number) =>
  JSON.stringify({
    name,
    kind: "graph",
    directory: tempDir("same-numbers"),
    jobs: Array.from({ length: units }, (_, at) => ({ name: `job ${at}`, run: ["true"] })),
  });

function processing(name: string, units: number): string {
  const dir = join(tempDir("same-numbers"), "in");
  mkdirSync(dir);
  for (let at = 0; at < units; at++) writeFileSync(join(dir, `${at}.txt`), "x\n");
  return JSON.stringify({
    ...{
      name,
      kind: "process",
      input: { files: `${dir}/*` },
      split: { by: "files", files_per_job: 1 },
      unit: { jobs: 1 },
    },
    steps: [{ name: "s", run: ["true"] }],
    outputs: [{ name: "o", file: "o.txt" }],
  });
}

const DOCUMENTS: Readonly<Record<(typeof KINDS)[number], (name: string, units: number) => string>> = {
  generate: generation,
  process: processing,
  graph,
  segments: (name, units) => JSON.stringify(experiment(tempDir("same-numbers"), name, { years: units }).document),
};

/** Each kind has failed and finished units, some requests are held, others run. */
const BEGINNING: readonly Step[] = [
  { do: "pass", units: 5 },
  ...[0, 1, 2, 3].map((run) => ({ do: "fail" as const, run, units: 1 })),
  { do: "pass", units: 1 },
  ...[0, 1, 0].map((run) => ({ do: "finish" as const, run, units: 9 })),
  { do: "pass", units: 4 },
];

async function take(world: World, taken: Step, at: number) {
  if (taken.do === "submit") await world.submit(DOCUMENTS[taken.kind](`r${at}`, taken.units));
  else if (taken.do === "pass") for (let pass = 0; pass < taken.units; pass++) await world.pass();
  else if (taken.do === "finish" || taken.do === "fail") endUnits(world, taken.run, taken.units, taken.do === "finish");
  else {
    const { items } = await world.store.requests.list({ limit: 100 });
    const chosen = items[taken.run % items.length];
    const act = { action: taken.do, reason: "a test" } as const;
    if (chosen) await world.commands.act(chosen.spec.name, act, { actor: "ann", version: null, dryRun: false });
  }
  world.wait(7);
}

/** Units of one run end, and the run with the last of them. */
function endUnits({ engine, storageDir }: World, which: number, count: number, isDone: boolean): void {
  const open = [...engine.runs].filter(([, { ended }]) => ended === null);
  const [id, run] = open[which % Math.max(1, open.length)] ?? [];
  if (!id || !run) return;
  const left = () => run.units.filter((unit) => !run.done.has(unit) && !run.failed.has(unit));
  if (!run.units.some((unit) => unit.startsWith("job_"))) {
    if (isDone) engine.finish(storageDir, count, id as DagId);
    else engine.fail(count, {}, id as DagId);
  } else for (const job of left().slice(0, count)) engine.endJob(id as DagId, job, isDone);
  if (left().length === 0) engine.endRun(id as DagId, run.failed.size > 0 ? "failed" : "success");
}

const sumOf = (rows: readonly Json[], field: string): number =>
  rows.reduce((sum, { progress }) => sum + (progress?.[field] ?? 0), 0);
const COUNTED = ["total", "done", "failed", "running"] as const;

/** All that is said of many requests, compared with the rows of the list. */
async function compareSums(get: Get, metrics: string): Promise<Json> {
  const list = await get("/requests?facets=true&limit=100");
  const history = await get("/history");
  for (const field of COUNTED) {
    expect(list.facets.units[field], field).toBe(sumOf(list.items, field));
    expect(history.now[field], field).toBe(sumOf(list.items, field));
  }
  const { requests, queued } = await get("/status");
  for (const [status, number] of Object.entries(list.facets.status)) {
    expect(requests[status], status).toBe(number);
    expect(list.items.filter((row: Json) => row.status === status)).toHaveLength(number as number);
    expect(metrics).toContain(`wms2_requests{status="${status}"} ${number}`);
  }
  expect(queued).toBe((await get("/admission/queue")).queued_workflows);
  expect(metrics).toContain(`wms2_admission_queue_depth ${queued}\n`);
  return list;
}

/** Who waits for a person, and what is alerted, is counted alike wherever it is. */
async function compareNeeds(get: Get, list: Json, top: Awaited<ReturnType<typeof gatherFacts>>): Promise<void> {
  const { facets } = await get("/requests?needs=person&facets=true");
  const report = await get("/handover");
  const waiting = report.open.filter(({ kind }: Json) => kind === "held" || kind === "wait");
  const count = waiting.reduce((sum: number, matter: Json) => sum + matter.count, 0);
  expect([count, top.inNeed]).toEqual([facets.requests, facets.requests]);
  const held = waiting.filter(({ kind }: Json) => kind === "held");
  expect(held.reduce((sum: number, matter: Json) => sum + matter.count, 0)).toBe(list.facets.status.held ?? 0);
  expect(top.counts).toEqual(list.facets.status);
  expect(top.queue.queued_workflows).toBe((await get("/status")).queued);
  expect(top.openAlerts.open).toBe((await get("/alerts")).open);
}

/** All that is said of one request, compared with its row. */
async function compareOne(get: Get, row: Json, cli: ReturnType<typeof makeClient>): Promise<void> {
  const name = row.request_name;
  const facts = await requestFacts(cli, name);
  const shown = await get(`/requests/${name}`);
  expect(facts.request).toEqual(shown);
  expect([shown.status, shown.progress, shown.eta, shown.reason]).toEqual([
    row.status,
    row.progress,
    row.eta,
    row.reason,
  ]);
  if (!shown.workflow) return;
  const { total, done, failed, running, expected, percent } = row.progress;
  const status = await get(`/workflows/${shown.workflow.id}/status`);
  expect([status.work_units, status.progress_percent, status.eta]).toEqual([
    { total, done, failed, running, expected },
    percent,
    row.eta,
  ]);
  expect(facts.status).toEqual(status);
  expect([shown.workflow.work_units_done, shown.workflow.progress_percent]).toEqual([done, percent]);
  const { now } = await get(`/requests/${name}/history`);
  expect(now).toEqual({ total, done, failed, running });
  if (row.status !== "completed") expect(percent === 100, `${name}: 100 %`).toBe(expected > 0 && done === expected);
  if (/ of \d+ (units?|jobs?) done/.test(shown.waiting?.reason ?? ""))
    expect(shown.waiting.reason).toContain(`${done} of ${total} `);
  await compareJobs(get, shown, row.progress);
}

/** The picture of the units, and of a graph the list of its jobs. */
async function compareJobs(
  get: Get,
  { request_name: name, kind, status, workflow }: Json,
  progress: Json,
): Promise<void> {
  if (workflow.dag_id === null || workflow.round > 0) return;
  const { states } = await get(`/dags/${workflow.dag_id}/map`);
  expect([...states].filter((letter) => letter === "d")).toHaveLength(progress.done);
  if (kind !== "graph") return;
  const { items } = await get(`/requests/${name}/results?limit=100`);
  const inState = (word: string) => items.filter(({ state }: Json) => state === word).length;
  expect(inState("done")).toBe(progress.done);
  // What an attempt had asked for is known, whoever noted it.
  const attempts = (await get(`/requests/${name}/attempts?limit=100`)).items;
  expect(attempts.filter(({ memory_mb }: Json) => memory_mb === null)).toEqual([]);
  if (status !== "held") return;
  const { units_total, units_done, units_failed } = await get(`/requests/${name}/errors`);
  expect([units_total, units_done, units_failed]).toEqual([progress.total, progress.done, inState("failed")]);
}

async function compareAll(world: World, get: Get, agent: Agent, cli: ReturnType<typeof makeClient>): Promise<void> {
  const metrics = (await world.app.inject({ url: "/api/v1/metrics" })).body;
  const list = await compareSums(get, metrics);
  const top = await gatherFacts(cli, { ended: true });
  await compareNeeds(get, list, top);
  const told = (await agent.call("list", { limit: 100 })).json.items;
  const listed = await allOf(cli.requests.list, {});
  expect(listed.items).toEqual(list.items);
  expect(top.rows.map(({ request_name }) => request_name).sort()).toEqual(
    list.items.map((row: Json) => row.request_name).sort(),
  );
  for (const row of list.items) {
    const same = told.find((one: Json) => one.request_name === row.request_name);
    if (same) expect([same.status, same.progress ?? null]).toEqual([row.status, row.progress]);
    expect(top.rows.find(({ request_name }) => request_name === row.request_name)).toEqual(row);
    await compareOne(get, row, cli);
  }
}

test("law: same fact, same number", { timeout: 400_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 7 }), async (steps) => {
      const world = await makeMcpWorld();
      vi.stubGlobal("fetch", fetchWithin(world.app));
      try {
        const agent = await world.connect();
        const cli = makeClient(() => ({ url: "http://localhost", token: null }));
        const get: Get = async (path) =>
          (await world.app.inject({ url: `/api/v1${path}`, headers: { "cache-control": "no-cache" } })).json();
        for (const kind of KINDS) await world.submit(DOCUMENTS[kind](`first-${kind}`, 3));
        for (const [at, one] of [...BEGINNING, ...steps].entries()) {
          await take(world, one, at);
          if (at > BEGINNING.length || one.do === "pass") await compareAll(world, get, agent, cli);
        }
      } finally {
        vi.unstubAllGlobals();
        await world.close();
      }
    }),
    { numRuns: 2, seed: 12 },
  );
});
