import type { DatasetProblem, FilePages } from "../catalogs/port.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import { plural } from "../core/base/text.ts";
import { runsCmssw } from "../core/cms-files.ts";
import { isOpenSite } from "../core/dag.ts";
import { type DagId, isSiteName, type SiteName } from "../core/names.ts";
import type { PlanRefusal } from "../core/plan.ts";
import type { RequestFile, RequestRecord, RequestSpec } from "../core/request.ts";
import { type CommonWork, goesByLumis } from "../core/work.ts";
import type { FileChanges, Workflow } from "../core/workflow.ts";
import type { PlanFacts, PlanFile } from "../planning/facts.ts";
import { packFiles } from "../planning/packed-files.ts";
import { sizeRound } from "../planning/size-round.ts";
import { concerns } from "../recovery/bans/ban.ts";
import { gatherFolders } from "./gather-credits.ts";
import type { Filling } from "./gather-fill.ts";
import { effectiveSpec } from "./gather-round.ts";
import { gatherSizing } from "./measure.ts";
import type { Ports, Work } from "./ports.ts";

/** The files of the input as the catalog lists them now; null: the work reads none. */
export async function openInput(
  { catalog, signal }: Work,
  spec: RequestSpec,
): Promise<Result<FilePages | null, DatasetProblem>> {
  const { input }: CommonWork = spec.work;
  if (!input) return ok(null);
  return catalog.datasets.open(input, { lumis: wantsLumis(catalog, spec) }, signal);
}

/** Also where they decide nothing: DBS is told of which lumis a file is, and only cmsRun knows that by itself. */
const wantsLumis = ({ name }: Work["catalog"], spec: RequestSpec): boolean =>
  goesByLumis(spec.work) || (name === "cms" && !runsCmssw(spec));

/** What is still to be done, and what of it is news. */
interface LoadedInput {
  readonly files: readonly PlanFile[];
  readonly warnings: readonly string[];
}

/** Brings the file ledger up to date with the catalog and answers what is still to be done. */
async function loadInput(
  ports: Work,
  spec: RequestSpec,
  workflow: Workflow,
): Promise<Result<LoadedInput, DatasetProblem>> {
  const { name } = spec;
  const opened = await openInput(ports, spec);
  if (!opened.ok) return opened;
  if (opened.value === null) return ok({ files: [], warnings: [] });
  const { files } = ports.store;
  const changes = await files.sync(workflow.id, opened.value);
  const warnings = tellChanges(changes, workflow.round);
  if (warnings.length > 0) {
    const { added, gone, firstAdded } = changes;
    ports.log.warn("input.changed", {
      request: name,
      added,
      firstAdded: firstAdded[0],
      gone: gone.length,
      first: gone[0],
    });
  }
  await files.setState(workflow.id, changes.gone, "excluded", "the catalog does not list it any more");
  const remaining = files.remaining(workflow.id, { lumis: wantsLumis(ports.catalog, spec) });
  return ok({ files: await packFiles(remaining, ports.signal), warnings });
}

/** Files that came after the first round, and files that went or became invalid, are named. */
export function tellChanges({ added, firstAdded, gone }: FileChanges, round: number): readonly string[] {
  const named = (files: readonly string[], count: number) =>
    `${files.slice(0, NAMED).join(", ")}${count > NAMED ? ", …" : ""}`;
  return [
    ...(added > 0 && round > 0 ? [`the catalog lists ${added} new files: ${named(firstAdded, added)}`] : []),
    ...(gone.length > 0
      ? [`the catalog does not list ${gone.length} files any more; they are excluded: ${named(gone, gone.length)}`]
      : []),
  ];
}
const NAMED = 3;

/** Before the first round, what is done was there already. */
function tellTaken({ rows }: Filling, { nextUnit }: Workflow): readonly string[] {
  const taken = nextUnit === 0 ? [...rows.values()].filter(({ state }) => state === "done").length : 0;
  if (taken === 0) return [];
  return [`${plural(taken, "product")} there already: verified and taken as done`];
}

