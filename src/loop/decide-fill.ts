import { groupBy } from "../core/base/group-by.ts";
import { plural } from "../core/base/text.ts";
import type { FillObstacle, FillPlan } from "../core/segments.ts";
import type { Decision, Facts } from "./decision.ts";
import type { Filling } from "./gather-fill.ts";
import type { FoundLock } from "./look-at-transfers.ts";

/** What becomes of a request without a run whose products were looked at. It takes a slot only for what it can begin. */
export function decideFill({ request: { status, spec } }: Facts, filling: Filling, now: Date): Decision {
  const { plan, asked, over, learned, locks, sweepMinutes, isComplete } = filling;
  const isQueued = status === "queued";
  const settle = (reason: string, stale: readonly FoundLock[] = []): Decision => ({
    ...{ kind: "settle-products", reason, over, learned, locks: stale },
  });
  if (over.length > 0) return settle("what its last round left is noted");
  if (learned.length > 0) return settle("what became of frepp's jobs is noted");
  if (plan.actions.length > 0 && (asked || sweepMinutes !== null)) {
    const stale = plan.actions.flatMap(({ node }) => locks.get(node) ?? []);
    if (stale.length > 0 && !isQueued) return settle("locks that nobody has any more are removed", stale);
    const by = asked ? `${asked.actor} asked for it: ${asked.reason}` : "it is due";
    const reason = `${plural(plan.actions.length, "product")} to be made: ${by}`;
    return { kind: isQueued ? "start" : "plan", reason };
  }
  if (asked) return { kind: "end-fill", reason: "there is nothing that could be done about what was asked for" };
  if (isComplete)
    return { kind: isQueued ? "start" : "complete", reason: "everything is made, and nothing more will be due" };
  if (!isQueued) return { kind: "requeue", reason: "nothing can be made now" };
  const until = nextLook(filling, now);
  const code = needsPerson(plan) ? "products-held" : sweepMinutes === null ? "sweep-off" : "nothing-due";
  const looks = sweepMinutes === null ? `; sweep: never, so only wms2 fill ${spec.name} --yes looks again` : "";
  return { kind: "wait", reason: nothingDue(plan) + looks, on: { code, until } };
}

/** A product that is held stays so, whatever else falls due by itself. */
const needsPerson = ({ actions, obstacles }: FillPlan): boolean =>
  actions.length === 0 && obstacles.some(({ kind }) => kind === "held");

/** At the next sweep, or when something may be tried again. */
function nextLook({ plan, sweepMinutes }: Filling, now: Date): Date | null {
  if (sweepMinutes === null) return null;
  const sweep = now.getTime() + sweepMinutes * 60_000;
  const times = plan.obstacles.flatMap(({ until }) => (until && until > now ? [until.getTime()] : []));
  return new Date(times.reduce((first, time) => Math.min(first, time), sweep));
}

const WORDS: Readonly<Record<FillObstacle["kind"], string>> = {
  held: "held",
  blocked: "blocked by another one",
  "no-history": "without its history",
  running: "running",
  elsewhere: "with frepp",
  unknown: "unknown",
  later: "tried again later",
  stale: "stale",
  "not-asked": "left alone",
};

/** What it waits for, the first of each kind by name. */
export function nothingDue({ obstacles, actions, done }: FillPlan): string {
  const kinds = [...groupBy(obstacles, ({ kind }) => kind)];
  const parts = kinds.map(([kind, [first, ...more]]) => {
    const others = more.length > 0 ? `, and ${more.length} more` : "";
    return `${more.length + 1} ${WORDS[kind]} (${first!.node}: ${first!.reason}${others})`;
  });
  if (actions.length > 0) return `${plural(actions.length, "product")} could be made`;
  const made = `${plural(done, "product")} done`;
  return parts.length > 0 ? `nothing can be made now, ${made}: ${parts.join("; ")}` : `nothing is due, ${made}`;
}
