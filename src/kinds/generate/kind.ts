import { thousands } from "../../core/base/text.ts";
import type { GenerateWork } from "../../core/work.ts";
import type { Form } from "../../intake/reading/form.ts";
import { MAX_INT64 } from "../../intake/reading/values.ts";
import type { Kind } from "../kind.ts";
import { readSplit } from "../read-split.ts";
import { beforeFilter, eventsPerLumiFor } from "../sizing.ts";
import { abandonedEvents } from "./abandoned.ts";
import { checkEvents } from "./check-events.ts";
import { lastEvent, mostJobs, planEvents } from "./plan-events.ts";

/** Makes events without input: numbers from the first to the last, each once in the life of a request. */
export const generateKind: Kind<GenerateWork> = {
  name: "generate",
  mainKeys: ["events"],
  keys: ["events", "first_event", "first_lumi", "filter_efficiency", "top_up", "lumis", "events_per_lumi"],
  commands: "steps",
  simulatorChain: ["GEN", "SIM", "DIGI", "RECO", "MINI"],
  read: readGenerate,
  extent: ({ totalEvents, split: { eventsPerJob } }) => ({
    events: totalEvents,
    eventsPerJob,
    of: "a request",
    path: "events",
  }),
  describe: ({ totalEvents }) => `${thousands(totalEvents)} events to generate`,
  unitWord: "unit",
  begin: ({ firstEvent, firstLumi }) => ({ unit: 0, node: 0, block: 0, firstEvent, firstLumi: BigInt(firstLumi) }),
  mostJobs,
  plan: planEvents,
  check: checkEvents,
  remains: ({ work, workflow }) => workflow.nextFirstEvent <= lastEvent(work, workflow.abandonedEvents),
  sharePlanned: ({ work, workflow }) => Number(workflow.nextFirstEvent - work.firstEvent) / Number(work.totalEvents),
  releaseFields: ["top_up"],
  abandoned: abandonedEvents,
};

/** `events` are those wanted after the filter, as in ReqMgr2. */
function readGenerate(top: Form): GenerateWork {
  const read = readSplit(top, "events");
  if (read.split.algorithm !== "EventBased")
    top.notes.problem(read.path, "generated events can only be split by events", "events");
  const events = top.needed("events", "how many events to produce, a whole number from 1");
  const wanted = events?.bigInteger(1n) ?? null;
  const filterEfficiency = top.number("filter_efficiency", { min: 0, above: 0, max: 1 }, 1);
  const totalEvents = beforeFilter(wanted ?? 1n, filterEfficiency);
  const firstEvent = top.spot("first_event")?.bigInteger(1n) ?? 1n;
  const firstLumi = top.integer("first_lumi", { min: 1, max: 2 ** 32 - 1 }, 1);
  const topUp = top.flag("top_up", false);
  const lumis = top.choice("lumis", ["per_job", "per_work_unit"] as const, "per_job");
  if (filterEfficiency < 1 && wanted !== null)
    top.warn("filter_efficiency", `${totalEvents} events will be generated so that about ${wanted} survive`);
  const perJob = read.split.eventsPerJob;
  const { eventsPerJob, eventsPerLumi } = read.sized
    ? { eventsPerJob: perJob, eventsPerLumi: Math.min(read.eventsPerLumi ?? perJob, perJob) }
    : eventsPerLumiFor(perJob, read.eventsPerLumi, totalEvents);
  const split = { ...read.split, eventsPerJob };
  return within64Bits(
    { kind: "generate", totalEvents, firstEvent, firstLumi, eventsPerLumi, lumis, filterEfficiency, topUp, split },
    top,
    "events",
  );
}

export function within64Bits(work: GenerateWork, form: Form, key: string): GenerateWork {
  if (lastEvent(work) > MAX_INT64) form.problem(key, `the last event would be beyond ${MAX_INT64}`);
  return work;
}
