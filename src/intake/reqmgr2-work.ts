import type { GenerationSpec, InputSpec, ResourceSpec, SplitAlgorithm, SplitSpec } from "../domain/request.ts";
import { SPLIT_ALGORITHMS } from "../domain/request.ts";
import { beforeFilter, MAX_INT64, toBigInteger } from "./big-integers.ts";
import type { Form } from "./form.ts";
import { DATASET, DATASET_RULE } from "./read-input.ts";
import { readMask } from "./read-mask.ts";
import { checkMemory, RESOURCE_DEFAULTS } from "./read-resources.ts";
import type { Reading } from "./reading.ts";
import type { ChainStep } from "./reqmgr2-chain.ts";
import { NOT_YET } from "./reqmgr2-fields.ts";
import { eventsPerJobFor, eventsPerLumiFor } from "./sizing.ts";
import { isRow, readText, type Spot } from "./values.ts";

const PER_JOB = { min: 1, max: Number.MAX_SAFE_INTEGER };
const POSITIVE = { min: 0, above: 0, max: 1e12 };
const DEFAULTS = { secondsPerEvent: 12, kbPerEvent: 512, memoryMb: 2300, lumisPerJob: 8, filesPerJob: 1 };
const WORK_KEYS = [
  "InputDataset",
  "RequestNumEvents",
  "FilterEfficiency",
  "SplittingAlgo",
  "EventsPerJob",
  "EventsPerLumi",
  "LumisPerJob",
  "FilesPerJob",
  "LumiList",
  "RunWhitelist",
  "Multicore",
  "Memory",
  ...NOT_YET,
];

/** What is to be done, in numbers: ReqMgr2's defaults and derivations (facts: reqmgr2 §4, splitting §3). */
export interface ReqMgr2Work {
  readonly kind: "process" | "generate";
  readonly input: InputSpec | null;
  readonly generation: GenerationSpec | null;
  readonly split: SplitSpec;
  readonly resources: ResourceSpec;
}

export function readReqMgr2Work(top: Form, chain: readonly ChainStep[], reading: Reading): ReqMgr2Work {
  for (const form of [top, ...chain.map((step) => step.form)]) form.knows(...WORK_KEYS);
  const first = chain[0]?.form ?? top;
  /** In the first step, else at the top: documents that ReqMgr2 gives out repeat some keys there. */
  const holder = (key: string): Form => (first.spot(key) === null ? top : first);
  const seconds = top.number("TimePerEvent", POSITIVE, DEFAULTS.secondsPerEvent);
  const kb = top.number("SizePerEvent", POSITIVE, DEFAULTS.kbPerEvent);
  for (const key of NOT_YET) {
    const spot = holder(key).spot(key);
    if (spot !== null && !(Array.isArray(spot.value) && spot.value.length === 0))
      reading.notes.problem(spot.path, "comes later; until then such a request cannot be taken");
  }
  const dataset = holder("InputDataset").spot("InputDataset");
  const generates = chain.length > 0 && dataset === null && first !== top;
  const wished = holder("EventsPerJob").integer("EventsPerJob", PER_JOB, eventsPerJobFor(seconds));
  const generation = generates ? readReqMgr2Generation(top, first, wished, reading) : null;
  if (!generates && dataset === null) top.missing("InputDataset", DATASET_RULE);
  const eventsPerJob = generation?.eventsPerJob ?? wished;
  const algorithm = holder("SplittingAlgo").choice<SplitAlgorithm>(
    "SplittingAlgo",
    SPLIT_ALGORITHMS,
    "EventAwareLumiBased",
  );
  return {
    kind: generates ? "generate" : "process",
    input: dataset === null ? null : readReqMgr2Input(dataset, holder, reading),
    generation: generation?.spec ?? null,
    split: {
      algorithm: generates ? "EventBased" : algorithm,
      filesPerJob: holder("FilesPerJob").integer("FilesPerJob", PER_JOB, DEFAULTS.filesPerJob),
      eventsPerJob,
      lumisPerJob: holder("LumisPerJob").integer("LumisPerJob", PER_JOB, DEFAULTS.lumisPerJob),
    },
    resources: readReqMgr2Resources(top, chain, { seconds, kb, eventsPerJob }, reading),
  };
}

function readReqMgr2Input(dataset: Spot, holder: (key: string) => Form, reading: Reading): InputSpec | null {
  const lumis = holder("LumiList").spot("LumiList");
  const empty = isRow(lumis?.value) && Object.keys(lumis.value).length === 0;
  const mask = readMask(holder("RunWhitelist").list("RunWhitelist"), empty ? null : lumis, reading.notes);
  const name = readText(dataset, reading.notes, DATASET, DATASET_RULE);
  return name === null ? null : { from: "dataset", dataset: name, mask };
}

function readReqMgr2Generation(
  top: Form,
  first: Form,
  wished: number,
  reading: Reading,
): { spec: GenerationSpec; eventsPerJob: number } {
  const { notes } = reading;
  const number = first.spot("RequestNumEvents") ?? top.spot("RequestNumEvents");
  if (number === null)
    first.missing("RequestNumEvents", "how many events are wanted; or InputDataset, for a chain that has input");
  const wanted = (number && toBigInteger(number, notes, 1n)) ?? 1n;
  const filterEfficiency = first.number("FilterEfficiency", { min: 0, above: 0, max: 1 }, 1);
  const totalEvents = beforeFilter(wanted, filterEfficiency);
  const firstSpot = top.spot("FirstEvent");
  const firstEvent = (firstSpot && toBigInteger(firstSpot, notes, 1n)) ?? 1n;
  if (firstEvent + totalEvents - 1n > MAX_INT64)
    notes.problem(first.pathOf("RequestNumEvents"), `the last event would be beyond ${MAX_INT64}`);
  const perLumi = first.integer("EventsPerLumi", PER_JOB, null);
  const { eventsPerJob, eventsPerLumi } = eventsPerLumiFor(wished, perLumi, totalEvents);
  const firstLumi = top.integer("FirstLumi", { min: 1, max: 2 ** 32 - 1 }, 1);
  return { spec: { totalEvents, firstEvent, firstLumi, eventsPerLumi, filterEfficiency, topUp: false }, eventsPerJob };
}

/** One job runs all steps, so it needs the most that any of them asks for. */
function readReqMgr2Resources(
  top: Form,
  chain: readonly ChainStep[],
  size: { seconds: number; kb: number; eventsPerJob: number },
  reading: Reading,
): ResourceSpec {
  const { rules, notes } = reading;
  const forms = [top, ...chain.map((step) => step.form).filter((form) => form !== top)];
  const cores = Math.max(...forms.map((form) => form.integer("Multicore", { min: 1, max: 1024 }, 1)));
  const asked = forms.map((form) => form.number("Memory", POSITIVE, null)).filter((memory) => memory !== null);
  const memoryMb = asked.length > 0 ? Math.ceil(Math.max(...asked)) : DEFAULTS.memoryMb;
  const minutes = Math.ceil((1.5 * size.seconds * size.eventsPerJob) / 60);
  const resources: ResourceSpec = {
    cores,
    memoryMb,
    wallMinutes: Math.min(rules.maxWallMinutes, Math.max(RESOURCE_DEFAULTS.wallMinutes, minutes)),
    diskMb: Math.max(RESOURCE_DEFAULTS.diskMb, Math.min(1e6, Math.ceil((size.kb * size.eventsPerJob) / 1000))),
    gpus: 0,
    secondsPerEvent: size.seconds,
    kbPerEvent: size.kb,
  };
  checkMemory(resources, top.pathOf("Memory"), rules, notes);
  return resources;
}
