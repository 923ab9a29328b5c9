import { describeError } from "../../core/base/errors.ts";
import { makeTurns, type Turns } from "../../core/base/turns.ts";
import type { Dag } from "../../core/dag.ts";
import type { RequestName, SiteName } from "../../core/names.ts";
import type { RequestStatus } from "../../core/request-status.ts";
import type { Workflow } from "../../core/workflow.ts";
import { roundUnits } from "../../loop/gather-round.ts";
import type { Ports } from "../../loop/ports.ts";
import { readTallyLines } from "../../recovery/ledger-record.ts";
import { answersOf, withAnswers } from "../../recovery/round/answers.ts";
import { FailureRows } from "../../recovery/round/failure-rows.ts";
import type { FailureLook } from "../../store/port.ts";

/** Whose failures say something about now; the store's causes are of the same. */
const FAILS_NOW: readonly RequestStatus[] = ["active", "partial", "stopping", "resubmitting", "held"];
const LOOK_EVERY_SEC = 10;
const TURN_MS = 10_000;
/** A look that took long comes again less often: this share of the time at most is spent on one request. */
const SHARE = 0.02;
/** Of a larger round only the units that are not done are read; those that are count as one attempt each. */
const MOST_UNITS = 5000;
const HOURS_MS = 7 * 24 * 3_600_000;

/** Reads the ledgers of what runs or is held, when something ended there, for whoever asks what fails over all requests. */
export function makeFailureWatch(ports: Ports, isLeader: () => Promise<boolean>): Turns {
  const notBefore = new Map<RequestName, number>();
  const work = () => watchFailures(ports, notBefore);
  return makeTurns({ name: "desk.failures", everySec: LOOK_EVERY_SEC, firstSec: 5, log: ports.log, isLeader, work });
}

/** One turn, the longest unseen first; "unfinished" when there is more to read than one turn may. */
export async function watchFailures(
  ports: Ports,
  notBefore: Map<RequestName, number> = new Map(),
): Promise<"done" | "unfinished"> {
  const { store, clock, log } = ports;
  const end = performance.now() + TURN_MS;
  for (const { name, workflow, dag, stamp } of await changedRuns(ports)) {
    if (performance.now() < (notBefore.get(name) ?? 0)) continue;
    if (performance.now() > end) return "unfinished";
    const begun = performance.now();
    try {
      await store.desk.keepLook(name, await lookAt(ports, workflow, dag, stamp), clock.now());
    } catch (error) {
      log.warn("desk.failures.unread", { request: name, why: describeError(error) });
    }
    const now = performance.now();
    notBefore.set(name, now + (now - begun) / SHARE);
  }
  return "done";
}

/** Another one when a job of the run has ended since. */
export const stampOf = ({ id, status, nodes: { done, failed, held } }: Pick<Dag, "id" | "status" | "nodes">): string =>
  `${id} ${status} ${done} ${failed} ${held}`;

async function changedRuns({ store }: Ports) {
  const open = (await store.requests.open("but-queued")).filter(({ status }) => FAILS_NOW.includes(status));
  const workflows = await store.workflows.forRequests(open.map(({ spec }) => spec.name));
  const ids = [...workflows.values()].flatMap(({ currentDagId }) => currentDagId ?? []);
  const [dags, looks] = await Promise.all([store.dags.getMany(ids), store.desk.lastLooks()]);
  const runs = [...workflows].flatMap(([name, workflow]) => {
    const dag = workflow.currentDagId ? dags.get(workflow.currentDagId) : undefined;
    if (!dag || dag.status === "planning") return [];
    const stamp = stampOf(dag);
    return looks.get(name)?.stamp === stamp ? [] : [{ name, workflow, dag, stamp }];
  });
  const seen = ({ name }: { name: RequestName }) => looks.get(name)?.lookedAt.getTime() ?? 0;
  return runs.sort((a, b) => seen(a) - seen(b));
}

async function lookAt(ports: Ports, workflow: Workflow, dag: Dag, stamp: string): Promise<FailureLook> {
  const { store, spool, clock } = ports;
  const finished: ReadonlySet<string> = await store.units.finishedNames(workflow.id);
  const { unitNames, unfinished } = await roundUnits(ports, workflow, dag, finished);
  const isLarge = unitNames.length > MOST_UNITS;
  const units = isLarge ? unfinished : unitNames;
  const rows = new FailureRows(new Date(clock.now().getTime() - HOURS_MS));
  if (isLarge)
    for (const end of (await store.desk.unitEnds(workflow.id)).values()) rows.addDone(end.site, end.finishedAt);
  const answers = answersOf(await store.nodeActions.ofWorkflow(workflow.id));
  for await (const { unit, text } of spool.ledgers(dag.submitDir, units))
    rows.add(unit, finished.has(unit), withAnswers(unit, readTallyLines(text ?? "").lines, answers));
  const { hours, ...found } = rows.finish();
  return { stamp, ...found, hours: hours.map((hour) => ({ ...hour, site: hour.site as SiteName })) };
}
