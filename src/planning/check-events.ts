import type { Check, CheckContext, Report } from "./check.ts";

/** Generation: event ranges and lumis follow each other without a gap or a repeat, and end where they should. */
export function checkEvents({ spec, plan, next, isPartial, fullTuning }: CheckContext, report: Report): Check {
  const eventsPerLumi = BigInt(spec.generation!.eventsPerLumi);
  const sharesLumi = fullTuning.generationLumis === "per-work-unit";
  let event: bigint | null = next?.firstEvent ?? null;
  let lumi: bigint | null = next?.firstLumi ?? null;
  return {
    unit(unit) {
      const unitLumi = lumi;
      for (const node of unit.nodes) {
        const { name, firstEvent, lastEvent, firstLumi, lastLumi } = node;
        if (firstEvent === null || lastEvent === null || firstLumi === null || lastLumi === null) {
          report("range-missing", `${name} has no event or lumi range`, { node: name });
          continue;
        }
        if (event !== null && firstEvent !== event) {
          const code = firstEvent < event ? "event-twice" : "event-lost";
          report(code, `${name} begins at event ${firstEvent} instead of ${event}`, { node: name });
        }
        const events = lastEvent - firstEvent + 1n;
        if (events < 1n || BigInt(node.events ?? -1) !== events) {
          report("event-count", `${name} says ${node.events} events for ${firstEvent}–${lastEvent}`, { node: name });
        }
        const expectedLumi = sharesLumi ? unitLumi : lumi;
        const expectedCount = sharesLumi ? 1n : (events + eventsPerLumi - 1n) / eventsPerLumi;
        if ((expectedLumi !== null && firstLumi !== expectedLumi) || lastLumi - firstLumi + 1n !== expectedCount) {
          report(
            "lumi",
            `${name} has lumis ${firstLumi}–${lastLumi} instead of ${expectedCount} from ${expectedLumi}`,
            { node: name },
          );
        }
        event = lastEvent + 1n;
        lumi = lastLumi + 1n;
      }
    },
    finish() {
      const { firstEvent, firstLumi } = plan.summary.next;
      if (event !== null && (firstEvent !== event || firstLumi !== lumi)) {
        report("counter", `the offsets move to ${firstEvent}/${firstLumi} instead of ${event}/${lumi}`);
      }
      const end = spec.generation!.firstEvent + spec.generation!.totalEvents;
      const isShort = event !== null && event < end && !isPartial;
      const isLong = event !== null && event > end && !spec.generation!.topUp;
      if (isShort) report("event-lost", `the last event planned is ${event! - 1n}, ${end - 1n} were asked for`);
      if (isLong) report("event-beyond", `the last event planned is ${event! - 1n}, only ${end - 1n} were asked for`);
    },
  };
}
