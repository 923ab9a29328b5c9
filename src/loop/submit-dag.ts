import type { Dag } from "../core/dag.ts";
import { holdFor } from "../core/holds.ts";
import type { SubmitOutcome } from "../engines/port.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { runOf } from "./gather.ts";
import { assertLeads } from "./in-progress.ts";
import { type Applied, again, holdRequest, move, rest, theRun } from "./moves.ts";
import type { PassWork, Ports } from "./ports.ts";

/**
 * Hands a complete submit directory to the engine, at most once. The intent is stored first and names the batch. The ticket
 * is taken by compare-and-set on the DAG, so whoever looked at an older DAG gets none, and whoever holds an older ticket
 * finds the directory closed: the engine looks before it submits, and adopts what an interrupted call left there.
 */
export const submitDag: Apply<"submit"> = async (ports, facts, { reason }) => {
  const { dag } = theRun(facts);
  return handOver(ports, facts, dag, async ({ engineId, adopted }, held) => {
    const how = adopted ? ADOPTED : await madeReady(ports, dag, reason);
    return move(ports, facts, "active", how, {}, (store, at) => noteSubmitted(store, held, engineId, how, at));
  });
};

/** The same for jobs that run beside the others: the request stays as it is. */
export const submitSide: Apply<"submit-side"> = (ports, facts, { side, reason }) =>
  handOver(ports, facts, side, async ({ engineId, adopted }, held) => {
    await noteSubmitted(ports.store, held, engineId, adopted ? ADOPTED : reason, ports.clock.now());
    return again;
  });

const ADOPTED = "adopted: it was submitted before";

async function handOver(
  ports: PassWork,
  facts: Facts,
  dag: Dag,
  submitted: (outcome: Extract<SubmitOutcome, { kind: "submitted" }>, held: Dag) => Promise<Applied>,
): Promise<Applied> {
  const run = runOf(dag, facts.request.priority);
  const { intents, dags } = ports.store;
  await intents.begin(dag.id, "submit", run.batchName, ports.clock.now());
  const ticket = await dags.takeTicket(dag);
  if (ticket === null) return again;
  assertLeads(ports);
  const outcome = await ports.engine.submit(run, ticket);
  await intents.tried(dag.id, "submit", outcome.kind === "rejected" ? outcome.text : null);
  switch (outcome.kind) {
    case "unclear":
      return rest(`cannot be submitted yet: ${outcome.why}`);
    case "rejected": {
      // Its DAG stays ready: when a person has fixed what the engine did not like, a release hands it over again.
      await intents.close(dag.id, "submit", "refused", ports.clock.now());
      return holdRequest(ports, facts, engineRejected(outcome.text, dag));
    }
    case "submitted":
      return submitted(outcome, { ...dag, version: dag.version + 1 });
  }
}

/** What was done to a rescue's directory is said with its submission: people read that on the request. */
async function madeReady({ store }: Ports, { id, parentDagId }: Dag, otherwise: string): Promise<string> {
  if (parentDagId === null) return otherwise;
  const made = (await store.dags.history(id)).findLast(({ detail }) => detail.to === "ready");
  return typeof made?.detail.reason === "string" ? made.detail.reason : otherwise;
}

/** The receipt: the engine has it, under this id. */
export async function noteSubmitted(store: Store, { id, version }: Dag, engineId: string, reason: string, at: Date) {
  await store.dags.change(id, version, { status: "submitted", engineId, submittedAt: at }, { reason, at });
  await store.intents.close(id, "submit", "settled", at);
}

const engineRejected = (text: string, { submitDir }: Dag) =>
  holdFor("engine-rejected", `the engine refused it: ${text}`, { submitDir });
