import type { RequestName } from "../domain/names.ts";
import { type ErrorsView, errorsView, tailKey, tailsWanted } from "../recovery/round/errors-view.ts";
import { EMPTY_ROUND } from "../recovery/round/tally.ts";
import { gatherRound } from "./gather-round.ts";
import type { Work } from "./ports.ts";
import { presentDag } from "./present-run.ts";

/** What failed in the present round of a request, with the ends of the logs that show it best; null: no such request. */
export async function gatherErrors(ports: Work, name: RequestName): Promise<ErrorsView | null> {
  const { store, spool } = ports;
  const request = await store.requests.get(name);
  if (!request) return null;
  const { workflow, dag } = await presentDag(store, name);
  const shown = dag?.parentDagId && dag.status === "ready" ? await store.dags.get(dag.parentDagId) : dag;
  if (!workflow || !shown)
    return errorsView(EMPTY_ROUND, { unitsTotal: 0, unitsDone: 0, tails: new Map(), ...NOWHERE });
  const { facts } = await gatherRound(ports, request, workflow, shown, false);
  const tails = new Map<string, string>();
  for (const example of tailsWanted(facts.tally)) {
    tails.set(tailKey(example), await spool.logTail(shown.submitDir, example.unit, example.node));
  }
  const { unitsTotal, unitsDone, possibleSites, bannedSites } = facts;
  return errorsView(facts.tally, { unitsTotal, unitsDone, tails, possibleSites, bannedSites });
}

const NOWHERE = { possibleSites: null, bannedSites: [] };
