import type { Log } from "../../src/core/base/log.ts";
import type { Ports } from "../../src/loop/ports.ts";
import type { PassPlan } from "./pass-plan.ts";
import type { Timeline } from "./timeline.ts";

/** Decisions of every pass while a run goes on; they are counted and not told. */
export const QUIET_DECISIONS: readonly string[] = ["wait", "follow", "register", "plan", "close-outputs"];

/** What a server logs and emits becomes the timeline; decisions and moves tell when to look again. */
export function makeServerListener(timeline: Timeline, passes: PassPlan): Pick<Ports, "log" | "metrics" | "events"> {
  const nameIn = (detail: Record<string, unknown>) => (detail.request ? String(detail.request) : null);
  const hear =
    (level: keyof Log): Log["info"] =>
    (event, detail) => {
      const request = nameIn(detail);
      switch (event) {
        case "request.moved":
          return;
        case "decision.made":
          decided(timeline, request, String(detail.decision));
          return;
        case "request.submitted":
          timeline.add("operator", request, "submitted", detail);
          return;
        case "round.planned": {
          const { round, units, nodes } = detail;
          timeline.add("run", request, `round ${round} is planned: ${units} units, ${nodes} nodes`, detail);
          return;
        }
      }
      if (level === "info" && !/\bban/.test(event)) return;
      if (String(detail.why ?? detail.message ?? "").includes("the server is dead")) return;
      const text = `${event}: ${textOf(detail)}`;
      timeline.add(level === "info" ? "decision" : "trouble", request, text, detail, text);
    };
  return {
    log: { info: hear("info"), warn: hear("warn"), error: hear("error") },
    metrics: { observePass() {}, countDecision: (kind) => passes.decided(kind), observeEngineCall() {} },
    events: {
      emit(type, detail) {
        if (type !== "request.moved") return;
        passes.moved();
        const { from, to, reason } = detail;
        timeline.add("move", nameIn(detail), `${from} → ${to}: ${reason}`, detail);
      },
    },
  };
}

function decided(timeline: Timeline, request: string | null, decision: string): void {
  const colon = decision.indexOf(":");
  const kind = colon < 0 ? decision : decision.slice(0, colon);
  const reason = colon < 0 ? "" : decision.slice(colon + 1).trim();
  timeline.add("decision", request, `decided: ${kind}${reason ? ` (${reason})` : ""}`, { decision: kind, reason });
}

const textOf = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .filter(
      ([key, value]) => !["request", "stack", "count"].includes(key) && value !== null && typeof value !== "object",
    )
    .map(([key, value]) => (key === "message" || key === "why" ? String(value) : `${key} ${value}`))
    .join(", ");
