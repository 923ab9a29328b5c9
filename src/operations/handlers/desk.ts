import { groupBy } from "../../core/base/group-by.ts";
import type { RequestName } from "../../core/names.ts";
import { mostMemoryMb } from "../../core/plan.ts";
import type { Work } from "../../loop/ports.ts";
import { loadQueue } from "../../loop/queue.ts";
import { concerns } from "../../recovery/bans/ban.ts";
import { lackOf, memoryCeiling } from "../../recovery/explain/advise.ts";
import { causeAdvice, filterOf } from "../../recovery/explain/cause-advice.ts";
import { OPERATOR_ACTIONS } from "../../recovery/round/actions.ts";
import { codeName, meaningOf } from "../../recovery/round/tally.ts";
import { type Compared, comparePlaces } from "../../recovery/stands-out.ts";
import type { CauseRow, FailureKind, SiteRate } from "../../store/port.ts";
import { act } from "./act.ts";
import type { DeskCommands } from "./desk-port.ts";
import { findJobs } from "./find-job.ts";
import { makeForesee } from "./gather-effect.ts";
import { unitMap } from "./unit-map.ts";

/** Sites at which something fails more often than elsewhere, of the requests in which it fails. */
function suspectSites(rates: readonly SiteRate[]): readonly Compared<SiteRate>[] {
  return [...groupBy(rates, kindKey).values()].flatMap((alike) =>
    comparePlaces(alike.map((place) => ({ place, failed: place.failed, ran: place.failed + place.done }))).filter(
      ({ is }) => is === "stands-out",
    ),
  );
}

/** Does nothing of these requests go to their site any more? */
async function bansOf({ store, clock }: Work, rows: readonly CauseRow[]): Promise<(row: CauseRow) => boolean> {
  if (rows.length === 0) return () => false;
  const bans = await store.sites.activeBans(clock.now());
  const workflows = await store.workflows.forRequests([...new Set(rows.flatMap(({ names }) => names))]);
  return ({ site, names }) =>
    names.every((name) => bans.some((ban) => ban.site === site && concerns(ban, workflows.get(name)?.id ?? null)));
}
/** The most memory that all requests of a cause may have, where each was killed with as much; null: there is more, or they differ. */
async function ceilingsOf(
  { store, policy }: Work,
  rows: readonly CauseRow[],
): Promise<(row: CauseRow) => number | null> {
  const names = [...new Set(rows.flatMap((row) => row.names))];
  if (names.length === 0) return () => null;
  const workflows = await store.workflows.forRequests(names);
  const found = await Promise.all(names.map((name) => store.requests.get(name)));
  const requests = new Map(found.flatMap((record) => (record ? [[record.spec.name, record] as const] : [])));
  return (row) => {
    const each = row.names.map((name) => {
      const cores = requests.get(name)?.spec.resources.cores;
      const killedAtMb = workflows.get(name)?.stepMetrics?.rounds.at(-1)?.killedAtMb ?? null;
      const isUnknown = cores === undefined || (row.cause === "oom" && killedAtMb === null);
      return isUnknown ? null : memoryCeiling(row, killedAtMb, mostMemoryMb(policy, cores));
    });
    const [first = null] = each;
    return each.every((one) => one === first) ? first : null;
  };
}

const kindKey = ({ exitCode, rule, cause, category }: FailureKind): string =>
  JSON.stringify([exitCode, rule, cause, category]);

/** What only looks, for the operator's desk. */
export const deskCommands = (ports: Work): DeskCommands => ({
  async causes(filter) {
    const { desk } = ports.store;
    const [rates, lookedAt] = await Promise.all([desk.siteRates(filter), desk.oldestLook(ports.clock.now())]);
    const suspects = suspectSites(rates);
    const rows = await desk.causes({ ...filter, apart: suspects.map(({ place }) => place) });
    const suspectOf = (row: CauseRow) =>
      suspects.find(({ place }) => place.site === row.site && kindKey(place) === kindKey(row)) ?? null;
    const isBanned = await bansOf(ports, rows.filter(suspectOf));
    const ceilingOf = await ceilingsOf(
      ports,
      rows.filter((row) => lackOf(row) === "memory"),
    );
    const causes = rows.map((row) => {
      const found = suspectOf(row);
      const site = found && {
        name: found.place.site,
        here: found,
        elsewhere: found.elsewhere,
        isBanned: isBanned(row),
      };
      return {
        ...row,
        codeName: codeName(row.exitCode, row.cause),
        meaning: meaningOf(row.exitCode, row.rule, row.cause),
        suggestion: causeAdvice(row, {
          site,
          mostMemoryMb: ceilingOf(row),
          nextVersionKeeps: row.kinds.every((kind) => ports.kinds.get(kind)?.credits !== undefined),
        }),
        filter: filterOf(row),
      };
    });
    return { causes, lookedAt };
  },

  async actionsOf(name) {
    const request = await ports.store.requests.get(name);
    if (!request) return null;
    const foresee = makeForesee(ports);
    const asked = OPERATOR_ACTIONS.map(async (action) => {
      const seen = { actor: "", version: null, dryRun: true };
      return { action, answer: await act(ports, name, { action, reason: "…" }, seen, foresee) };
    });
    return { request, choices: await Promise.all(asked) };
  },

  async search(text, limit) {
    const [named, { jobs, note }] = await Promise.all([ports.store.desk.search(text, limit), findJobs(ports, text)]);
    return { items: [...jobs, ...named].slice(0, limit), note };
  },

  unitMap: (id, paints) => unitMap(ports, id, paints),

  async queueIf(priorities) {
    const { records, ...queue } = await loadQueue(ports, priorities);
    const queued = new Set<RequestName>(records.map(({ spec }) => spec.name));
    return [...priorities.keys()].every((name) => queued.has(name as RequestName)) ? queue : null;
  },
});
