import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toEnd } from "../../src/core/base/slices.ts";
import { monthOf } from "../../src/core/calendar.ts";
import type { RequestName, WorkflowId } from "../../src/core/names.ts";
import type { HistoryFact } from "../../src/core/products.ts";
import type { NodeRow, SegmentsWork } from "../../src/core/segments.ts";
import { kindOf } from "../../src/kinds/kind.ts";
import { madeOfSum } from "../../src/kinds/segments/made-of.ts";
import { historyPath, segmentNodes, segmentsOf } from "../../src/kinds/segments/nodes.ts";
import { planFill } from "../../src/kinds/segments/plan-fill.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { gatherFill, lookAround } from "../../src/loop/gather-fill.ts";
import type { Ports } from "../../src/loop/ports.ts";
import { fillText } from "../../src/recovery/explain/fill-text.ts";
import { makeSpool } from "../../src/submit-dir/disk/spool.ts";
import {
  fillFacts,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
  years,
} from "../../tests/support/sample-segments.ts";
import { freshStore } from "../../tests/support/store-embedded.ts";
import { sampleSpec, sampleWorkflow } from "../../tests/support/store-fixtures.ts";
import { inOwnDirectory, peakRssMb, timed } from "./measure.ts";

/**
 * Plans all of 200 years × 50 components × 4 lengths, draws it, then looks at its history and finds that nothing is to be done: the
 * plan alone, and a sweep as the loop does it, with rows from the embedded database and files looked at by another process.
 */
export const run = ({ components }: { components: number }) =>
  inOwnDirectory("fill", (root) => measured(root, components));

async function measured(root: string, count: number) {
  const products = sampleFamily(years(1, 5, 10, 20));
  const work = sampleSegments({
    directory: root,
    end: monthOf(201),
    history: { ...sampleSegments().history, path: "{date}.nc.tar" },
    components: Array.from({ length: count }, (_, index) => sampleComponent(`component${index}`, products)),
  });
  for (const segment of segmentsOf(work, monthOf(201)))
    writeFileSync(join(root, historyPath(work, segment)), "history");
  const facts = fillFacts({ work, history: look(work) });
  const planned = timed(() => toEnd(planFill(facts)));
  const grid = timed(() => fillText(planned.value));
  const peak = peakRssMb();
  const rows = allDone(work, facts.history);
  const sweep = timed(() => toEnd(planFill({ ...facts, rows, history: look(work) })));
  if (sweep.value.actions.length + sweep.value.obstacles.length > 0) throw new Error("something would be made again");
  return {
    planSeconds: planned.seconds,
    planCpuSeconds: planned.cpuSeconds,
    gridSeconds: grid.seconds,
    replanSeconds: sweep.seconds,
    ...(await sweepOf(root, work)),
    nodes: planned.value.actions.length,
    peakRssMb: peak,
    /** With the embedded database, which has the rows. */
    peakRssSweepMb: peakRssMb(),
  };
}

/** Rows of what is done are stored; then it looks, as every 15 minutes. */
async function sweepOf(root: string, work: SegmentsWork) {
  const store = await freshStore();
  const [name, workflowId] = ["cm5" as RequestName, "w-cm5" as WorkflowId];
  const now = new Date();
  await store.requests.create({ ...sampleSpec(name), work }, "queued", [], "ada", now);
  await store.workflows.create(sampleWorkflow(workflowId, name));
  const directories = { spoolDir: join(root, "spool"), storageDir: join(root, "storage"), owner: null };
  const spool = makeSpool(directories as Parameters<typeof makeSpool>[0]);
  const ports = { store, spool, kinds: KINDS, clock: { now: () => new Date() } } as unknown as Ports;
  const [request, workflow] = [await store.requests.get(name), await store.workflows.forRequest(name)];
  const { products } = kindOf(KINDS, work);
  const done = allDone(work, (await lookAround(ports, products!, work)).history);
  await store.segmentNodes.write(
    workflowId,
    Array.from(done.values(), (row) => ({ ...row, version: 0 })),
  );
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const { plan } = await gatherFill(ports, products!, request!, workflow);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (plan.actions.length > 0) throw new Error(`${plan.actions[0]!.node} would be made again`);
  const rounded = (value: number) => Math.round(value * 100) / 100;
  // Of a machine that does other things, too, the second one tells more.
  return { sweepSeconds: rounded(seconds), sweepCpuSeconds: rounded((user + system) / 1e6) };
}

/** One look per segment. */
function look(work: SegmentsWork): ReadonlyMap<number, HistoryFact> {
  return new Map(
    segmentsOf(work, work.end!).map((segment) => {
      const { size, mtimeMs } = statSync(join(work.directory, historyPath(work, segment)));
      return [segment.from, { state: "present", stamp: { sizeBytes: size, mtime: mtimeMs / 1000 } }];
    }),
  );
}

function allDone(work: SegmentsWork, history: ReadonlyMap<number, HistoryFact>): ReadonlyMap<string, NodeRow> {
  const rows = new Map<string, NodeRow>();
  for (const node of segmentNodes(work, work.end!))
    rows.set(node.id, sampleRow(node.id, "done", { madeSum: node.id, madeOfSum: madeOfSum(node, rows, history) }));
  return rows;
}
