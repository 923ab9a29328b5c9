import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { runOf } from "./gather.ts";
import { type Applied, holdRequest, move, rest, theRun } from "./moves.ts";
import type { Ports } from "./ports.ts";

/**
 * Hands a complete submit directory to the engine, at most once (D15). The intent is stored first and names the
 * batch; whoever finds it later asks the engine for that name: found → adopt, surely absent → submit,
 * cannot tell → wait.
 */
export const submitDag: Apply<"submit"> = async (ports, facts, { ask, because }) => {
  const { dag } = theRun(facts);
  const run = runOf(dag, facts.request.priority);
  const { intents } = ports.store;
  await intents.begin(dag.id, "submit", run.batchName, ports.clock.now());
  if (ask) {
    const found = await ports.engine.find(run);
    if (found.kind === "unknown") return rest(`cannot tell whether it was submitted: ${found.why}`);
    if (found.kind === "found") return submitted(ports, facts, found.engineId, "adopted: it was submitted before");
    // A quick run may have come and gone: then it left its traces in the submit directory.
    const trace = (await ports.engine.observe([run])).get(dag.id);
    if (trace?.kind === "ended" && trace.verdict !== "lost")
      return submitted(ports, facts, dag.engineId ?? "", "adopted: it ran and ended meanwhile");
  }
  const outcome = await ports.engine.submit(run);
  await intents.tried(dag.id, "submit", outcome.kind === "rejected" ? outcome.words : null);
  return outcome.kind === "rejected"
    ? rejected(ports, facts, `the engine refused it: ${outcome.words}`)
    : submitted(ports, facts, outcome.engineId, because);
};

function submitted(ports: Ports, facts: Facts, engineId: string, reason: string): Promise<Applied> {
  const { id, version } = theRun(facts).dag;
  return move(ports, facts, "active", reason, {}, async (store, at) => {
    await store.dags.change(id, version, { status: "submitted", engineId, submittedAt: at }, { reason, at });
    await store.intents.settle(id, "submit", "settled", at);
  });
}

/** Its DAG stays ready: when a person has mended what the engine did not like, a release hands it over again. */
async function rejected(ports: Ports, facts: Facts, message: string): Promise<Applied> {
  const { dag } = theRun(facts);
  await ports.store.intents.settle(dag.id, "submit", "refused", ports.clock.now());
  const evidence = { submitDir: dag.submitDir };
  return holdRequest(ports, facts, { code: "engine-rejected", message, evidence, actions: ["release", "abort"] });
}
