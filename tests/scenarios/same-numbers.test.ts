import fc from "fast-check";
import { expect, test } from "vitest";
import { makeMcpWorld } from "../support/mcp-agent.ts";
import { generation } from "../support/world.ts";

/**
 * Same fact, same number: at any moment of any campaign, whatever two surfaces say of the same thing agrees. Between a
 * change in the engine and the next pass nobody knows of it; then all do.
 */
const step = fc.oneof(
  fc.record({ do: fc.constant("submit" as const), units: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constantFrom("finish" as const, "fail" as const), units: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("pass" as const), units: fc.integer({ min: 1, max: 4 }) }),
);
type World = Awaited<ReturnType<typeof makeMcpWorld>>;
type Agent = Awaited<ReturnType<World["connect"]>>;
// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
type Json = any;

async function take(
  world: World,
  { do: what, units }: typeof step extends fc.Arbitrary<infer T> ? T : never,
  at: number,
) {
  if (what === "submit") await world.submit(generation(`r${at}`, units));
  else if (what === "pass") for (let pass = 0; pass < units; pass++) await world.pass();
  else if (world.engine.runs.size > 0) {
    if (what === "finish") world.engine.finish(world.storageDir, units);
    else world.engine.fail(units);
  }
  world.wait(7);
}

const sumOf = (rows: readonly Json[], field: string): number =>
  rows.reduce((sum, { progress }) => sum + (progress?.[field] ?? 0), 0);
const COUNTED = ["total", "done", "failed", "running"] as const;

/** All that is said of many requests, compared with the rows of the list. */
async function compareSums(get: (path: string) => Promise<Json>, agent: Agent, metrics: string): Promise<void> {
  const list = await get("/requests?facets=true&limit=100");
  const history = await get("/history");
  for (const field of COUNTED) {
    expect(list.facets.units[field], field).toBe(sumOf(list.items, field));
    expect(history.now[field], field).toBe(sumOf(list.items, field));
  }
  const { requests } = await get("/status");
  for (const [status, number] of Object.entries(list.facets.status)) {
    expect(requests[status], status).toBe(number);
    expect(list.items.filter((row: Json) => row.status === status)).toHaveLength(number as number);
    expect(metrics).toContain(`wms2_requests{status="${status}"} ${number}`);
  }
  const told = (await agent.call("list", { limit: 100 })).json.items;
  for (const row of list.items) {
    const same = told.find((one: Json) => one.request_name === row.request_name);
    if (same) expect([same.status, same.progress ?? null]).toEqual([row.status, row.progress]);
    await compareOne(get, row);
  }
  const held = (await get("/handover")).open.filter(({ kind }: Json) => kind === "held");
  expect(held.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(list.facets.status.held ?? 0);
}

/** All that is said of one request, compared with its row. */
async function compareOne(get: (path: string) => Promise<Json>, row: Json): Promise<void> {
  const shown = await get(`/requests/${row.request_name}`);
  expect([shown.status, shown.progress, shown.eta]).toEqual([row.status, row.progress, row.eta]);
  if (!shown.workflow) return;
  const { total, done, failed, running, expected, percent } = row.progress;
  const { work_units, progress_percent, eta } = await get(`/workflows/${shown.workflow.id}/status`);
  expect([work_units, progress_percent, eta]).toEqual([{ total, done, failed, running, expected }, percent, row.eta]);
  expect([shown.workflow.work_units_done, shown.workflow.progress_percent]).toEqual([done, percent]);
  const { now } = await get(`/requests/${row.request_name}/history`);
  expect(now).toEqual({ total, done, failed, running });
  if (percent === 100 && row.status !== "completed") expect(done).toBe(expected);
  const id = shown.workflow.dag_id;
  if (id === null || shown.workflow.round > 0) return;
  const { states } = await get(`/dags/${id}/map`);
  expect([...states].filter((letter) => letter === "d")).toHaveLength(done);
}

test("law: same fact, same number", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const world = await makeMcpWorld();
      try {
        const agent = await world.connect();
        const get = async (path: string): Promise<Json> =>
          (await world.app.inject({ url: `/api/v1${path}`, headers: { "cache-control": "no-cache" } })).json();
        await world.submit(generation("first", 3));
        for (const [at, one] of steps.entries()) {
          await take(world, one, at);
          const { body } = await world.app.inject({ url: "/api/v1/metrics" });
          await compareSums(get, agent, body);
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns: 4, seed: 12 },
  );
});
