import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { ServerUnderTest } from "../support/server.ts";

const server = new ServerUnderTest();
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

/** Jobs that really hold 300 MB. */
const document = (name: string, memory: string) => ({
  name,
  kind: "generate",
  adaptive: true,
  events: 50,
  split: { events_per_job: 5 },
  unit: { jobs: 2 },
  payload: "simulator",
  chain: ["GEN"],
  simulate: {
    time_scale: 0.01,
    memory_scale: 1,
    profiles: { GEN: { serial: 1, baseMb: 280, mbPerThread: 20, secPerEvent: 0.05, kbPerEvent: 50 } },
  },
  resources: { cores: 1, memory },
});

test.each([
  ["twice too much", "600 MB", 600],
  ["half of it", "150 MB", 150],
])("a hint that is %s is right in round 1", async (words, memory, asked) => {
  const name = words.replaceAll(" ", "-");
  await server.submit(document(name, memory));
  await server.until(name, ["completed"], 120);
  const { workflow } = await server.get(`/requests/${name}`);
  const [first, second] = workflow.step_metrics.rounds;
  expect(first).toMatchObject({
    round: 0,
    jobs_sampled: 2,
    requested: { is_measured: false, memory_mb: asked, events_per_job: 5 },
    steps: { GEN: { source: "framework", threads: 1, samples: 2 } },
  });
  const used = first.steps.GEN.rss_mb;
  expect(used).toBeGreaterThan(290);
  expect(second).toMatchObject({ round: 1, jobs_sampled: 4, killed_at_mb: null });
  expect(second.requested).toMatchObject({ is_measured: true, events_per_job: 10 });
  expect(second.requested.why.memory).toMatch(/^measured \d+ MB median over 2 jobs \(GEN, by framework\) × 1.2/);
  // Within a fifth of what the jobs of this round then used.
  expect(second.requested.memory_mb / second.steps.GEN.rss_mb_max).toBeGreaterThan(1);
  expect(second.requested.memory_mb / second.steps.GEN.rss_mb_max).toBeLessThan(1.25);
  expect(workflow.step_metrics).toMatchObject({ round: 1, jobs_sampled: 6 });

  const { stdout } = await wms2(["metrics", name, "--server", server.url]);
  expect(stdout).toMatch(/^ROUND +STEP +JOBS/);
  expect(stdout).toMatch(/\n0 +GEN +2 [^\n]*framework\n1 +GEN +4 [^\n]*framework\nall +GEN +6 /);
  expect(stdout).toContain(`memory  ${second.requested.why.memory}`);

  const spool = join(server.dataDir, "spool", name);
  const round1 = readdirSync(spool).find((dir) => dir.startsWith("r1-"));
  const profile = JSON.parse(readFileSync(join(spool, round1!, "step_profile.json"), "utf8"));
  expect(profile).toMatchObject({ round: 0, jobs_sampled: 2, steps: { GEN: { rss_mb: used, threads: 1 } } });
});
