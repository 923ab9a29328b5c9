import type { Edges, GraphJob, GraphPlan, JobPlan } from "../../core/graph.ts";
import type { RequestedSizes } from "../../core/metrics.ts";
import { jobName, type SiteName } from "../../core/names.ts";
import type { DagPlan, NodeResources, PlanOutcome, UnitPlan } from "../../core/plan.ts";
import { byRole, FLAT_GRAPH } from "../../core/roles.ts";
import type { Work } from "../../core/work.ts";
import type { PlanFacts } from "../../planning/facts.ts";
import { noSiteAtAll, siteRules, sitesForAnything } from "../../planning/locality.ts";
import { refused } from "../../planning/plan-round.ts";
import { seedMaker } from "../../planning/seeds.ts";
import { throughBarriers } from "./barriers.ts";
import { type SizedJobs, sizeJobs } from "./size-jobs.ts";
import { NOT_SOFT, type Softness } from "./soft.ts";

/** A round of jobs that wait for each other. Each is a unit, and may run at any site at every try. */
interface FlatRound<Job extends GraphJob = GraphJob>
  extends Pick<GraphPlan, "directory" | "changes" | "groups" | "folders"> {
  readonly jobs: readonly Job[];
  /** Between jobs of this round. */
  readonly edges: readonly Edges[];
  /** What tells whether a job is still the same. */
  digestOf(job: Job): string;
  productsOf?(job: Job): JobPlan["products"];
  /** Who has to end, and need not succeed. Absent: nobody. */
  softOf?(edges: readonly Edges[]): Generator<undefined, Softness>;
  /** Jobs of the block that this round opens, credited ones included; null: they are in the block before. */
  readonly blockJobs: number | null;
  /** The number after the last that this round uses. */
  readonly nextUnit: number;
}

export function* planFlat<Job extends GraphJob>(
  facts: PlanFacts<Work>,
  flat: FlatRound<Job>,
): Generator<undefined, PlanOutcome> {
  const { spec, policy } = facts;
  const { jobs, directory, changes, groups } = flat;
  const rules = siteRules(facts);
  const sites = sitesForAnything(rules);
  if (sites === null) return refused(noSiteAtAll(rules));
  const sized = yield* sizeJobs(jobs, policy);
  if (!sized.ok) return refused(sized.error);
  const { sizes, warnings } = sized.value;
  const edges = yield* throughBarriers(flat.edges);
  const isNewBlock = flat.blockJobs !== null;
  const block = isNewBlock ? facts.next.block : facts.next.block - 1;
  const softness = flat.softOf ? yield* flat.softOf(edges) : NOT_SOFT;
  const plan: DagPlan = {
    dagId: facts.dagId,
    requestName: spec.name,
    round: facts.round,
    priority: facts.priority ?? spec.priority,
    shape: FLAT_GRAPH,
    steps: [],
    outputs: [],
    retries: spec.retries,
    throttles: spec.throttles,
    resources: byRole(() => largest(sizes)),
    avoidSites: spec.sites.deny,
    requested: requested(largest(sizes)),
    stepProfile: null,
    units: { [Symbol.iterator]: () => walkJobs(spec, block, flat, sites, sized.value, softness) },
    graph: {
      ...{ directory, changes, sizes, groups, edges },
      ...(flat.folders && { folders: flat.folders }),
      softSets: softness.softSets,
      softJobs: softness.soft.size,
    },
    summary: {
      units: jobs.length,
      blocks: isNewBlock
        ? [{ index: block, dataset: `/${spec.name}`, units: flat.blockJobs ?? 0, expectedBytes: 0 }]
        : [],
      nodes: jobs.length,
      nodesByRole: { job: jobs.length },
      inputFiles: 0,
      events: 0n,
      expectedBytes: 0,
      next: { ...facts.next, unit: flat.nextUnit, node: flat.nextUnit, block: block + 1 },
      warnings: [...(facts.warnings ?? []), ...warnings],
    },
  };
  return { kind: "planned", plan, unplanned: [] };
}

const requested = ({ cores, memoryMb, wallMinutes, diskMb }: NodeResources): RequestedSizes => ({
  ...{ cores, memoryMb, wallMinutes, diskMb },
  isMeasured: false,
  eventsPerJob: null,
  why: {},
});

/** What jobs ask for at most. */
export const largest = (sizes: readonly NodeResources[]): NodeResources => {
  const most = (key: Exclude<keyof NodeResources, "gpuKind">) =>
    sizes.reduce((sum, size) => Math.max(sum, size[key]), 0);
  return {
    cores: most("cores"),
    memoryMb: most("memoryMb"),
    diskMb: most("diskMb"),
    wallMinutes: most("wallMinutes"),
    gpus: most("gpus"),
  };
};

/** A unit per job, made anew at each walk. */
function* walkJobs<Job extends GraphJob>(
  spec: PlanFacts<Work>["spec"],
  block: number,
  { jobs, digestOf, productsOf }: FlatRound<Job>,
  sites: readonly SiteName[],
  { sizes, sizeOf }: SizedJobs,
  { soft, needs }: Softness,
): Generator<UnitPlan> {
  const seedOf = seedMaker(spec.name);
  for (const job of jobs) {
    const { index } = job;
    const name = jobName(index);
    const size = sizeOf(job);
    const resources = sizes[size]!;
    const products = productsOf?.(job);
    const node = {
      name,
      index,
      resources,
      seed: seedOf(index),
      ...NO_EVENTS,
      job: {
        name: job.name,
        argv: job.argv,
        env: job.env,
        reads: job.reads,
        makes: job.makes,
        handlers: job.handlers,
        when: job.when,
        group: job.group,
        retries: job.retries ?? spec.retries.job,
        size,
        digest: digestOf(job),
        soft: soft.has(index),
        needs: needs.get(index) ?? NONE,
        ...(products && { products }),
      },
    };
    yield { name, index, block, sites, priority: job.priority, nodes: [node], resources, expectedOutputBytes: 0 };
  }
}

const NONE: readonly never[] = [];
const NO_EVENTS = {
  inputs: NONE,
  firstEvent: null,
  lastEvent: null,
  firstLumi: null,
  lastLumi: null,
  runLumis: null,
  events: null,
} as const;
