import { groupBy } from "../../core/base/group-by.ts";
import { isSiteName } from "../../core/names.ts";
import type { SiteCatalog } from "../port.ts";
import type { SitesByRse } from "./datasets.ts";
import type { CmsServices } from "./services.ts";

/** Processing sites and the storage each of them reads, as CRIC has them; names that are none are passed over. */
export const makeCmsSites = ({ cric }: Pick<CmsServices, "cric">, statuses: SiteCatalog["statuses"]): SiteCatalog => ({
  async list() {
    const [names, storage] = await Promise.all([cric.sites(), cric.storage()]);
    const bySite = groupBy(storage, ({ site }) => site);
    return [...new Set([...names, ...bySite.keys()])]
      .filter(isSiteName)
      .map((name) => ({ name, rses: (bySite.get(name) ?? []).map(({ rse }) => rse) }));
  },
  statuses,
});

type Listed = Awaited<ReturnType<SiteCatalog["list"]>>;

/** The disk that jobs at a site write to: one of its own before one it shares; null: it has none. */
export function diskOf(site: string, sites: Listed): string | null {
  const disks = sites.find(({ name }) => name === site)?.rses.filter((rse) => !rse.endsWith("_Tape")) ?? [];
  return disks.find((rse) => rse.startsWith(site)) ?? disks[0] ?? null;
}

/** Which sites read which storage. */
export function sitesByRse(sites: Listed): SitesByRse {
  const rows = sites.flatMap(({ name, rses }) => rses.map((rse) => ({ rse, name })));
  return new Map([...groupBy(rows, ({ rse }) => rse)].map(([rse, of]) => [rse, of.map(({ name }) => name)]));
}
