import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Report } from "./payload-scratch.ts";
import type { ServerUnderTest } from "./server.ts";

/** Jobs that really hold 300 MB: the second round asks for that and a fifth, whatever the request says. */
export async function wrongHintStory(server: ServerUnderTest, name: string, askedMb: number) {
  await server.submit({
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
    resources: { cores: 1, memory: `${askedMb} MB` },
  });
  await server.until(name, ["completed"], 120);
  const { workflow } = await server.get(`/requests/${name}`);
  const [first, second] = workflow.step_metrics.rounds;
  expect(first).toMatchObject({
    round: 0,
    jobs_sampled: 2,
    requested: { is_measured: false, memory_mb: askedMb, events_per_job: 5 },
    steps: { GEN: { threads: 1, samples: 2 } },
  });
  expect(first.steps.GEN.rss_mb).toBeGreaterThan(290);
  expect(second).toMatchObject({ round: 1, jobs_sampled: 4, killed_at_mb: null });
  expect(second.requested).toMatchObject({ is_measured: true, events_per_job: 10 });
  expect(second.requested.why.memory).toMatch(
    /^measured \d+ MB median over 2 jobs of 5 events \(GEN, by [a-z-]+\) × 1.2/,
  );
  // Within a fifth of what the jobs of this round then used.
  expect(second.requested.memory_mb / second.steps.GEN.rss_mb_max).toBeGreaterThan(1);
  expect(second.requested.memory_mb / second.steps.GEN.rss_mb_max).toBeLessThan(1.25);
  expect(workflow.step_metrics).toMatchObject({ round: 1, jobs_sampled: 6 });
  return { first, second };
}

/** GEN works on one of its eight cores, however many it has; on a busy machine on even less. Its jobs take seconds. */
const IDLE_CORES = {
  name: "idle-cores",
  kind: "generate",
  adaptive: true,
  events: 60,
  split: { events_per_job: 10 },
  unit: { jobs: 2 },
  payload: "simulator",
  chain: ["GEN"],
  simulate: { time_scale: 1, memory_scale: 0.01, profiles: { GEN: { serial: 1, secPerEvent: 0.3 } } },
  resources: { cores: 8, memory: "1 GB" },
};

/** A step that leaves cores idle is cut in parts from the second round on, is faster so, and no event is lost. */
export async function idleCoresStory(server: ServerUnderTest) {
  const { name, events } = IDLE_CORES;
  await server.submit(IDLE_CORES);
  await server.until(name, ["completed"], 120);
  const [probe, plain] = reportsOf(server, name, 0);
  expect([probe?.probe, probe && ofGen(probe).instances]).toEqual([true, 2]);
  expect([plain?.probe, plain && ofGen(plain).instances]).toEqual([undefined, 1]);

  const later = reportsOf(server, name, 1);
  expect(later.length).toBeGreaterThan(0);
  for (const report of later) {
    expect(ofGen(report).instances).toBeGreaterThan(1);
    expect(report.eventsWritten).toBe(ofGen(report).eventsWritten);
    expect(secondsPerEvent(report)).toBeLessThan(0.75 * secondsPerEvent(plain!));
  }
  const merged = join(server.dataDir, "storage/merged");
  const files = readdirSync(merged, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const own = files.filter(({ parentPath }) => parentPath.includes(name));
  const lines = own.flatMap(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8").trim().split("\n"));
  const ids = lines.map((line) => Number(line.split("\t")[0])).sort((a, b) => a - b);
  expect(ids).toEqual(Array.from({ length: events }, (_, at) => at + 1));
}

const ofGen = ({ steps }: Report) => steps.find(({ name }) => name === "GEN")!;
const secondsPerEvent = (report: Report) => ofGen(report).wallSec / Number(report.eventsWritten);

function reportsOf(server: ServerUnderTest, name: string, round: number): readonly Report[] {
  const dir = roundDir(server, name, round);
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
  const found = files.filter((file) => /proc_\d+\.\d+\.report\.json$/.test(file)).sort();
  return found.map((file) => JSON.parse(readFileSync(join(dir, file), "utf8")));
}

export function roundDir(server: ServerUnderTest, name: string, round: number): string {
  const spool = join(server.dataDir, "spool", name);
  return join(spool, readdirSync(spool).find((dir) => dir.startsWith(`r${round}-`)) ?? "");
}
