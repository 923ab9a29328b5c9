import { invariant } from "../base/errors.ts";
import type { Dag } from "../domain/dag.ts";
import { type Decision, type Facts, hold } from "./decision.ts";
import { runOf } from "./gather.ts";
import { type Applied, applyHold, move, rest } from "./moves.ts";
import type { Ports } from "./ports.ts";

/**
 * Hands a complete submit directory to the engine, at most once (D15). The intent is stored first and names the
 * batch; whoever finds it later asks the engine for that name: found → adopt, surely absent → submit,
 * cannot tell → wait.
 */
export async function submitDag(
  ports: Ports,
  facts: Facts,
  decision: Extract<Decision, { kind: "submit" }>,
): Promise<Applied> {
  const { dag, request } = facts;
  invariant(dag, "a submission without a DAG", { request: request.spec.name });
  const run = runOf(dag, request.priority);
  const { intents } = ports.store;
  await intents.begin({ dagId: dag.id, kind: "submit", batchName: run.batchName, at: ports.clock.now() });
  if (decision.ask) {
    const found = await ports.engine.find(run);
    if (found.kind === "unknown") return rest(`cannot tell whether it was submitted: ${found.why}`);
    if (found.kind === "found") return submitted(ports, facts, dag, found.engineId, "adopted: it was submitted before");
    // A quick run may have come and gone: then it left its traces in the submit directory.
    const trace = (await ports.engine.observe([run])).get(dag.id);
    if (trace?.kind === "ended" && trace.verdict !== "lost") {
      return submitted(ports, facts, dag, dag.engineId ?? "", "adopted: it ran and ended meanwhile");
    }
  }
  const outcome = await ports.engine.submit(run);
  await intents.tried(dag.id, "submit", outcome.kind === "rejected" ? outcome.words : null);
  if (outcome.kind === "rejected") return rejected(ports, facts, dag, outcome.words);
  return submitted(ports, facts, dag, outcome.engineId, decision.because);
}

async function submitted(ports: Ports, facts: Facts, dag: Dag, engineId: string, because: string): Promise<Applied> {
  const at = ports.clock.now();
  return move(ports, facts, "active", because, {}, async (store) => {
    await store.dags.change(
      dag.id,
      dag.version,
      { status: "submitted", engineId, submittedAt: at },
      { reason: because, at },
    );
    await store.intents.settle(dag.id, "submit", "settled", at);
  });
}

async function rejected(ports: Ports, facts: Facts, dag: Dag, words: string): Promise<Applied> {
  const at = ports.clock.now();
  const because = `the engine refused it: ${words}`;
  await ports.store.transaction(async (store) => {
    await store.dags.change(
      dag.id,
      dag.version,
      { status: "failed", endReason: because, endedAt: at },
      { reason: because, at },
    );
    await store.intents.settle(dag.id, "submit", "refused", at);
  });
  return applyHold(ports, facts, hold("engine-rejected", because, { submitDir: dag.submitDir }, ["abort"]));
}
