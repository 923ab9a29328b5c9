import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../support/payload-scratch.ts";
import { ServerUnderTest } from "../support/server.ts";

const server = new ServerUnderTest({
  "planning.probe_jobs": 1,
  "engine.local.sites": [{ name: "here", cores: 16, memory_mb: 4000 }],
});
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

/** GEN works on one of its cores, however many it has; on a busy machine on even less. */
const document = {
  name: "idle-cores",
  kind: "generate",
  adaptive: true,
  events: 60,
  split: { events_per_job: 10 },
  unit: { jobs: 2 },
  payload: "simulator",
  chain: ["GEN"],
  simulate: { time_scale: 1, memory_scale: 0.01, profiles: { GEN: { serial: 1, secPerEvent: 0.05 } } },
  resources: { cores: 16, memory: "1 GB" },
};

test("a step that leaves cores idle is cut in parts from the second round on, and no event is lost", async () => {
  await server.submit(document);
  await server.until(document.name, ["completed"], 120);
  const reports = (round: number): readonly Report[] => {
    const spool = join(server.dataDir, "spool", document.name);
    const dir = join(spool, readdirSync(spool).find((name) => name.startsWith(`r${round}-`)) ?? "");
    const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
    const found = files.filter((file) => /proc_\d+\.\d+\.report\.json$/.test(file)).sort();
    return found.map((file) => JSON.parse(readFileSync(join(dir, file), "utf8")));
  };
  const instances = (report: Report) => report.steps.find(({ name }) => name === "GEN")?.instances;
  const [probe, plain] = reports(0);
  expect([probe?.probe, probe && instances(probe)]).toEqual([true, 2]);
  expect([plain?.probe, plain && instances(plain)]).toEqual([undefined, 1]);

  const later = reports(1);
  expect(later.length).toBeGreaterThan(0);
  for (const report of later) {
    expect(instances(report)).toBeGreaterThan(1);
    expect(report.eventsWritten).toBe(report.steps[0]?.eventsWritten);
  }
  const merged = join(server.dataDir, "storage/merged");
  const files = readdirSync(merged, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const lines = files.flatMap(({ parentPath, name }) =>
    readFileSync(join(parentPath, name), "utf8").trim().split("\n"),
  );
  const ids = lines.map((line) => Number(line.split("\t")[0])).sort((a, b) => a - b);
  expect(ids).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
});
