import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../../../../../tests/support/built.ts";
import { eventually } from "../../../../../tests/support/eventually.ts";
import { Scratch } from "../../../../../tests/support/payload-scratch.ts";
import { removeData } from "../../../../../tests/support/remove-data.ts";
import { layGraph, type SmallJob } from "../../../../../tests/support/small-graph.ts";
import type { DagId } from "../../../../core/names.ts";
import { makeLocalEngine } from "../../../local/local-engine.ts";
import type { Engine } from "../../../port.ts";
import { isAlive, readHolder } from "../proc.ts";

/** kill -9 of the engine while it runs jobs directly: each ran once, each has one line in the ledger and a whole report. */
let submit: Scratch;
let engine: Engine;
beforeAll(() => ensureBuilt(), 120_000);
beforeEach(() => {
  submit = new Scratch();
  engine = makeLocalEngine({ dir: submit.path("engine"), sites: [{ name: "here", cores: 4, memoryMb: 4000 }] });
});
afterEach(async () => {
  await engine.close();
  await removeData(submit.dir);
});

const isBad = (index: number): boolean => index % 20 === 7;
const nodes = Array.from({ length: 60 }, (_, index) => `job_${String(index).padStart(6, "0")}`);
const jobs = Object.fromEntries(
  nodes.map((node, index): [string, SmallJob] => {
    const script = `echo ${node} >>ran; sleep 0.05; : >made/${node}; ${isBad(index) ? "exit 3" : "echo said"}`;
    return [node, { argv: ["sh", "-c", script], makes: [`made/${node}`] }];
  }),
);

async function killEngine(): Promise<void> {
  const holder = readHolder(submit.path("engine", "lock"));
  if (!holder || !isAlive(holder)) return;
  process.kill(holder.pid, "SIGKILL");
  await eventually("the engine process is gone", () => !isAlive(holder));
}

test("killed again and again, it runs every job once and forgets none", async () => {
  layGraph(submit, submit.path("files"), jobs);
  const run = { dagId: "d" as DagId, submitDir: submit.dir, batchName: "wms2-d", engineId: null, priority: 0 };
  const submitted = await engine.submit(run, 1);
  const mine = { ...run, engineId: submitted.kind === "submitted" ? submitted.engineId : null };
  let kills = 0;
  for (; kills < 25 && (await engine.find(mine)).kind === "found"; kills++) {
    await new Promise((done) => setTimeout(done, Math.random() * 60)); // the random moment is the test
    await killEngine();
  }
  expect(kills).toBeGreaterThanOrEqual(5);
  await eventually("the run has left", async () => (await engine.find(mine)).kind === "absent", { deadlineSec: 60 });
  const linesOf = (path: string): string[] => readFileSync(path, "utf8").trim().split("\n");
  expect(linesOf(submit.path("files", "ran")).sort()).toEqual(nodes);
  const ledger = linesOf(submit.path("part_000", "ledger.jsonl")).map((line) => JSON.parse(line));
  const told = ledger.map(({ node, cluster, decision }) => [node, decision, cluster]).sort();
  expect(told.map(([node, decision]) => [node, decision])).toEqual(
    nodes.map((node, index) => [node, isBad(index) ? "stop" : "done"]),
  );
  for (const [node, decision, cluster] of told) {
    const file = (ending: string) => join(submit.dir, "part_000", `${node}.${cluster}.${ending}`);
    expect(JSON.parse(readFileSync(file("report.json"), "utf8")), node).toMatchObject({
      state: "finished",
      exitCode: decision === "done" ? 0 : 3,
      makes: decision === "done" ? [{ path: `made/${node}`, sizeBytes: 0 }] : [],
    });
    expect(existsSync(file("out")) && readFileSync(file("out"), "utf8"), node).toBe(
      decision === "done" ? "said\n" : "",
    );
  }
}, 120_000);
