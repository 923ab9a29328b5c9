import { statfs } from "node:fs/promises";
import type { Catalog } from "../../../catalogs/port.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { describeError } from "../../../core/base/errors.ts";
import type { Log } from "../../../core/base/log.ts";
import { makeTurns } from "../../../core/base/turns.ts";
import type { Engine } from "../../../engines/port.ts";
import type { Store } from "../../../store/port.ts";
import {
  blockAlerts,
  CATALOG_FAMILY,
  type CatalogLooks,
  catalogAlerts,
  type DiskSpace,
  diskAlerts,
  type EngineLook,
  engineAlerts,
  engineKey,
  errorAlerts,
  heldAlerts,
  IDENTITY_FAMILY,
  identityAlerts,
  importAlerts,
  stuckAlerts,
  waitAlerts,
} from "./decide-alerts.ts";
import { type AlertWish, raiseAndClose } from "./raise-and-close.ts";

interface WatchOptions {
  readonly intervalSec: number;
  /** Looks without an answer of the engine before it is called unreachable. */
  readonly engineAfterLooks: number;
  /** Failed passes in a row on one request beyond which somebody should look. */
  readonly moreErrorsThan: number;
  readonly lowDiskMb: number;
  /** Directories whose space matters, by what they are called. */
  readonly disks: readonly { readonly what: string; readonly path: string }[];
  readonly isLeader?: () => Promise<boolean>;
}

/**
 * Looks at requests, engine and disks every now and then, apart from the passes, and keeps the open alerts in step with
 * what it sees. A part that cannot be seen leaves its alerts as they are.
 */
export function makeWatch(
  { store, engine, catalog, clock, log }: { store: Store; engine: Engine; catalog: Catalog; clock: Clock; log: Log },
  options: WatchOptions,
) {
  let before = WELL;
  let services: CatalogLooks = {};

  /** One look at everything; what it found is in the store as alerts. */
  const lookOnce = async (): Promise<void> => {
    const open = new Set((await store.alerts.open()).map(({ key }) => key));
    // An engine nobody needs is left in peace: asking would start the local one just for that.
    const isNeeded = open.has(engineKey(engine.name)) || (await store.dags.open()).length > 0;
    const look = isNeeded ? await lookAtEngine(engine, before, clock.now()) : null;
    before = look ?? WELL;
    const now = clock.now();
    const requests = (await store.requests.open()).filter(({ status }) => status !== "new");
    const families = ["stuck", "held", "errors", "wait", "reqmgr2", "blocks"];
    const wanted: AlertWish[] = [
      ...requests.flatMap((request) => stuckAlerts(request, look, now)),
      ...heldAlerts(requests),
      ...errorAlerts(requests, options.moreErrorsThan),
      ...waitAlerts(requests, now),
      ...importAlerts(await store.imports.trouble()),
      ...blockAlerts((await store.outputs.list({ limit: 1000, status: "failed" })).items),
    ];
    const aboutEngine = look && engineAlerts(engine.name, look, options.engineAfterLooks);
    if (aboutEngine) {
      families.push("engine");
      wanted.push(...aboutEngine);
    }
    services = await lookAtCatalog(catalog, services, clock.now());
    families.push(CATALOG_FAMILY);
    wanted.push(...catalogAlerts(services, options.engineAfterLooks, (key) => open.has(key)));
    const identity = await catalog.services?.identity();
    families.push(IDENTITY_FAMILY);
    if (identity) wanted.push(...identityAlerts(identity));
    const spaces = await lookAtDisks(options.disks, log);
    if (spaces) {
      families.push("disk");
      wanted.push(...diskAlerts(spaces, options.lowDiskMb, (key) => open.has(key)));
    }
    const { raised, closed } = await raiseAndClose(store, families, wanted, now);
    if (raised + closed > 0) log.info("alerts.changed", { raised, closed });
  };

  const { intervalSec: everySec, isLeader } = options;
  return { ...makeTurns({ name: "watch", everySec, log, isLeader, work: lookOnce }), lookOnce };
}

const WELL: EngineLook = { ok: true, text: "", failures: 0, since: null };

async function lookAtEngine(engine: Engine, before: EngineLook, now: Date): Promise<EngineLook> {
  const { ok, text } = await engine.ping().catch((error: unknown) => ({ ok: false, text: describeError(error) }));
  if (ok) return { ok, text, failures: 0, since: null };
  return { ok, text, failures: before.failures + 1, since: before.since ?? now };
}

async function lookAtCatalog({ services }: Catalog, before: CatalogLooks, now: Date): Promise<CatalogLooks> {
  const troubles = (await services?.ping()) ?? {};
  const looks = Object.entries(troubles).map(([service, text]) => {
    const { failures = 0, since = null } = before[service] ?? {};
    if (text === null) return [service, { text: "", failures: 0, since: null }] as const;
    return [service, { text, failures: failures + 1, since: since ?? now }] as const;
  });
  return Object.fromEntries(looks);
}

/** null: one of them could not be looked at. */
async function lookAtDisks(disks: WatchOptions["disks"], log: Log): Promise<DiskSpace[] | null> {
  try {
    return await Promise.all(
      disks.map(async ({ what, path }) => {
        const { bavail, bsize, ffree, files } = await statfs(path);
        return { what, path, freeMb: (bavail * bsize) / 1e6, freeFiles: files > 0 ? ffree : null };
      }),
    );
  } catch (error) {
    log.warn("watch.disk-unseen", { why: describeError(error) });
    return null;
  }
}
