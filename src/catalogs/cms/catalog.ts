import type { Catalog, SiteCatalog } from "../port.ts";
import { makeCmsDatasets } from "./datasets.ts";
import { type CmsOutputOptions, makeCmsOutputs } from "./outputs.ts";
import { makeRequestCatalog, type WantedRequests } from "./requests.ts";
import type { CmsServices } from "./services.ts";
import { diskOf, makeCmsSites, sitesByRse } from "./sites.ts";

interface CmsCatalogOptions extends Pick<CmsOutputOptions, "tapeExpression">, Pick<SiteCatalog, "statuses"> {
  readonly wanted: WantedRequests;
  /** Sites and their storage as the last sync stored them; empty: there was none yet, and CRIC is asked. */
  readonly storedSites: SiteCatalog["list"];
}

/** Datasets, outputs, sites and requests as the services of CMS know them. */
export function makeCmsCatalog(services: CmsServices, options: CmsCatalogOptions): Catalog {
  const { tapeExpression, wanted, statuses, storedSites } = options;
  const sites = makeCmsSites(services, statuses);
  const known: SiteCatalog["list"] = async () => {
    const stored = await storedSites();
    return stored.some(({ rses }) => rses.length > 0) ? stored : sites.list();
  };
  return {
    name: "cms",
    datasets: makeCmsDatasets(services, async () => sitesByRse(await known())),
    outputs: makeCmsOutputs(services, { rseOf: async (site) => diskOf(site, await known()), tapeExpression }),
    sites,
    requests: makeRequestCatalog(services.reqmgr2, wanted),
    services,
  };
}
