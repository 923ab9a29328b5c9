import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RequestName } from "../../src/core/names.ts";
import { effectiveSpec } from "../../src/loop/gather-round.ts";
import { generation, makeWorld } from "../support/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;
interface Left {
  readonly memoryMb: number;
  readonly step?: string;
  /** Of this one nothing can be read. */
  readonly isTorn?: boolean;
  /** Killed with so much before it succeeded. */
  readonly killedAtMb?: number;
}

/** The jobs of these units were done and left their reports. */
function leave(world: World, units: readonly string[], { memoryMb, step = "gen", isTorn, killedAtMb }: Left): void {
  const submitDir = [...world.engine.runs.values()].at(-1)!.run.submitDir;
  for (const unit of units) {
    const dir = join(submitDir, unit);
    const { nodes } = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8"));
    for (const [at, node] of Object.keys(nodes).entries()) {
      const line = { event: "attempt", at: "2026-01-01T00:00:00Z", node, cluster: 100 + at, decision: "done" };
      const killed = { ...line, cluster: 50 + at, cause: "oom", memoryMb: killedAtMb, decision: "retry" };
      const lines = [...(killedAtMb === undefined ? [] : [killed]), line];
      appendFileSync(join(dir, "ledger.jsonl"), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
      const own = { name: step, wallSec: 600, cpuSec: 590, peakMemoryMb: memoryMb, memorySource: "framework" };
      const report = JSON.stringify({ wallSec: 610, peakMemoryMb: memoryMb, steps: [own], outputs: [] });
      writeFileSync(join(dir, `${node}.${100 + at}.report.json`), isTorn ? report.slice(0, 40) : report);
    }
  }
}

/** Round 0 is one unit of two jobs; it ends with these reports, and the loop goes on. */
async function afterRoundZero(left: Left | null, units = 6, over: Record<string, unknown> = {}) {
  const world = await makeWorld();
  const name = await world.submit(generation("gen", units, { adaptive: true, ...over }));
  await world.pass();
  if (left) leave(world, ["mg_000000"], left);
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.pass();
  return { world, name };
}

const lastRound = async (world: World, name: RequestName) => (await world.workflow(name)).stepMetrics?.rounds.at(-1);

test("the second round asks for what the first one used, says why, and tells the payload", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 2300 });
  await world.expectStatus(name, "active");
  expect(await lastRound(world, name)).toMatchObject({
    round: 1,
    requested: {
      isMeasured: true,
      memoryMb: 2760,
      eventsPerJob: 20,
      why: {
        memory:
          "measured 2300 MB median over 2 jobs of 10 events (gen, by framework) × 1.2; of so few jobs: up to one in 3 may take more than all of them",
      },
    },
  });
  const [run] = [...world.engine.runs.values()].slice(-1);
  const profile = JSON.parse(readFileSync(join(run!.run.submitDir, "step_profile.json"), "utf8"));
  expect(profile).toMatchObject({ round: 0, jobs_sampled: 2, steps: { gen: { rss_mb: 2300, samples: 2 } } });
  expect(readFileSync(join(run!.run.submitDir, "proc.sub"), "utf8")).toContain("2760");
});

test.each<[string, Left | null]>([
  ["no report at all", null],
  ["reports that were cut short", { memoryMb: 2300, isTorn: true }],
  ["reports of a step the request does not have", { memoryMb: 2300, step: "renamed" }],
])("%s: what the request says stays, and the plan says so", async (_, left) => {
  const { world, name } = await afterRoundZero(left);
  await world.expectStatus(name, "active");
  expect((await lastRound(world, name))?.requested).toMatchObject({ isMeasured: false, memoryMb: 2000 });
  const dag = (await world.workflow(name)).currentDagId!;
  const planned = (await world.store.dags.history(dag)).find(({ type }) => type === "planned");
  expect(planned?.detail.warnings).toContain("no report of a job could be read: jobs ask for what the request says");
});

test("what jobs were killed with is not asked for again", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 1800, killedAtMb: 1900 });
  expect((await lastRound(world, name))?.requested).toMatchObject({
    memoryMb: 2850,
    why: { memory: "jobs with 1900 MB were killed for using more" },
  });
});

