import type { RequestSpec, ResourceSpec } from "../domain/request.ts";
import type { IntakeRules } from "../domain/submission.ts";
import {
  type GenerateWork,
  type InputSpec,
  type ProcessWork,
  SPLIT_ALGORITHMS,
  type SplitSpec,
} from "../domain/work.ts";
import { within64Bits } from "../kinds/generate/kind.ts";
import { DATASET_RULE, readDataset, UNREADABLE, withOnMissing } from "../kinds/process/read-input.ts";
import { readMask } from "../kinds/process/read-mask.ts";
import { PER_JOB } from "../kinds/read-split.ts";
import { beforeFilter, eventsPerJobFor, eventsPerLumiFor } from "../kinds/sizing.ts";
import type { Form } from "../reading/form.ts";
import { parseDocument } from "../reading/parse-document.ts";
import { isRow, keysIn, Spot } from "../reading/values.ts";
import { checkMemory, POSITIVE, RESOURCE_DEFAULTS } from "./read-resources.ts";
import type { ChainStep } from "./reqmgr2-chain.ts";
import { readGpus } from "./reqmgr2-refused.ts";

const DEFAULTS = { secondsPerEvent: 12, kbPerEvent: 512, memoryMb: 2300, lumisPerJob: 8, filesPerJob: 1 };
const WORK_KEYS = [
  ...keysIn("InputDataset RequestNumEvents FilterEfficiency SplittingAlgo EventsPerJob EventsPerLumi LumisPerJob"),
  ...keysIn("FilesPerJob LumiList RunWhitelist Multicore Memory"),
];

/** What is to be done, in numbers: ReqMgr2's defaults and derivations, as its own server applies them. */
export function readReqMgr2Work(
  top: Form,
  chain: readonly ChainStep[],
  rules: IntakeRules,
): Pick<RequestSpec, "work" | "resources"> {
  for (const form of [top, ...chain.map((step) => step.form)]) form.knows(...WORK_KEYS);
  const first = chain[0]?.form ?? top;
  /** In the first step, else at the top: documents that ReqMgr2 gives out repeat some keys there. */
  const holder = (key: string): Form => (first.spot(key) === null ? top : first);
  const perJob = (key: string, usual: number): number => holder(key).integer(key, PER_JOB, usual);
  const seconds = top.number("TimePerEvent", POSITIVE, DEFAULTS.secondsPerEvent);
  const kb = top.number("SizePerEvent", POSITIVE, DEFAULTS.kbPerEvent);
  const dataset = holder("InputDataset").spot("InputDataset");
  const generates = chain.length > 0 && dataset === null;
  const wished = perJob("EventsPerJob", eventsPerJobFor(seconds));
  if (!generates && dataset === null) top.missing("InputDataset", DATASET_RULE);
  const algorithm = holder("SplittingAlgo").choice("SplittingAlgo", SPLIT_ALGORITHMS, "EventAwareLumiBased");
  const split: SplitSpec = {
    algorithm: generates ? "EventBased" : algorithm,
    filesPerJob: perJob("FilesPerJob", DEFAULTS.filesPerJob),
    eventsPerJob: wished,
    lumisPerJob: perJob("LumisPerJob", DEFAULTS.lumisPerJob),
  };
  const input = withOnMissing(dataset && readReqMgr2Input(dataset, holder), top) ?? UNREADABLE;
  const work: GenerateWork | ProcessWork = generates
    ? readReqMgr2Generation(top, holder, split)
    : { kind: "process", input, split };
  const { eventsPerJob } = work.split;
  return { work, resources: readReqMgr2Resources(top, chain, rules, { seconds, kb, eventsPerJob }) };
}

function readReqMgr2Input(dataset: Spot, holder: (key: string) => Form): InputSpec | null {
  const given = holder("LumiList").spot("LumiList");
  const lumis = given && new Spot(given.path, jsonOf(given.value), given.notes);
  const empty = isRow(lumis?.value) && Object.keys(lumis.value).length === 0;
  return readDataset(dataset, readMask(holder("RunWhitelist").list("RunWhitelist"), empty ? null : lumis));
}

/** ReqMgr2 takes a map, or the same as JSON text. */
function jsonOf(value: unknown): unknown {
  const parsed = typeof value === "string" ? parseDocument(value || "{}", "json") : null;
  return parsed?.ok ? parsed.value : value;
}

function readReqMgr2Generation(top: Form, holder: (key: string) => Form, split: SplitSpec): GenerateWork {
  const events = holder("RequestNumEvents");
  const number = events.spot("RequestNumEvents");
  if (number === null)
    top
      .section("Step1")
      .missing("RequestNumEvents", "how many events are wanted; or InputDataset, for a chain that has input");
  const wanted = number?.bigInteger(1n) ?? 1n;
  const filterEfficiency = holder("FilterEfficiency").number("FilterEfficiency", { min: 0, above: 0, max: 1 }, 1);
  const totalEvents = beforeFilter(wanted, filterEfficiency);
  const firstEvent = top.spot("FirstEvent")?.bigInteger(1n) ?? 1n;
  const perLumi = holder("EventsPerLumi").integer("EventsPerLumi", PER_JOB, null);
  const { eventsPerJob, eventsPerLumi } = eventsPerLumiFor(split.eventsPerJob, perLumi, totalEvents);
  const firstLumi = top.integer("FirstLumi", { min: 1, max: 2 ** 32 - 1 }, 1);
  const sized = { eventsPerLumi, split: { ...split, eventsPerJob } };
  const work = { totalEvents, firstEvent, firstLumi, filterEfficiency, topUp: false, ...sized } as const;
  return within64Bits({ kind: "generate", ...work }, events, "RequestNumEvents");
}

/** One job runs all steps, so it needs the most that any of them asks for. */
function readReqMgr2Resources(
  top: Form,
  chain: readonly ChainStep[],
  rules: IntakeRules,
  size: { seconds: number; kb: number; eventsPerJob: number },
): ResourceSpec {
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
    gpus: readGpus(top, forms.slice(1)),
    secondsPerEvent: size.seconds,
    kbPerEvent: size.kb,
  };
  checkMemory(resources, top.pathOf("Memory"), top.notes, rules);
  return resources;
}
