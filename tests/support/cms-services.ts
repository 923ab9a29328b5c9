import { type CmsPorts, makeCmsServices } from "../../src/catalogs/cms/cms-services.ts";
import type { CmsServices } from "../../src/catalogs/cms/services.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { SettingKey } from "../../src/config/settings.ts";
import type { Emulated } from "../../src/emulate/index.ts";
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
