import { type Dag, isDagOver } from "../../core/dag.ts";
import type { RequestName } from "../../core/names.ts";
import { mostMemoryMb } from "../../core/plan.ts";
import { kindOf } from "../../kinds/kind.ts";
import { gatherRound } from "../../loop/gather-round.ts";
import type { Work } from "../../loop/ports.ts";
import { type ErrorsView, errorsView, tailKey, tailsWanted } from "../../recovery/explain/errors-view.ts";
import { type Blocked, blockedBy } from "../../recovery/round/blocked.ts";
import type { RoundFacts } from "../../recovery/round/decide.ts";
import { EMPTY_ROUND } from "../../recovery/round/tally.ts";
import { presentDag } from "./present-run.ts";

/** What failed in the present round of a request, with the ends of the logs that show it best; null: no such request. */
export async function gatherErrors(ports: Work, name: RequestName): Promise<ErrorsView | null> {
  const { store, spool } = ports;
  const request = await store.requests.get(name);
  if (!request) return null;
  const { workflow, dag } = await presentDag(store, name);
  const shown =
    dag?.parentDagId && ["planning", "ready"].includes(dag.status) ? await store.dags.get(dag.parentDagId) : dag;
  const { unitWord, credits } = kindOf(ports.kinds, request.spec.work);
  if (!workflow || !shown)
    return errorsView(EMPTY_ROUND, {
      unitWord,
      unitsTotal: 0,
      unitsDone: 0,
      excluded: [],
      tails: new Map(),
      ...NOWHERE,
    });
  const { facts, unfinished } = await gatherRound(ports, request, workflow, shown, false);
  const names = await spool.jobNames(shown.submitDir);
  const nameOf = (unit: string) => names.nameOf(unit);
  const blocked = await blockedJobs(ports, shown, facts, unfinished);
  const tails = new Map<string, string>();
  for (const example of tailsWanted(facts.tally)) {
    tails.set(tailKey(example), await spool.logTail(shown.submitDir, example.unit, example.node));
  }
  const { unitsTotal, unitsDone, damaged, possibleSites, bannedSites } = facts;
  const maxMemoryMb = mostMemoryMb(ports.policy, request.spec.resources.cores);
  const whose = { name, status: request.status, maxMemoryMb };
  const excluded = await store.files.excluded(workflow.id, MOST_EXCLUDED);
  const sites = { possibleSites, bannedSites };
  return errorsView(facts.tally, {
    excluded,
    damaged,
    unitWord,
    nextVersionKeeps: credits !== undefined,
    unitsTotal,
    unitsDone,
    tails,
    ...sites,
    request: whose,
    nameOf,
    blocked,
  });
}

/** Of a graph whose run has ended: what is neither done nor failed waits for a job that is. */
async function blockedJobs(
  { spool }: Work,
  dag: Dag,
  { failedUnits }: RoundFacts,
  unfinished: readonly string[],
): Promise<readonly Blocked[]> {
  if (dag.roleCounts.job === undefined || !isDagOver(dag.status) || failedUnits.length === 0) return [];
  const failed = new Set(failedUnits);
  const waits = new Set(unfinished.filter((unit) => !failed.has(unit)));
  return waits.size === 0 ? [] : blockedBy(await spool.dagText(dag.submitDir), failed, (unit) => waits.has(unit));
}

const MOST_EXCLUDED = 1000;
const NOWHERE = { damaged: [], possibleSites: null, bannedSites: [] };
