import { type SiteFacts, sitesLeft } from "./reelect.ts";
import type { CodeCount, RoundTally } from "./tally.ts";
import { listed, plural } from "./words.ts";

/** What to try first, by what most of the failures have in common. A hint; nothing acts on it. */
export interface Suggestion {
  readonly action: "nothing" | "resubmit" | "rescue" | "release" | "restart";
  /** To go with a release, as its body says it. */
  readonly modifications: Readonly<Record<string, unknown>>;
  readonly because: string;
}

export type SuggestionFacts = SiteFacts;

/** Causes more memory helps against; at the cap, level 1 has given up on raising it. */
const MEMORY_RULES: readonly (string | null)[] = ["too-much-memory", "memory", "bad-alloc", "memory-check"];

export function suggestAction(tally: RoundTally, facts: SuggestionFacts): Suggestion {
  const failures = tally.nodes.failed;
  const say = (
    action: Suggestion["action"],
    because: string,
    modifications: Suggestion["modifications"] = {},
  ): Suggestion => ({ action, because, modifications });
  if (failures === 0 && tally.failedUnits.length === 0) return say("nothing", "nothing has failed");
  if (failures === 0) return say("rescue", "no node says why its unit failed: a rescue tries them again");
  if (tally.unclassified > 0)
    return say("resubmit", `classify the ${plural(tally.unclassified, "failure")} no rule knows, then resubmit`);
  const site = badSite(tally, facts);
  if (site !== null)
    return say("release", `most failures happened at ${site} and other sites work: leave it out`, {
      site_bans: [site],
    });
  const bad = tally.files.filter((file) => file.bad);
  const data = tally.categories.find(({ key }) => key === "data")?.failures ?? 0;
  if (bad.length > 0 && data * 2 >= failures)
    return say(
      "release",
      `bad input files are behind it (${listed(
        bad.map(({ file }) => file),
        2,
      )}): leave them out`,
      { excluded_files: bad.slice(0, 100).map(({ file }) => file) },
    );
  const [most] = tally.codes;
  if (most && isMemory(most) && most.failures * 2 >= failures)
    return say("release", "most jobs ran out of memory, even with what they may have: give them more (memory_mb)");
  if (most?.category === "permanent" && most.failures * 2 >= failures)
    return say("restart", "most failures are permanent: mend the request's software or configuration, then restart it");
  return say("rescue", "most failures may go away by themselves: try the failed units again");
}

const isMemory = ({ cause, rule }: CodeCount): boolean => cause === "oom" || MEMORY_RULES.includes(rule);

/** More than half of all failures at one site, most of what ran there failed, and others do better. */
function badSite(tally: RoundTally, { possibleSites, bannedSites }: SuggestionFacts): string | null {
  const worst = tally.sites.find(({ site }) => !bannedSites.includes(site));
  if (!worst || worst.failed * 2 <= tally.nodes.failed || worst.blamed * 2 <= worst.nodes) return null;
  const elsewhere = tally.sites.some(({ site, nodes, failed }) => site !== worst.site && failed * 2 < nodes);
  const left = sitesLeft(possibleSites, [worst.site], bannedSites);
  return elsewhere && left?.length !== 0 ? worst.site : null;
}
