import { describeError } from "../../core/base/errors.ts";
import { makeTurns, type Turns } from "../../core/base/turns.ts";
import type { SiteSyncAnswer } from "../../core/dag.ts";
import type { Ports } from "../../loop/ports.ts";
import { decideSiteSync } from "../../planning/sites/decide-sync.ts";
import { readStatuses, type Statuses } from "../../planning/sites/read-statuses.ts";
import type { By } from "./port.ts";

const ALERT = "sites:sync";

/**
 * Makes the stored sites those of the catalog. Whatever speaks against it is an alert until a sync goes through. Throws
 * what the catalog throws when it cannot be reached.
 */
export async function syncSites(ports: Ports, { actor, dryRun }: By): Promise<SiteSyncAnswer> {
  const { store, catalog, clock, log } = ports;
  if (catalog.sites === null) return { kind: "no-catalog" };
  const [listed, statuses] = await Promise.all([catalog.sites.list(), gatherStatuses(ports)]);
  const decision = decideSiteSync(await store.sites.list(), listed, statuses.found);
  const warnings = statuses.trouble === null ? [] : [statuses.trouble];
  const trouble = decision.kind === "refused" ? `nothing was changed: ${decision.reason}` : statuses.trouble;
  if (dryRun) return { ...decision, warnings };
  const at = clock.now();
  if (decision.kind === "changes" && decision.changes.length > 0) {
    await store.transaction(async (tx) => {
      await tx.sites.sync(decision.changes, at);
      for (const { name: subject, what: reason } of decision.changes)
        await tx.audit.add({ at, actor, action: "sync", subject, reason, detail: {}, outcome: "done" });
    });
    log.info("sites.synced", { changed: decision.changes.length });
  }
  if (trouble === null) await store.alerts.close(ALERT, at);
  else {
    const message = `sites and the catalog: ${trouble}; look with: wms2 sites sync --dry-run`;
    await store.alerts.raise({ key: ALERT, severity: "warning", subject: "sites", message, at });
  }
  return { ...decision, warnings };
}

/** A source that cannot be read says nothing: statuses stay as they are. */
async function gatherStatuses({ catalog }: Ports): Promise<{ found: Statuses | null; trouble: string | null }> {
  const source = catalog.sites?.statuses;
  if (!source) return { found: null, trouble: null };
  try {
    const read = readStatuses(await source());
    return read.ok ? { found: read.value, trouble: null } : { found: null, trouble: `the site status ${read.error}` };
  } catch (error) {
    return { found: null, trouble: `the site status cannot be read: ${describeError(error)}` };
  }
}

const LOOK_EVERY_SEC = 60;

/** On a timer; what fails is tried again a minute later. `everySec` 0: never by itself. */
export function makeSiteSync(ports: Ports, everySec: number, isLeader: () => Promise<boolean>): Turns {
  let dueMs = 0;
  const work = async (): Promise<void> => {
    const nowMs = ports.clock.now().getTime();
    if (everySec === 0 || ports.catalog.sites === null || nowMs < dueMs) return;
    await syncSites(ports, { actor: "wms2", dryRun: false });
    dueMs = nowMs + everySec * 1000;
  };
  return makeTurns({ name: "sites.sync", everySec: LOOK_EVERY_SEC, firstSec: 1, log: ports.log, isLeader, work });
}
