import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toEnd } from "../../src/core/base/slices.ts";
import type { GraphWork, JobTemplate } from "../../src/core/graph.ts";
import { expanded } from "../../src/kinds/graph/expanded.ts";
import { graphKind } from "../../src/kinds/graph/kind.ts";
import { fileStamps } from "../../src/submit-dir/disk/file-stamps.ts";
import { renderDag } from "../../src/submit-dir/render/render-dag.ts";
import { checkPlan, planRound, sampleFacts } from "../../tests/support/sample-facts.ts";
import { graphSpec } from "../../tests/support/sample-graph.ts";
import { inOwnDirectory, peakRssMb, RESTED, timed } from "./measure.ts";
import { RENDERING, writeAll } from "./plan.ts";
import { runs } from "./run.ts";

/** One layer in which each of a thousand jobs waits for a thousand others; the rest waits for one job. */
const LAYER = 1000;

/** Writes out, plans, checks and writes a graph of so many jobs; decides that none has to run again; runs a few. */
export const run = async ({ jobs }: { jobs: number }) => {
  // First, on a disk from which nothing was deleted; its jobs are other processes, so memory stays that of planning.
  const ran = await inOwnDirectory("run", (root) => runs(root), RESTED);
  const written = await inOwnDirectory("graph", (root) => intoFiles(root, jobs), RESTED);
  const rerunNothingSeconds = await inOwnDirectory("graph", (root) => decideNothing(root, jobs), RESTED);
  return { ...written, rerunNothingSeconds, ...ran };
};

/** All jobs finished, and their files are as they were: written out, looked at on the disk, compared. */
async function decideNothing(root: string, jobs: number): Promise<number> {
  const { credits } = graphKind;
  if (!credits) throw new Error("graphs have no credits");
  const done = { ...sampleWork(jobs), directory: root };
  const { graph, digestOf } = expanded(done);
  for (const folder of ["first", "second", "third"]) mkdirSync(join(root, folder));
  for (const { makes } of graph.jobs) for (const path of makes) writeFileSync(join(root, path), "made");
  const before = await fileStamps(root, toEnd(credits.files(done)).paths);
  const stamped = (paths: readonly string[]) => paths.flatMap((path) => before.get(path) ?? []);
  const proofs = new Map(
    graph.jobs.map((job) => [
      job.name,
      { name: job.name, digest: digestOf(job), reads: stamped(job.reads), makes: stamped(job.makes) },
    ]),
  );
  const began = performance.now();
  const work = { ...done };
  const { directory, paths } = toEnd(credits.files(work));
  const stamps = await fileStamps(directory, paths);
  const seen = (path: string) => stamps.get(path) ?? null;
  const told = toEnd(credits.decide({ work, attached: new Map(), before: { work: done, proofs }, seen }));
  const seconds = (performance.now() - began) / 1000;
  if (told.length !== jobs || told.some(({ cause }) => cause !== null)) throw new Error("something would run again");
  return Math.round(seconds * 100) / 100;
}

function intoFiles(root: string, jobs: number) {
  const facts = sampleFacts(graphSpec({ work: sampleWork(jobs) }));
  const { value, seconds, cpuSeconds } = timed(() => {
    const outcome = planRound(facts);
    if (outcome.kind !== "planned") throw new Error(`not planned: ${JSON.stringify(outcome)}`);
    const { plan } = outcome;
    const [broken] = checkPlan(plan, facts);
    if (broken) throw new Error(broken.message);
    return { plan, written: writeAll(root, renderDag(plan, RENDERING)) };
  });
  const edges = value.plan.graph?.edges ?? [];
  return {
    expandPlanWrite100kSeconds: seconds,
    peakRssMb: peakRssMb(),
    jobs: value.plan.summary.units,
    /** As the graph has them, and as the DAG does. */
    edges: edges.reduce((sum, { parents, children }) => sum + parents.length * children.length, 0),
    dagEdges: edges.reduce(
      (sum, { parents, children, barrier }) =>
        sum + (barrier === null ? parents.length * children.length : parents.length + children.length),
      0,
    ),
    barriers: edges.filter(({ barrier }) => barrier !== null).length,
    cpuSeconds,
    ...value.written,
  };
}

function sampleWork(jobs: number): GraphWork {
  const rows = (count: number) => ({
    how: "rows" as const,
    columns: { i: Array.from({ length: count }, (_, index) => String(index)) },
  });
  const template = (name: string, change: Partial<JobTemplate>): JobTemplate => ({
    name,
    argv: ["./work.sh", "{i}", "--fast"],
    env: { MODE: "bench" },
    each: null,
    after: [],
    reads: [],
    makes: [],
    resources: { cores: 1, memoryMb: 2000, diskMb: 1024, wallMinutes: 60, gpus: 0 },
    priority: 0,
    atOnce: null,
    when: "done",
    handlers: [],
    retries: null,
    ...change,
  });
  return {
    kind: "graph",
    directory: "/shared/bench",
    parameters: {},
    hooks: [],
    jobs: [
      template("prepare", { argv: ["./prepare.sh"], makes: ["config.json"] }),
      template("first-{i}", { each: rows(LAYER), reads: ["config.json"], makes: ["first/{i}.bin"] }),
      template("second-{i}", { each: rows(LAYER), after: ["first-*"], makes: ["second/{i}.bin"] }),
      template("third-{i}", { each: rows(jobs - 2 * LAYER - 1), reads: ["config.json"], makes: ["third/{i}.bin"] }),
    ],
  };
}
