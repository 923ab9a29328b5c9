import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../tests/support/built.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { makeSimulator } from "./simulate-child.ts";

const SCENARIO = `request:
  name: small
  kind: generate
  events: 20
  split: { by: events, events_per_job: 10 }
  steps: [{ name: gen, run: [/bin/true] }]
  outputs: [{ name: gen, file: gen.out }]
expect: [{ status: completed }]
`;
const waits = () => new AbortController().signal;
beforeAll(ensureBuilt, 300_000);

test("a scenario is told once somebody else's is over; its problems are listed; who leaves ends it", async () => {
  const simulate = makeSimulator();
  const told = simulate(SCENARIO, { signal: waits() });
  await expect(simulate(SCENARIO, { signal: waits() })).rejects.toThrow(/another simulation is being run/);
  expect(await told).toMatchObject({ ok: true, text: expect.stringContaining("expectations: 1 of 1 hold") });
  const bad = simulate("sites: 7\nrequest: {}", { signal: waits() });
  await expect(bad).rejects.toThrow(/problem[\s\S]*sites/);
  const leaving = new AbortController();
  const left = simulate(SCENARIO, { signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toThrow(/whoever asked for it left/);
}, 120_000);

const manyJobs = (jobs: number, more = ""): string => `request:
  name: many
  kind: graph
  directory: /tmp
  parameters: { i: 1..${jobs} }
  jobs: [{ name: "j-{i}", each: [i], run: "true" }]
${more}expect: [{ status: completed }]
`;

test("a story that is too large is given up with what it took too much of, and nothing of it is left", async () => {
  const limits = { events: 2_000_000, sec: 600, memoryMb: 2000 };
  const told = (scenario: string, change: Partial<typeof limits>) =>
    makeSimulator({ ...limits, ...change })(scenario, { signal: waits() });
  await expect(told(manyJobs(500), { events: 100 })).rejects.toThrow(/given up: more than 100 simulated events/);
  await expect(told(manyJobs(500), { sec: 0 })).rejects.toThrow(/given up: it did not end in time \(0 s\)/);
  await expect(told(manyJobs(500), { memoryMb: 120 })).rejects.toThrow(/given up: it needs more than 120 MB/);
  const files = "datasets: { a: { files: 900000 }, b: { files: 900000 } }\n";
  await expect(told(manyJobs(5, files), {})).rejects.toThrow(/would be 1800000 files in all datasets together/);
  await eventually("nothing is left", async () => storiesOf(process.pid).length === 0);
}, 120_000);

test("who leaves ends it, whatever it is doing", async () => {
  const leaving = new AbortController();
  const left = makeSimulator()(manyJobs(100_000), { signal: leaving.signal });
  const outcome = left.catch((error: Error) => error.message);
  await eventually("it has begun", async () => storiesOf(process.pid).length > 0);
  leaving.abort();
  expect(await outcome).toMatch(/whoever asked for it left/);
  await eventually("nothing is left", async () => storiesOf(process.pid).length === 0);
}, 120_000);

/** Processes of ours that tell one. */
function storiesOf(parent: number): readonly string[] {
  const all = execFileSync("ps", ["-eo", "ppid=,args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.trim().startsWith(`${parent} `) && line.includes("simulate -"));
}
