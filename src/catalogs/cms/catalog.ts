import { WorldError } from "../../base/errors.ts";
import type { Catalog, SiteCatalog } from "../port.ts";
import { makeCmsDatasets, type Places } from "./datasets.ts";
import type { CmsServices } from "./services.ts";
import { makeCmsSites } from "./sites.ts";

/** Datasets, outputs, sites and requests as the services of CMS know them. */
export const makeCmsCatalog = (
  services: CmsServices,
  { places, statuses }: { readonly places: () => Promise<Places>; readonly statuses: SiteCatalog["statuses"] },
): Catalog => ({
  name: "cms",
  datasets: makeCmsDatasets(services, places),
  outputs: {
    async register() {
      throw new WorldError("catalog-refused", "dbs", "outputs are not registered in DBS yet");
    },
    blocks: null,
  },
  sites: makeCmsSites(services, statuses),
  requests: { document: (name) => services.reqmgr2.request(name) },
  services,
});
