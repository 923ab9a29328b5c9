import { err, ok } from "../../base/result.ts";
import type { SiteName } from "../../domain/names.ts";
import { localDataset } from "../local-dataset.ts";
import { type Catalog, inPages } from "../port.ts";
import { type CmsOutputOptions, makeCmsOutputs } from "./outputs.ts";
import { makeRequestCatalog, type WantedRequests } from "./requests.ts";
import type { CmsServices, Cric } from "./services.ts";

interface CmsCatalogOptions extends Pick<CmsOutputOptions, "tapeExpression"> {
  readonly wanted: WantedRequests;
}

/** Datasets, outputs, sites and requests as the services of CMS know them. */
export const makeCmsCatalog = (services: CmsServices, { tapeExpression, wanted }: CmsCatalogOptions): Catalog => ({
  name: "cms",
  datasets: {
    open: async (input, _wanted, signal) => {
      if (input.from !== "dataset") {
        const found = await localDataset(input, signal);
        return found.ok ? ok(inPages(found.value)) : found;
      }
      const { dataset } = input;
      return err({ code: "unreadable", message: `${dataset}: DBS is not read yet`, evidence: { dataset } });
    },
  },
  outputs: makeCmsOutputs(services, { rseOf: rsesOfSites(services.cric), tapeExpression }),
  sites: { names: async () => (await services.cric.sites()) as readonly SiteName[] },
  requests: makeRequestCatalog(services.reqmgr2, wanted),
  services,
});

/** The disk that each site's jobs write to, as CRIC says now. */
function rsesOfSites(cric: Cric): CmsOutputOptions["rseOf"] {
  return async (site) => {
    const own = (await cric.storage()).filter((row) => row.site === site && !row.rse.endsWith("_Tape"));
    return own[0]?.rse ?? null;
  };
}
