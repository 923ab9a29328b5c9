import type { GenerateWork } from "../../core/work.ts";
import type { Check, CheckContext, Report } from "../../planning/check.ts";
import { lastEvent } from "./plan-events.ts";

/** Generation: event ranges and lumis follow each other without a gap or a repeat, and end where they should. */
export function checkEvents({ spec, plan, next, isPartial }: CheckContext<GenerateWork>, report: Report): Check {
  const { work } = spec;
  const eventsPerLumi = BigInt(work.eventsPerLumi);
  const sharesLumi = work.lumis === "per_work_unit";
  let event = next.firstEvent;
  let lumi = next.firstLumi;
  return {
    unit(unit) {
      const unitLumi = lumi;
      for (const { name, events, firstEvent, lastEvent, firstLumi, lastLumi } of unit.nodes) {
        if (firstEvent === null || lastEvent === null || firstLumi === null || lastLumi === null) {
          report("range-missing", `${name} has no event or lumi range`);
          continue;
        }
        if (firstEvent !== event) {
          const code = firstEvent < event ? "event-twice" : "event-lost";
          report(code, `${name} begins at event ${firstEvent} instead of ${event}`);
        }
        const count = lastEvent - firstEvent + 1n;
        if (count < 1n || BigInt(events ?? -1) !== count)
          report("event-count", `${name} says ${events} events for ${firstEvent}–${lastEvent}`);
        const from = sharesLumi ? unitLumi : lumi;
        const lumis = sharesLumi ? 1n : (count + eventsPerLumi - 1n) / eventsPerLumi;
        if (firstLumi !== from || lastLumi - firstLumi + 1n !== lumis)
          report("lumi", `${name} has lumis ${firstLumi}–${lastLumi} instead of ${lumis} from ${from}`);
        event = lastEvent + 1n;
        lumi = lastLumi + 1n;
      }
    },
    finish() {
      const { firstEvent, firstLumi } = plan.summary.next;
      if (firstEvent !== event || firstLumi !== lumi)
        report("counter", `the offsets move to ${firstEvent}/${firstLumi} instead of ${event}/${lumi}`);
      const last = event - 1n;
      const wanted = lastEvent(work);
      if (last < wanted && !isPartial)
        report("event-lost", `the last event planned is ${last}, ${wanted} were asked for`);
      if (last > wanted && !work.topUp)
        report("event-beyond", `the last event planned is ${last}, only ${wanted} were asked for`);
    },
  };
}
