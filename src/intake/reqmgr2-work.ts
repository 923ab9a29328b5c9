import type { RequestSpec, ResourceSpec } from "../core/request.ts";
import type { IntakeRules } from "../core/submission.ts";
import { type GenerateWork, type ProcessWork, SPLIT_ALGORITHMS, type SplitSpec } from "../core/work.ts";
import { within64Bits } from "../kinds/generate/kind.ts";
import { DATASET_RULE, UNREADABLE, withOnMissing } from "../kinds/process/read-input.ts";
import { checkMemory, USUAL_JOB } from "../kinds/read-sizes.ts";
import { PER_JOB } from "../kinds/read-split.ts";
import { beforeFilter, eventsPerJobFor, eventsPerLumiFor } from "../kinds/sizing.ts";
import { POSITIVE } from "./read-resources.ts";
import type { Form } from "./reading/form.ts";
import { isRow, keysIn, type Range } from "./reading/values.ts";
import { type ChainStep, spotFor } from "./reqmgr2-chain.ts";
import { readSecondary } from "./reqmgr2-cms.ts";
import { readGpus } from "./reqmgr2-gpus.ts";
import { CHOICE_KEYS, readReqMgr2Input } from "./reqmgr2-input.ts";

const DEFAULTS = { secondsPerEvent: 12, kbPerEvent: 512, memoryMb: 2300, lumisPerJob: 8, filesPerJob: 1 };
const WORK_KEYS = [
  ...keysIn("InputDataset RequestNumEvents FilterEfficiency SplittingAlgo EventsPerJob EventsPerLumi LumisPerJob"),
  ...keysIn("FilesPerJob Multicore Memory EventStreams TimePerEvent SizePerEvent"),
  ...CHOICE_KEYS,
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
  const seconds = secondsPerEvent(top, chain);
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
  const input = withOnMissing(dataset && readReqMgr2Input(dataset, first, top), top) ?? UNREADABLE;
  const steps = chain.length > 0 ? chain : [{ name: "", form: top }];
  const secondary = readSecondary(top, steps);
  const work: GenerateWork | ProcessWork = {
    ...(generates ? readReqMgr2Generation(top, holder, split) : { kind: "process", input, split }),
    ...(secondary.length > 0 && { secondary }),
  };
  const { eventsPerJob } = work.split;
  return { work, resources: readReqMgr2Resources(top, chain, rules, { seconds, kb, eventsPerJob }) };
}

/** Of the whole chain; where only its steps say, they run one after another. */
function secondsPerEvent(top: Form, chain: readonly ChainStep[]): number {
  const all = top.spot("TimePerEvent");
  const isWhole = all !== null && !isRow(all.value);
  const spots = isWhole ? [all] : chain.map((step) => spotFor(top, step, "TimePerEvent"));
  const seconds = spots.flatMap((spot) => spot?.number(POSITIVE, true) ?? []);
  return seconds.length > 0 ? seconds.reduce((sum, one) => sum + one, 0) : DEFAULTS.secondsPerEvent;
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
  const asks = (key: string, range: Range): number[] => {
    const all = top.spot(key);
    const own = chain.map((step) => (isRow(all?.value) ? spotFor(top, step, key) : step.form.spot(key)));
    return [isRow(all?.value) ? null : all, ...own].flatMap((spot) => spot?.number(range, true) ?? []);
  };
  const cores = Math.max(1, ...asks("Multicore", { min: 1, max: 1024 }).map(Math.trunc));
  const asked = asks("Memory", POSITIVE);
  const memoryMb = asked.length > 0 ? Math.ceil(Math.max(...asked)) : DEFAULTS.memoryMb;
  const minutes = Math.ceil((1.5 * size.seconds * size.eventsPerJob) / 60);
  const resources: ResourceSpec = {
    cores,
    memoryMb,
    wallMinutes: Math.min(rules.maxWallMinutes, Math.max(USUAL_JOB.wallMinutes, minutes)),
    diskMb: Math.max(USUAL_JOB.diskMb, Math.min(1e6, Math.ceil((size.kb * size.eventsPerJob) / 1000))),
    ...readGpus(
      top,
      chain.map((step) => step.form),
    ),
    secondsPerEvent: size.seconds,
    kbPerEvent: size.kb,
  };
  checkMemory(resources, top.pathOf("Memory"), top.notes, rules);
  return resources;
}