/** Everything the next round is planned from, or why its input cannot be had. */
export async function gatherPlan(
  ports: Work,
  request: RequestRecord,
  workflow: Workflow,
  attached: readonly RequestFile[],
  credited: ReadonlySet<number> = new Set(),
  filling: Filling | null = null,
): Promise<Result<PlanFacts, DatasetProblem | PlanRefusal>> {
  const input = await loadInput(ports, request.spec, workflow);
  if (!input.ok) return input;
  const sites = await sitesWithSecondary(ports, request.spec.work, await usableSites(ports, workflow));
  if (!sites.ok) return sites;
  const spec = effectiveSpec(request);
  const folders = await gatherFolders(ports, spec);
  const facts: PlanFacts = {
    spec,
    dagId: ports.ids.next() as DagId,
    round: workflow.round,
    priority: request.priority,
    files: input.value.files,
    warnings: [...input.value.warnings, ...(filling ? tellTaken(filling, workflow) : [])],
    ...(filling && { fill: { plan: filling.plan, rows: filling.rows } }),
    next: {
      unit: workflow.nextUnit,
      node: workflow.nextNode,
      block: workflow.nextBlock,
      firstEvent: workflow.nextFirstEvent,
      firstLumi: workflow.nextFirstLumi,
    },
    usableSites: sites.value,
    policy: ports.policy,
    abandonedEvents: workflow.abandonedEvents,
    ...(credited.size > 0 && { credited }),
    ...(folders.length > 0 && { folders }),
    attached: new Map(attached.map(({ path, sha256 }) => [path, sha256])),
  };
  if (!request.spec.adaptive || workflow.round === 0) return ok(facts);
  return sizeRound(facts, await gatherSizing(ports, request, workflow, true));
}

/**
 * Enabled sites without a ban; null when the engine knows no sites by name. Those the engine can reach are added to the
 * store first; what an operator said about them stays.
 */
export async function usableSites(
  ports: Ports,
  workflow: Pick<Workflow, "id"> | null,
): Promise<readonly SiteName[] | null> {
  if (!ports.engine.capabilities.sites) return null;
  const seen = (await ports.engine.sites()).flatMap(({ name, cores, memoryMb }) =>
    isSiteName(name) ? [{ name, cores, memoryMb }] : [],
  );
  await ports.store.sites.learn(seen, ports.clock.now());
  const bans = await ports.store.sites.activeBans(ports.clock.now());
  const banned = new Set(bans.filter((ban) => concerns(ban, workflow?.id ?? null)).map(({ site }) => site));
  const sites = await ports.store.sites.list();
  return sites.filter((site) => isOpenSite(site) && !banned.has(site.name)).map((site) => site.name);
}

/** Of the usable sites those that hold what every job reads beside its input, unless that may be read from anywhere. */
export async function sitesWithSecondary(
  { catalog, signal }: Work,
  { secondary = [] }: CommonWork,
  usable: readonly SiteName[] | null,
): Promise<Result<readonly SiteName[] | null, DatasetProblem | PlanRefusal>> {
  let left = usable;
  for (const { dataset } of left === null ? [] : secondary.filter(({ anywhere }) => !anywhere)) {
    const located = await catalog.datasets.locate(dataset, signal);
    if (!located.ok) return located;
    const holders = located.value;
    if (holders === null) continue;
    const both = left!.filter((site) => holders.includes(site));
    if (both.length === 0) {
      const message = `no usable site holds all of the secondary input ${dataset} (at ${holders.join(", ") || "no site as a whole"}; usable now: ${left!.join(", ") || "none"}); enable such a site, have the dataset moved, or let it be read from anywhere (TrustPUSitelists)`;
      return err({ code: "no-site", message, evidence: { dataset, holders, usable: left } });
    }
    left = both;
  }
  return ok(left);
}
