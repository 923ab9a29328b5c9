import type { NoMatch } from "../../domain/run.ts";
import type { EngineSite } from "../port.ts";

/** What a job asks of a worker. */
export interface Want {
  readonly cpus: number;
  readonly memoryMb: number;
  /** null: any will do. */
  readonly desiredSites: readonly string[] | null;
  readonly bannedSites: readonly string[];
}

export const allows = ({ desiredSites, bannedSites }: Want, site: string): boolean =>
  (desiredSites === null || desiredSites.includes(site)) && !bannedSites.includes(site);

/** Why none of these workers or sites can ever take the job; null: one could, so it only waits for its turn. */
export function whyNoMatch(want: Want, sites: readonly EngineSite[]): NoMatch | null {
  if (sites.length === 0) return { code: "no-worker", reason: "there is no worker in the pool" };
  const allowed = sites.filter(({ name }) => allows(want, name));
  if (allowed.length === 0) {
    const wants = want.desiredSites?.join(",") ?? "any";
    return { code: "no-site", reason: `no site of this engine is allowed: wants ${wants}` };
  }
  if (allowed.some(({ cores, memoryMb }) => cores >= want.cpus && memoryMb >= want.memoryMb)) return null;
  const asks = `asks for ${want.cpus} cores and ${want.memoryMb} MB`;
  return { code: "too-large", reason: `${asks}: more than any site it may run at has` };
}
