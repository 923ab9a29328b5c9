import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { findJob } from "./job-search.ts";

const event = (number: string, cluster: number, text: string) =>
  `${number} (${String(cluster).padStart(3, "0")}.000.000) 2026-11-15 10:00:00 ${text}\n...\n`;
const submitted = (cluster: number, node: string) =>
  event("000", cluster, `Job submitted from host: <127.0.0.1>\n    DAG Node: ${node}`);
const executing = (cluster: number) => event("001", cluster, "Job executing on host: <127.0.0.1>");
const attempt = (node: string, cluster: number, decision: string) =>
  `${JSON.stringify({ event: "attempt", node, cluster, decision, exitCode: 0, site: "north", reason: "it ended" })}\n`;

/** Two units and the engine's own log of the run. */
function directory() {
  const dir = tempDir("job-search");
  const write = (path: string, text: string) => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  write("mg_000001/group.log", submitted(41, "proc_000001") + executing(41) + submitted(42, "proc_000002"));
  write(
    "mg_000002/group.log",
    submitted(7, "landing") +
      executing(7) +
      event("005", 7, "Job terminated.\n\t(1) Normal termination (return value 0)"),
  );
  write("mg_000002/ledger.jsonl", attempt("landing", 7, "done"));
  write("workflow.dag.nodes.log", submitted(5, "mg_000002"));
  return { dir, write };
}
const LONG_AGO = new Date(0);

test("a job is found by its number, whether it waits, runs, or has ended", async () => {
  const { dir } = directory();
  const find = (cluster: number) => findJob(dir, cluster, LONG_AGO, { looks: 9 });
  expect(await find(41)).toMatchObject({ folder: "mg_000001", node: "proc_000001", state: "running", verdict: null });
  expect(await find(42)).toMatchObject({ node: "proc_000002", state: "idle" });
  expect(await find(7)).toMatchObject({
    folder: "mg_000002",
    state: "ended",
    verdict: { decision: "done", site: "north" },
  });
  expect(await find(5)).toMatchObject({ folder: "mg_000002", node: "mg_000002" });
  expect(await find(4)).toBeNull();
  expect(await findJob(join(dir, "gone"), 4, LONG_AGO, { looks: 9 })).toBeNull();
});

test("of a directory that was compacted the ledgers are read; what did not change since then costs no reading", async () => {
  const { dir, write } = directory();
  write("compacted.json", "{}\n");
  expect(await findJob(dir, 7, LONG_AGO, { looks: 9 })).toMatchObject({
    node: "landing",
    verdict: { decision: "done" },
  });
  const later = new Date(Date.now() + 60_000);
  expect(await findJob(dir, 7, later, { looks: 9 })).toBeNull();
  utimesSync(join(dir, "mg_000002/ledger.jsonl"), later, later);
  const budget = { looks: 9 };
  expect(await findJob(dir, 7, later, budget)).not.toBeNull();
  expect(budget.looks).toBe(7);
  expect(await findJob(dir, 7, LONG_AGO, { looks: 1 })).toBeNull();
});
