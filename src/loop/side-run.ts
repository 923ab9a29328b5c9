import { dirname, join } from "node:path";
import { EMPTY_TALLY } from "../core/dag.ts";
import type { DagId } from "../core/names.ts";
import { sideDirName } from "../submit-dir/names.ts";
import type { Apply } from "./apply.ts";
import { decideSteps, type RescueNote } from "./decide-rescue.ts";
import { again, endDag, holdRequest, theRun } from "./moves.ts";
import { changeUnit, createRescue, markReservationsDone, rescueNote } from "./rescue.ts";

/**
 * Failed jobs run again while their run goes on: a small DAG of their own in a folder of the same submit directory, with the same
 * scripts, ledgers and marks (docs/adr/0020-side-runs.md). Its row comes first and takes the place of the wish.
 */
export const beginSide: Apply<"begin-side"> = async (ports, facts, { jobs, reason }) => {
  const { request } = facts;
  const { dag } = theRun(facts);
  const at = ports.clock.now();
  const id = ports.ids.next() as DagId;
  const {
    epochOf = null,
    sameEpoch = [],
    said = {},
    changes = {},
    nodeChanges = {},
  } = (request.wish?.detail ?? {}) as Partial<RescueNote>;
  const by = request.wish?.actor ?? "wms2";
  const note = { units: jobs, reelectUnits: [], epochOf, sameEpoch, said, changes, nodeChanges, by, reason };
  const total = jobs.length;
  const done = await ports.store.transaction(async (store) => {
    const why = { reason, actor: "wms2", at };
    if (!(await store.requests.change(request.spec.name, request.version, { wish: null }, why))) return false;
    const side = {
      ...dag,
      id,
      parentDagId: dag.id,
      rescueKind: "side" as const,
      submitDir: join(dag.submitDir, sideDirName(id)),
      roleCounts: { job: total },
      units: { total, waiting: total, running: 0, done: 0, failed: 0 },
      nodes: { ...EMPTY_TALLY, total, waiting: total },
    };
    await createRescue(ports, store, side, note);
    return true;
  });
  if (done) ports.log.info("side.begun", { request: request.spec.name, side: id, jobs: total, reason });
  return again;
};

/** Only what belongs to those jobs is changed: others run in the same folders. May be done again. */
export const prepareSide: Apply<"prepare-side"> = async (ports, facts, { side, reason }) => {
  const { spool, store, clock } = ports;
  const dir = dirname(side.submitDir);
  const { note, opening } = await rescueNote(ports, side);
  const change = decideSteps(note, await spool.damaged(dir, note.units));
  if (change.kind === "hold")
    return holdRequest(ports, facts, change.hold, (tx, at) => endDag(tx, side, "failed", change.hold.message, at));
  for (const job of note.units) await spool.letRun(dir, job, null);
  for (const { letRun: _, ...steps } of change.steps) await changeUnit(ports, dir, steps, opening);
  const { spec } = facts.request;
  await spool.writeSide(dir, { requestName: spec.name, round: side.round, dagId: side.id }, note.units);
  const at = clock.now();
  await markReservationsDone(ports, side.workflowId, note.epochOf ?? {}, at);
  await store.dags.change(side.id, side.version, { status: "ready" }, { reason, at });
  return again;
};

/** What it did is recorded by then; what failed in it can be asked for again. */
export const endSide: Apply<"end-side"> = async (ports, { request }, { side, dagStatus, reason }) => {
  if (await endDag(ports.store, side, dagStatus, reason, ports.clock.now()))
    ports.log.info("side.ended", { request: request.spec.name, side: side.id, reason });
  return again;
};
