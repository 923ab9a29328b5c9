import type { OutputCatalog, StepOutcome } from "../../src/catalogs/port.ts";
import type { SiteName, WorkflowId } from "../../src/core/names.ts";
import { walkOutputs } from "../../src/loop/outputs-walk.ts";
import type { PassWork } from "../../src/loop/ports.ts";
import { BlockCutter } from "../../src/planning/units.ts";
import type { Store } from "../../src/store/port.ts";
import { freshStore } from "../../tests/support/store-embedded.ts";
import { sampleDag, sampleOutput, sampleSpec, sampleUnit, sampleWorkflow } from "../../tests/support/store-fixtures.ts";
import { chance } from "../simulate/chance.ts";

/** What a unit leaves for each dataset, on the average. */
const DATASETS = { AOD: 3e9, MINIAOD: 4e8, NANOAOD: 3e7 };
/** The usual sizes of a request. */
const USUAL = { blockTargetBytes: 1e12, maxUnitsPerBlock: 500 };
const UNITS_AT_ONCE = 50;

interface Campaign {
  readonly units: number;
  readonly sites: number;
  readonly limits?: typeof USUAL;
}
const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  "16 units, 3 sites, blocks of 3": { units: 16, sites: 3, limits: { ...USUAL, maxUnitsPerBlock: 3 } },
  "16 units, 3 sites": { units: 16, sites: 3 },
  "500 units, 50 sites": { units: 500, sites: 50 },
  "5,000 units, 50 sites": { units: 5000, sites: 50 },
};

/** Blocks of each dataset: by planned block and site, as it was, and as the ledger and the walk make them now. */
export async function run(): Promise<object> {
  const all: Record<string, object> = {};
  for (const [name, campaign] of Object.entries(CAMPAIGNS)) {
    const made = finishedUnits(campaign);
    const after = await byLedger(made, campaign);
    const before = byPlannedBlock(made);
    all[name] = Object.fromEntries(
      Object.keys(DATASETS).map((tier) => [tier, { before: figures(before, tier), after: figures(after, tier) }]),
    );
  }
  return all;
}

const datasetOf = (tier: string): string => `/Bench/Era26-v1/${tier}`;

interface Block {
  readonly dataset: string;
  readonly files: number;
  readonly bytes: number;
}

function figures(blocks: readonly Block[], tier: string) {
  const of = blocks.filter(({ dataset }) => dataset === datasetOf(tier));
  const spread = (key: "files" | "bytes", unit = 1) => {
    const sorted = of.map((block) => block[key] / unit).sort((a, b) => a - b);
    const rounded = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10;
    return { min: rounded(sorted[0]), median: rounded(sorted[sorted.length >> 1]), max: rounded(sorted.at(-1)) };
  };
  return { blocks: of.length, files: spread("files"), gigabytes: spread("bytes", 1e9) };
}

type Made = ReturnType<typeof sampleUnit>;

/** Sites differ as they do: the tenth gets a tenth of what the first gets. Which of them a unit gets is chance. */
function finishedUnits({ units, sites, limits = USUAL }: Campaign): readonly Made[] {
  // Rank r has 1 / (r + 1) of what the first has; the sums up to each rank.
  const upTo: number[] = [];
  for (let rank = 0; rank < sites; rank += 1) upTo.push((upTo.at(-1) ?? 0) + 1 / (rank + 1));
  const cutter = new BlockCutter(0, limits);
  return Array.from({ length: units }, (_, index) => {
    const share = chance(1, "site", index) * (upTo.at(-1) ?? 0);
    const site = upTo.findIndex((sum) => share < sum);
    const name = `mg_${String(index).padStart(6, "0")}`;
    const outputs = Object.entries(DATASETS).map(([tier, bytes]) => {
      const sizeBytes = Math.round(bytes * (0.7 + 0.6 * chance(1, tier, index)));
      return sampleOutput(`/store/mc/${tier}/${name}.root`, { output: tier, dataset: datasetOf(tier), sizeBytes });
    });
    const block = cutter.place(
      outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      false,
    );
    return sampleUnit("w-bench", "d-bench", name, { site: `T2_XX_${site}` as SiteName, outputs, block });
  });
}

/** Files of the same dataset, planned block and site shared a block. */
function byPlannedBlock(units: readonly Made[]): readonly Block[] {
  const blocks = new Map<string, Block>();
  for (const { site, block, outputs } of units)
    for (const { dataset, sizeBytes } of outputs) {
      const key = `${dataset} ${block} ${site}`;
      const { files, bytes } = blocks.get(key) ?? { files: 0, bytes: 0 };
      blocks.set(key, { dataset, files: files + 1, bytes: bytes + sizeBytes });
    }
  return [...blocks.values()];
}

async function byLedger(units: readonly Made[], { limits = USUAL }: Campaign): Promise<readonly Block[]> {
  const store = await freshStore();
  const spec = sampleSpec("bench");
  const ids = { workflow: "w-bench" as WorkflowId, dag: "d-bench" };
  const at = new Date(0);
  await store.requests.create({ ...spec, unit: { ...spec.unit, ...limits } }, "active", [], "bench", at);
  await store.workflows.create(sampleWorkflow(ids.workflow, "bench", { status: "active" }));
  await store.dags.create(sampleDag(ids.dag, ids.workflow));
  const count = Math.max(...units.map(({ block }) => block)) + 1;
  const planned = Array.from({ length: count }, (_, index) => {
    const of = units.filter(({ block }) => block === index).length;
    return { index, dataset: datasetOf("AOD"), units: of };
  });
  await store.units.createBlocks(ids.workflow, planned, at);
  const ports = passWork(store);
  for (let from = 0; from < units.length; from += UNITS_AT_ONCE) {
    await store.units.recordFinished(units.slice(from, from + UNITS_AT_ONCE));
    await walkOutputs(ports);
  }
  const workflow = await store.workflows.get(ids.workflow);
  await store.workflows.change(ids.workflow, workflow?.version ?? 0, { hasAllUnits: true });
  for (let pass = 0; pass < 5; pass += 1) await walkOutputs(ports);
  const { items } = await store.outputs.list({ limit: 10_000 });
  const left = items.filter(({ status }) => status !== "done");
  if (left.length > 0) throw new Error(`${left.length} blocks are not done`);
  return items;
}

/** All that a walk over outputs needs, with a catalog that has the steps of CMS and says yes at once. */
const passWork = (store: Store): PassWork =>
  ({
    store,
    catalog: { outputs: WILLING },
    clock: { now: () => new Date() },
    policy: { concurrency: 4, outputs: { backoffSec: [60], giveUpAfterSec: 60, maxRefusals: 1 } },
    log: { info() {}, warn() {}, error() {} },
    leads: () => true,
  }) as unknown as PassWork;

const yes = async (): Promise<StepOutcome> => ({ kind: "done", receipt: "yes" });
const WILLING: OutputCatalog = {
  steps: [
    { name: "block", service: "rucio", when: "first-unit" },
    { name: "replicas", service: "rucio", when: "each-unit", takes: "owed", leaves: "replicated" },
    { name: "dbs-block", service: "dbs", when: "firm" },
    { name: "files", service: "dbs", when: "each-unit", takes: "replicated", leaves: "registered" },
    { name: "close", service: "dbs", when: "after-last-unit" },
    { name: "tape-rule", service: "rucio", when: "after-last-unit" },
  ],
  finally: "archived",
  retries: "backoff",
  run: yes,
  withdrawRules: yes,
  withdrawFiles: yes,
};
