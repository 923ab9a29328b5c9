import { listed, plural } from "../../core/base/text.ts";
import { type HoldCode, holdFor } from "../../core/holds.ts";
import type { RoundDecision, RoundFacts } from "./decide.ts";
import type { RoundTally } from "./tally.ts";

const NAMED_UNITS = 20;

export function hold(facts: RoundFacts, code: HoldCode, message: string): Extract<RoundDecision, { kind: "hold" }> {
  const { verdict, text: said, unitsTotal, unitsDone, rescuesUsed, policy, finishedUnits } = facts;
  const failed = [...new Set(facts.failedUnits)].filter((unit) => !finishedUnits.has(unit));
  const isFailing = (site: string) => facts.tally.sites.some((count) => count.site === site && count.failed > 0);
  const banned = facts.bannedSites.filter(isFailing);
  const evidence = {
    verdict,
    text: said,
    unitsTotal,
    unitsDone,
    unitsFailed: failed.length,
    failedUnits: failed.slice(0, NAMED_UNITS),
    failureRatio: failed.length / Math.max(unitsTotal, 1),
    holdThreshold: policy.holdThreshold,
    rescuesUsed,
    maxRescues: policy.maxRescues,
    bannedSites: banned,
    ...(facts.damaged.length > 0 && { damaged: facts.damaged.slice(0, NAMED_UNITS) }),
    ...evidenceOf(facts.tally),
  };
  const untold = banned.filter((site) => !message.includes(site));
  const reason =
    untold.length === 0 ? message : `${message}; ${listed(untold)} banned: a release stays away from there`;
  return { kind: "hold", hold: holdFor(code, reason, evidence), reason };
}

export const progress = ({ unitsDone, unitsTotal, unitWord }: RoundFacts): string =>
  `${unitsDone} of ${plural(unitsTotal, unitWord)} done`;

const MOST = 5;
const MOST_FILES = 20;

/** The few numbers of a tally that go with a hold. Bounded, however many failed: it is stored on the request. */
function evidenceOf(tally: RoundTally) {
  const bad = tally.files.filter((file) => file.bad);
  return {
    nodesFailed: tally.nodes.failed,
    categories: Object.fromEntries(tally.categories.map(({ key, failures }) => [key, failures])),
    codes: tally.codes
      .slice(0, MOST)
      .map(({ exitCode, name, meaning, failures, units }) => ({ exitCode, name, meaning, failures, units })),
    sites: tally.sites
      .filter(({ failed }) => failed > 0)
      .slice(0, MOST)
      .map(({ site, failed, nodes }) => ({ site, failed, nodes })),
    badFiles: { total: bad.length, named: bad.slice(0, MOST_FILES).map(({ file }) => file) },
    first: tally.first,
  };
}

/** "; mostly with exit code 8021 (an input file was opened, but reading it failed)"; "" when nothing is known. */
export function causeOf({ tally }: RoundFacts): string {
  const [most] = tally.codes;
  if (!most) return "";
  if (most.cause === "forged_output") return `; ${most.first.reason}`;
  const all = tally.codes.reduce((sum, { failures }) => sum + failures, 0);
  const share = tally.codes.length === 1 ? "all" : most.failures * 2 > all ? "mostly" : "for example";
  const named = /^\d/.test(most.name) ? `exit code ${most.name}` : most.name;
  // "the program failed" says nothing more than the code.
  const meaning = most.meaning && most.rule !== "program-failed" ? ` (${most.meaning})` : "";
  return `; ${share} with ${named}${meaning}`;
}
