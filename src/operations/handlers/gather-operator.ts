import { groupBy } from "../../core/base/group-by.ts";
import { isDagOver } from "../../core/dag.ts";
import { mostMemoryMb } from "../../core/plan.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Workflow } from "../../core/workflow.ts";
import { kindOf } from "../../kinds/kind.ts";
import { gatherMade } from "../../loop/gather-credits.ts";
import { failedNodes } from "../../loop/gather-failed.ts";
import { gatherRound } from "../../loop/gather-round.ts";
import type { Ports, Work } from "../../loop/ports.ts";
import { concerns } from "../../recovery/bans/ban.ts";
import { placeOf } from "../../recovery/round/recover.ts";
import type { ReleaseFacts } from "../../recovery/round/release.ts";
import type { RerunFacts } from "../../recovery/round/rerun.ts";
import { limitedJobs } from "../../submit-dir/side-dag.ts";
import type { OperatorRequest } from "./port.ts";
import { besideNow, presentDag } from "./present-run.ts";

/** What the operator's hand has to know before it may act. */
interface OperatorFacts {
  readonly release: ReleaseFacts;
  /** null: there is no run that ended. */
  readonly rerun: RerunFacts | null;
}

export async function gatherOperator(
  ports: Work,
  request: RequestRecord,
  wanted: OperatorRequest,
): Promise<OperatorFacts> {
  const { store, clock } = ports;
  const { workflow, dag } = await presentDag(store, request.spec.name);
  // What is moved is not in its engine, whatever became of its run.
  const isChosen = wanted.action === "resubmit" && request.status === "active";
  const isWaiting = dag !== null && ["planning", "ready"].includes(dag.status);
  const isThere = isWaiting && (await ports.spool.isComplete(dag.submitDir));
  const isStopped = isThere && dag.parentDagId !== null;
  const isLost = isWaiting && !isThere && request.status === "held";
  const hasEnded = dag !== null && (isDagOver(dag.status) || isLost || wanted.action === "move" || isChosen);
  const round = workflow && hasEnded ? await gatherRound(ports, request, workflow, dag, false) : null;
  const finished = round?.facts.finishedUnits ?? new Set<string>();
  const unfinished = round?.unfinished ?? [];
  const files = [...(round?.facts.filesOf.values() ?? [])].flat();
  const torn = files.filter((file) => file.units.some((unit) => finished.has(unit)));
  const isWhole = round?.facts.directory === "complete" && round.facts.damaged.length === 0;
  const canRescue = (isWhole && unfinished.length > 0) || isStopped;
  const sites = ports.engine.capabilities.sites ? (await store.sites.list()).map(({ name }) => name) : null;
  const bans = (await store.sites.activeBans(clock.now())).filter((ban) => concerns(ban, workflow?.id ?? null));
  const kind = kindOf(ports.kinds, request.spec.work);
  return {
    release: {
      // Without a round there is nothing to go on with or to leave: it is planned.
      holdCode: dag === null ? null : (request.hold?.code ?? null),
      kindFields: kind.releaseFields,
      isOneRound: kind.isOneRound ?? false,
      maxMemoryMb: mostMemoryMb(ports.policy, request.spec.resources.cores),
      knownSites: sites,
      possibleSites: (round?.facts.possibleSites as ReleaseFacts["possibleSites"]) ?? sites,
      bannedSites: bans.map(({ site }) => site),
      knownFiles: await knownFiles(ports, workflow?.id ?? null, wanted),
      canRescue,
      isStopped: isStopped && round === null,
      isDirectoryGone: round?.facts.directory === "gone",
      topsUp: request.spec.work.topUp ?? false,
      unitsUnfinished: unfinished.length,
      doneByOutputs: !round || canRescue || !workflow ? [] : await madeJobs(ports, request, workflow, finished),
      unitWord: kind.unitWord,
      tornFiles: new Set(torn.map(({ lfn }) => lfn)).size,
    },
    rerun: round && {
      ...round.facts,
      canRescue,
      stillRuns: isChosen,
      roundUnits: new Set(round.unitNames),
      doneNodes: canRescue && dag ? await doneNodes(ports, dag.submitDir, unfinished, wanted.nodes) : new Set(),
      failedNodes: isChosen && dag ? new Set((await failedNodes(ports, dag.submitDir, unfinished)).map(placeOf)) : NONE,
      ...(await chosenNames(ports, dag?.submitDir ?? "", round.unitNames, wanted.nodes)),
      besideNow: isChosen && dag ? await besideNow(ports, dag) : NONE,
      limited:
        isChosen && dag?.roleCounts.job ? new Set(limitedJobs(await ports.spool.dagText(dag.submitDir)).keys()) : NONE,
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** By the names people gave them. */
async function madeJobs(ports: Work, request: RequestRecord, workflow: Workflow, finished: ReadonlySet<string>) {
  if (!kindOf(ports.kinds, request.spec.work).isOneRound) return [];
  const made = await gatherMade(ports, request, workflow, finished);
  return [...made.values()].map(({ name }) => name);
}

/** What there is to be chosen, as far as it was named. */
async function chosenNames(
  { spool }: Ports,
  submitDir: string,
  units: readonly string[],
  named: OperatorRequest["nodes"] = [],
): Promise<Pick<RerunFacts, "names" | "nodesOf">> {
  const jobs = await spool.jobNames(submitDir);
  const known = new Set(units);
  const nodesOf = new Map<string, readonly string[]>();
  for (const name of named === "failed" ? [] : named) {
    const [unit = "", node] = name.split("/", 2);
    if (node !== undefined && known.has(unit) && !nodesOf.has(unit))
      nodesOf.set(unit, await spool.nodeNames(submitDir, unit).catch(() => [node]));
  }
  return { names: units.map((unit) => jobs.nameOf(unit) ?? unit), nodesOf };
}

/** Of the nodes somebody names, those that are done. A name is looked up only in a unit of ours. */
async function doneNodes(
  { spool }: Ports,
  submitDir: string,
  units: readonly string[],
  named: OperatorRequest["nodes"] = [],
): Promise<ReadonlySet<string>> {
  const places = named === "failed" ? [] : named.map((name) => name.split("/", 2));
  const asked = groupBy(places, ([unit = ""]) => unit);
  const found = new Set<string>();
  for (const unit of units.filter((each) => asked.has(each))) {
    const nodes = (asked.get(unit) ?? []).flatMap(([, node]) => node ?? []);
    for (const node of await spool.doneNodes(submitDir, unit, nodes)) found.add(`${unit}/${node}`);
  }
  return found;
}

/** Of the files somebody wants excluded, those the ledger still has to do. */
async function knownFiles(
  ports: Ports,
  workflowId: Parameters<Ports["store"]["files"]["stillOpen"]>[0] | null,
  { modifications }: OperatorRequest,
): Promise<ReadonlySet<string> | null> {
  const named = (modifications as { excluded_files?: unknown } | null | undefined)?.excluded_files;
  if (!workflowId || !Array.isArray(named)) return null;
  return ports.store.files.stillOpen(
    workflowId,
    named.filter((name) => typeof name === "string"),
  );
}
