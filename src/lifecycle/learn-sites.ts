import { isSiteName } from "../domain/names.ts";
import type { Ports } from "./ports.ts";

/** Adds the sites the engine can reach to the store; what an operator said about them stays. */
export async function learnSites(ports: Ports): Promise<void> {
  if (!ports.engine.capabilities.sites) return;
  const found = (await ports.engine.sites()).flatMap((site) =>
    isSiteName(site.name) ? [{ name: site.name, cores: site.cores, memoryMb: site.memoryMb }] : [],
  );
  await ports.store.sites.learn(found, ports.clock.now());
}