test("more than may be asked for holds it with the numbers; an operator may know better", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 4000 });
  expect((await world.request(name)).hold).toMatchObject({
    code: "memory-beyond-limit",
    evidence: { neededMb: 4000, mostMb: 3000, cores: 1 },
  });
  const by = { actor: "ann", version: null, dryRun: false };
  const release = {
    action: "release" as const,
    reason: "it is a leak of one site",
    modifications: { memory_mb: 2900 },
  };
  await world.commands.act(name, release, by);
  await world.pass();
  await world.pass();
  await world.expectStatus(name, "active");
  expect((await lastRound(world, name))?.requested?.memoryMb).toBe(3000);
});

test("a run that goes on gives new memory to units that have not begun, and to no others", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 2000 }, 8);
  const run = [...world.engine.runs.values()].at(-1)!;
  const [done = "", also = "", begun = "", ...rest] = run.units;
  leave(world, [done, also, begun], { memoryMb: 2400 });
  world.engine.finish(world.storageDir, 2);
  await world.pass();
  const by = { actor: "ann", version: null, dryRun: false };
  await world.commands.act(name, { action: "stop", reason: "a pause" }, by);
  for (let pass = 0; pass < 6; pass++) await world.pass();
  await world.commands.act(name, { action: "resume", reason: "on" }, by);
  for (let pass = 0; pass < 6; pass++) await world.pass();
  await world.expectStatus(name, "active");
  const include = (unit: string) => readFileSync(join(run.run.submitDir, unit, "group.inc"), "utf8");
  expect(include(begun)).not.toContain("_memory");
  expect(include(done)).not.toContain("_memory");
  expect(include(rest.at(-1) ?? "")).toMatch(/proc_\d+_memory = 2880/);
});

test("a new version of the request begins again: what the version before showed is not used", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 4000 });
  const by = { actor: "ann", version: null, dryRun: false };
  await world.commands.act(name, { action: "restart", reason: "a leaner release" }, by);
  await world.pass();
  await world.pass();
  const clone = "gen-v2" as RequestName;
  leave(world, ["mg_000000"], { memoryMb: 2100 });
  world.engine.finish(world.storageDir);
  await world.pass();
  await world.pass();
  await world.expectStatus(clone, "active");
  expect((await lastRound(world, clone))?.requested?.memoryMb).toBe(2520);
});

test("a release with corrected commands begins again: what the old ones showed and were killed with is not used", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 4000, killedAtMb: 1900 });
  expect((await world.request(name)).hold?.code).toBe("memory-beyond-limit");
  world.wait(60);
  const spec = effectiveSpec(await world.request(name));
  const steps = spec.steps.map((step) => ({ ...step, argv: ["/bin/echo"] }));
  const draft = { spec: { ...spec, steps }, files: [] };
  const by = { actor: "ann", version: null, dryRun: false };
  await world.commands.act(name, { action: "release", reason: "it leaked", draft }, by);
  world.wait(60);
  for (let pass = 0; pass < 4; pass++) await world.pass();
  await world.expectStatus(name, "active");
  expect((await lastRound(world, name))?.requested).toMatchObject({ isMeasured: false, memoryMb: 2000 });
  const run = [...world.engine.runs.values()].at(-1)!;
  const units = run.units.slice(0, 2);
  leave(world, units, { memoryMb: 2200 });
  world.engine.finish(world.storageDir);
  await world.pass();
  // Units of the new commands count again.
  expect((await world.store.units.measured((await world.workflow(name)).id, 200)).length).toBeGreaterThan(1);
});

test("jobs a unit are by what is left when their outputs are merged, not by what they wrote", async () => {
  const { world, name } = await afterRoundZero({ memoryMb: 2000 });
  const [first] = await world.store.units.measured((await world.workflow(name)).id, 200);
  // "mg_000000" for 20 events.
  expect(first?.metrics.mergedKbPerEvent).toEqual({ jobs: 2, max: 9 / 1000 / 20, values: [9 / 1000 / 20] });
});
