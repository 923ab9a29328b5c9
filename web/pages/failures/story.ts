import type { Answer } from "../../api/client.ts";
import { count } from "../../words.ts";

type Errors = Answer<"attempts.errors">;

/** Three answers before any table: which came first, which is most, and what they have in common. */
interface FailureStory {
  readonly most: string | null;
  readonly common: readonly string[];
}

const MOST_SHARE = 0.6;

/** It fails at least twice as often as the others together: who runs most of the jobs has most of the failures anyway. */
function isWorse(site: Errors["sites"][number], sites: Errors["sites"]): boolean {
  const others = sites.filter((other) => other !== site);
  const nodes = others.reduce((sum, other) => sum + other.nodes, 0);
  const failed = others.reduce((sum, other) => sum + other.failed, 0);
  return nodes > 0 && site.failed / site.nodes >= 2 * (failed / nodes);
}

export function failureStory({ codes, sites, hosts, files, nodes_failed: failed }: Errors): FailureStory {
  const most = codes[0];
  const total = codes.reduce((sum, { failures }) => sum + failures, 0);
  const common: string[] = [];
  const site = sites.toSorted((a, b) => b.failed - a.failed)[0];
  if (site && site.failed >= failed * MOST_SHARE && isWorse(site, sites))
    common.push(`${site.failed} of ${failed} at ${site.site}`);
  const host = hosts[0];
  if (host && hosts.length > 1 && host.failures >= total * MOST_SHARE)
    common.push(`${host.failures} on host ${host.host}`);
  const bad = files.filter((file) => file.bad);
  if (bad.length > 0) common.push(`${count(bad.length, "bad input file")}, by proof`);
  return {
    most: most ? `${most.name}${most.meaning ? `: ${most.meaning}` : ""} (${most.failures} of ${total})` : null,
    common,
  };
}
