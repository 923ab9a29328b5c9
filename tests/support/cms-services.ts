import type { Emulated } from "../../lab/emulate/index.ts";
import { type CmsPorts, makeCmsServices } from "../../src/catalogs/cms/cms-services.ts";
import type { CmsServices, NewDbsDataset, NewDbsFile } from "../../src/catalogs/cms/services.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { SettingKey } from "../../src/config/settings.ts";
import { cmsOptions } from "../../src/main.ts";

/** The real clients, pointed at emulators by their own settings; they wait for nothing. */
export function servicesAt(emulated: Emulated, ports: Partial<CmsPorts> = {}): CmsServices {
  const flags = emulated.settings as Partial<Record<SettingKey, unknown>>;
  return makeCmsServices(cmsOptions(loadConfig({ environment: {}, flags }).config), {
    clock: { now: () => new Date() },
    log: { info() {}, warn() {}, error() {} },
    metrics: { observeCall() {} },
    wait: async () => {},
    ...ports,
  });
}

const config = { release: "CMSSW_14_0_1", psetHash: "abc", globalTag: "GT", outputModule: "Merged" };
let serial = 0;
/** A dataset of the test's own, with a block in it. */
export const freshDataset = () => {
  serial += 1;
  const dataset = `/DemoGen/Demo26-Test${serial}-v1/AODSIM`;
  const block = `${dataset}#6d5c0000-0000-4000-8000-00000000000${serial % 10}`;
  const wanted: NewDbsDataset = {
    dataset,
    primaryType: "mc",
    acquisitionEra: "Demo26",
    processingVersion: 1,
    accessType: "PRODUCTION",
    prepId: "DEMO-1",
    config,
  };
  const files: NewDbsFile[] = [1, 2, 3].map((number) => ({
    lfn: `/store/mc/Demo26/DemoGen/AODSIM/Test${serial}-v1/00000/f${number}.root`,
    dataset,
    sizeBytes: 1000 + number,
    events: 10,
    cksum: "123456",
    adler32: "0cc737eb",
    lumis: [{ run: 1, lumi: number }],
    parents: [],
    config,
  }));
  return { dataset, block, wanted, files };
};
