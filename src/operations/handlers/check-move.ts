import type { RequestRecord } from "../../core/request.ts";
import type { Work } from "../../loop/ports.ts";
import { decideRelease } from "../../recovery/round/release.ts";
import { type Checked, refusal } from "./check-action.ts";
import { gatherOperator } from "./gather-operator.ts";
import type { OperatorRequest } from "./port.ts";
import { mayRun, presentDag } from "./present-run.ts";

/**
 * Whether a request may go on with the engine of this server. What is in its own engine, or may be, stays there; a round
 * that had begun is left behind as by a release.
 */
export async function checkMove(ports: Work, request: RequestRecord, wanted: OperatorRequest): Promise<Checked> {
  const engine = ports.engine.id;
  const { workflow, dag } = await presentDag(ports.store, request.spec.name);
  const from = workflow?.engine ?? null;
  if (from === null) return { kind: "already", why: "it belongs to no engine yet" };
  if (from === engine) return { kind: "already", why: `it belongs to the ${engine} engine` };
  if (await mayRun(ports.store, dag))
    return refusal("refused", `its run is in the ${from} engine, or may be`, "hold it by a server of that engine");
  const { release } = await gatherOperator(ports, request, wanted);
  // Nothing is given up with it: of a graph, too, the rest is planned again.
  const isOneRound = false;
  // Events that were planned and not made are planned again: nothing of the request is lost by moving it.
  const decided = decideRelease(
    { ...release, isOneRound },
    release.kindFields.includes("top_up") ? { top_up: true } : null,
    "next-round",
  );
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { modifications, warnings } = decided.value;
  const reason = `goes on with the ${engine} engine: finished work is kept, the rest is planned again`;
  return { kind: "go", reason, warnings, detail: { engine, from }, modifications };
}
