import { WorldError } from "../../base/errors.ts";
import { err, ok } from "../../base/result.ts";
import type { SiteName } from "../../domain/names.ts";
import { localDataset } from "../local-dataset.ts";
import { type Catalog, inPages } from "../port.ts";
import type { CmsServices } from "./services.ts";

/** Datasets, outputs, sites and requests as the services of CMS know them. */
export const makeCmsCatalog = (services: CmsServices): Catalog => ({
  name: "cms",
  datasets: {
    open: async (input, _wanted, signal) => {
      if (input.from !== "dataset") {
        const files = await localDataset(input, signal);
        return files.ok ? ok(inPages(files.value)) : files;
      }
      const { dataset } = input;
      return err({ code: "unreadable", message: `${dataset}: DBS is not read yet`, evidence: { dataset } });
    },
  },
  outputs: {
    async register() {
      throw new WorldError("catalog-refused", "dbs", "outputs are not registered in DBS yet");
    },
    blocks: null,
  },
  sites: { names: async () => (await services.cric.sites()) as readonly SiteName[] },
  requests: {
    document: (name) => services.reqmgr2.request(name),
    configuration: (id) => services.reqmgr2.configuration(id),
  },
  services,
});
