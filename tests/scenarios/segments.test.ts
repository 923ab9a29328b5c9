import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { makeMcpWorld } from "../support/mcp-agent.ts";
import { BOTH, experiment, FIRST, SECOND } from "../support/segment-stories.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Four years of a model, with the real loop, a scripted engine and a clock of the story's own (docs/segments.md). */
const options = { timeout: 120_000 };
async function modelRun(more: Parameters<typeof experiment>[2] = {}) {
  const world = await makeMcpWorld();
  onTestFinished(() => world.close());
  const run = experiment(tempDir("segments"), "cm5", more);
  // What is there already is done.
  writeFileSync(run.output(FIRST), "x\n".repeat(24));
  const name = (await world.submit(JSON.stringify(run.document))) as RequestName;
  const passes = async (count = 4) => {
    for (let pass = 0; pass < count; pass++) await world.pass();
  };
  const row = async (id: string) => {
    const { id: workflow } = await world.workflow(name);
    return (await world.store.segmentNodes.getMany(workflow, [id])).get(id);
  };
  await passes();
  return { ...run, world, name, passes, row };
}

test(
  "case 12: history that arrives is found by the next sweep, and not before; nobody has to ask",
  options,
  async () => {
    const { world, name, passes, row, arrive } = await modelRun({ years: 3 });
    await world.expectStatus(name, "queued");
    expect((await world.request(name)).waiting).toMatchObject({
      code: "nothing-due",
      reason: expect.stringContaining("00040101.csv is not there"),
      until: new Date(world.ports.clock.now().getTime() + 15 * 60_000),
    });
    arrive(4);
    world.wait(14 * 60);
    await passes();
    expect(world.engine.submitted).toHaveLength(0);
    world.wait(61);
    await passes();
    await world.expectStatus(name, "active");
    expect(await row(SECOND)).toMatchObject({ state: "submitted", unit: "job_000000" });
    expect(await row(BOTH)).toMatchObject({ state: "submitted", unit: "job_000001" });
  },
);

test(
  "case 7: what failed is tried again by the sweep although nothing needs it, and then it is held",
  options,
  async () => {
    const { world, name, passes, row } = await modelRun({
      years: 2,
      document: { end: "0002", components: ["atmos", "ocean"] },
    });
    await world.expectStatus(name, "active");
    const last = "ocean/ts-monthly-2y/0001-0002";
    for (const round of [1, 2]) {
      const { currentDagId } = await world.workflow(name);
      expect(await row(last)).toMatchObject({ state: "submitted", executions: round - 1 });
      world.engine.endJob(currentDagId!, (await row(last))!.unit!, false);
      world.engine.finish(world.storageDir);
      await passes(6);
    }
    expect(await row(last)).toMatchObject({ state: "held", executions: 2 });
    await world.expectStatus(name, "queued");
    const get = async (path: string) => (await world.app.inject({ url: `/api/v1${path}` })).json();
    // It waits for a person, and is not through.
    const { items, facets } = await get("/requests?needs=person&facets=true");
    expect(items).toMatchObject([{ request_name: name, waiting: { code: "products-held" } }]);
    expect(items[0].progress.percent).toBeLessThan(100);
    expect([facets.requests, facets.wait]).toEqual([1, { "products-held": 1 }]);
    expect((await get("/handover")).open).toMatchObject([{ kind: "wait", code: "products-held", subjects: [name] }]);
  },
);

test(
  "an agent finds what is missing, shows what it would do, and has it made; what changed since is not done",
  options,
  async () => {
    const { world, name, passes, row, path } = await modelRun({ document: { sweep: "never" } });
    const agent = await world.connect();
    const plan = await agent.call("fill_plan", { name });
    expect(plan.json).toMatchObject({ done: 0, holes: 3 });
    expect(plan.note.next_steps).toMatchObject([{ tool: "fill", arguments: { name } }]);
    const looked = await agent.call("verify", { name });
    expect(looked.json).toMatchObject({ dry_run: true, nodes: [{ id: FIRST, outcome: "promoted" }] });
    const wanted = { name, reason: "the paper is due" };
    const shown = await agent.call("fill", wanted);
    expect(shown.json).toMatchObject({ dry_run: true, message: "3 products to be made now" });
    expect(world.engine.submitted).toHaveLength(0);
    const verified = await agent.call("verify", { name, dry_run: false, confirm: looked.note.confirm });
    expect(verified.isError, verified.text).toBe(false);
    const late = await agent.call("fill", { ...wanted, dry_run: false, confirm: shown.note.confirm });
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining("things changed since the dry run") });
    const done = await agent.call("fill", { ...wanted, dry_run: false, confirm: late.note.confirm });
    expect(done).toMatchObject({ isError: false, json: { message: "2 products to be made now" } });
    await passes();
    expect([(await row(FIRST))?.state, (await row(SECOND))?.state]).toEqual(["done", "submitted"]);
    const { json } = await agent.call("products", { name, state: "submitted" });
    expect(json.counts).toEqual({ done: 1, submitted: 2 });
    const refused = await agent.call("state_import", { name, directory: path("state") });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("reads no directories of frepp") });
    expect((await agent.call("transfers", { name })).json).toMatchObject({ items: [] });
  },
);
