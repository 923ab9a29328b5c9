import { ok, type Result } from "../base/result.ts";
import type { DatasetProblem } from "../catalogs/port.ts";
import { type DagId, isSiteName, type SiteName } from "../domain/names.ts";
import type { Measured } from "../domain/plan.ts";
import type { RequestRecord, RequestSpec } from "../domain/request.ts";
import type { LedgerFile, Workflow } from "../domain/workflow.ts";
import { measure, type UnitSample } from "../outputs/measure.ts";
import type { PlanFacts } from "../planning/facts.ts";
import { concerns } from "../recovery/bans/ban.ts";
import { isAttempt } from "../recovery/ledger-record.ts";
import { effectiveSpec } from "./gather-round.ts";
import type { Ports, Work } from "./ports.ts";

/** Brings the file ledger up to date with the catalog and answers what is still to be done. */
async function loadInput(
  ports: Work,
  spec: RequestSpec,
  workflow: Workflow,
): Promise<Result<readonly LedgerFile[], DatasetProblem>> {
  if (spec.kind === "generate") return ok([]);
  const found = await ports.catalog.inputFiles(spec, ports.signal);
  if (!found.ok) return found;
  const { gone } = await ports.store.files.sync(workflow.id, found.value);
  if (gone.length) {
    ports.log.warn("input.gone", { request: spec.name, files: gone.length, first: gone[0] });
    await ports.store.files.setState(workflow.id, gone, "excluded", "the catalog does not list it any more");
  }
  return ok(await ports.store.files.remaining(workflow.id));
}

/** Everything the next round is planned from, or why its input cannot be had. */
export async function gatherPlan(
  ports: Work,
  request: RequestRecord,
  workflow: Workflow,
): Promise<Result<PlanFacts, DatasetProblem>> {
  const files = await loadInput(ports, request.spec, workflow);
  if (!files.ok) return files;
  return ok({
    spec: effectiveSpec(request),
    dagId: ports.ids.next() as DagId,
    round: workflow.round,
    priority: request.priority,
    files: files.value,
    next: {
      unit: workflow.nextUnit,
      node: workflow.nextNode,
      block: workflow.nextBlock,
      firstEvent: workflow.nextFirstEvent,
      firstLumi: workflow.nextFirstLumi,
    },
    usableSites: await usableSites(ports, workflow),
    policy: ports.policy,
    abandonedEvents: workflow.abandonedEvents,
    measured: request.spec.adaptive && workflow.round > 0 ? await gatherMeasured(ports, workflow) : null,
  });
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
  return sites.filter((site) => site.status === "enabled" && !banned.has(site.name)).map((site) => site.name);
}

const SAMPLED_UNITS = 50;

/** What the latest finished units showed. Read from their ledgers when a round is planned, so nothing is counted twice. */
async function gatherMeasured(ports: Ports, workflow: Workflow): Promise<Measured | null> {
  const units = (await ports.store.units.list(workflow.id)).slice(-SAMPLED_UNITS);
  const dirs = new Map<string, string | null>();
  const samples: UnitSample[] = [];
  for (const unit of units) {
    if (!dirs.has(unit.dagId)) dirs.set(unit.dagId, (await ports.store.dags.get(unit.dagId))?.submitDir ?? null);
    const dir = dirs.get(unit.dagId);
    if (dir) {
      const { lines } = await ports.spool.ledger(dir, unit.name);
      samples.push({ unit, attempts: lines.filter(isAttempt) });
    }
  }
  return measure(samples);
}
