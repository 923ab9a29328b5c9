import { plural } from "../../core/base/text.ts";
import type { RequestStatus } from "../../core/request-status.ts";
import { mayDo } from "../round/actions.ts";
import type { Blocked } from "../round/blocked.ts";
import type { Example, SiteCount } from "../round/counts.ts";
import { describeDamage, type UnitDamage } from "../round/damage.ts";
import { type SiteFacts, sitesLeft } from "../round/failed-units.ts";
import type { CodeCount, RoundTally } from "../round/tally.ts";
import { comparePlaces } from "../stands-out.ts";
import {
  type Advice,
  advise,
  commandFor,
  everybodyCommand,
  lackOf,
  memoryCeiling,
  type SuspectSite,
  say,
} from "./advise.ts";

export type ErrorsView = Readonly<ReturnType<typeof errorsView>>;

interface ViewFacts extends SiteFacts {
  /** What people call a unit of this kind. */
  readonly unitWord: string;
  /** A corrected request goes on as its next version, which keeps what is done. */
  readonly nextVersionKeeps?: boolean;
  readonly unitsTotal: number;
  readonly unitsDone: number;
  readonly damaged: readonly UnitDamage[];
  /** Input files that are left out, and by whom or on which evidence. */
  readonly excluded: readonly { readonly file: string; readonly reason: string }[];
  /** Log tails by "unit/node", as `tailsWanted` asks for them. */
  readonly tails: ReadonlyMap<string, string>;
  /** Of a graph: what the person called a job, and which failed jobs keep others from running. */
  readonly nameOf?: (unit: string) => string | null;
  readonly blocked?: readonly Blocked[];
  /** Whose errors they are, so that the advice can be typed as it stands. */
  readonly request?: { readonly name: string; readonly status: RequestStatus; readonly maxMemoryMb: number };
}

const MOST_CODES = 8;
const MOST_SITES = 8;
const MOST_HOSTS = 5;
const MOST_FILES = 8;
const MOST_BLOCKERS = 20;
const TAILS = 3;
const TAIL_CHARACTERS = 8_000;

/** Whose logs the view will show: one node for each of the most frequent failures. */
export const tailsWanted = (tally: RoundTally): readonly Example[] =>
  [...tally.codes, ...tally.retrying].slice(0, TAILS).map(({ first }) => first);

export const tailKey = ({ unit, node }: { unit: string; node: string }): string => `${unit}/${node}`;

/** The errors of a round as a person reads them: what failed first and most, where, on what, and what to do. */
export function errorsView(tally: RoundTally, facts: ViewFacts) {
  const { nameOf, blocked = [] } = facts;
  const called = (first: Example) => {
    const job = nameOf?.(first.unit) ?? null;
    return job === null ? first : { ...first, job };
  };
  const failingSites = tally.sites.filter(({ failed, blamed }) => failed > 0 || blamed > 0);
  const suspects = comparedSites(tally.sites).filter(({ is }) => is === "stands-out");
  const isSuspect = ({ site }: SiteCount) => suspects.some(({ place }) => place === site);
  const shown = (codes: readonly CodeCount[]) =>
    codes.slice(0, MOST_CODES).map(({ key: _, first, ...code }) => ({
      ...code,
      example: called(first),
      /** The end of that node's log; null: not read, or there is none. */
      logTail: facts.tails.get(tailKey(first))?.slice(-TAIL_CHARACTERS) ?? null,
    }));
  return {
    unitWord: facts.unitWord,
    unitsTotal: facts.unitsTotal,
    unitsDone: facts.unitsDone,
    unitsFailed: tally.failedUnits.length,
    nodesFailed: tally.nodes.failed,
    /** Failed at least once, and got through. */
    nodesRecovered: tally.nodes.recovered,
    /** Failed, and to be tried again: they wait for it, or are at it. */
    nodesRetrying: tally.nodes.retrying,
    /** Of those that failed: they wait for a person to say what they mean. */
    unclassified: tally.unclassified,
    unreadableLines: tally.unreadable,
    first: tally.first && called(tally.first),
    ...(blocked.length > 0 && {
      blocked: blocked.slice(0, MOST_BLOCKERS).map(({ by, units }) => ({ by: nameOf?.(by) ?? by, units })),
    }),
    categories: tally.categories.map(({ key, failures, units }) => ({ category: key, failures, units })),
    causes: tally.causes.map(({ key, failures }) => ({ cause: key, failures })),
    codes: shown(tally.codes),
    retrying: shown(tally.retrying),
    sites: failingSites.slice(0, MOST_SITES).map((site) => ({ ...site, blamed: isSuspect(site) ? site.blamed : 0 })),
    hosts: tally.hosts.slice(0, MOST_HOSTS).map(({ key, failures }) => ({ host: key, failures })),
    files: tally.files.slice(0, MOST_FILES),
    excluded: facts.excluded.slice(0, MOST_FILES),
    /** How many kinds of each there are beyond those listed. */
    more: {
      codes: beyond(tally.codes, MOST_CODES),
      retrying: beyond(tally.retrying, MOST_CODES),
      sites: beyond(failingSites, MOST_SITES),
      hosts: beyond(tally.hosts, MOST_HOSTS),
      files: beyond(tally.files, MOST_FILES),
      excluded: beyond(facts.excluded, MOST_FILES),
    },
    common: commonOf(tally, suspectOf(tally, facts)),
    suggestion: suggestionOf(tally, facts),
  };
}

export const beyond = (all: readonly unknown[], listed: number): number => Math.max(0, all.length - listed);

type Suggestion = Omit<Advice, "needsFile"> & {
  /** As it is typed; null: nothing is to be done, or not in the present state. */
  readonly command: string | null;
  /** The same for all requests, where a site is to be left out. */
  readonly everybodyCommand: string | null;
};

function suggestionOf(tally: RoundTally, facts: ViewFacts): Suggestion {
  const { request } = facts;
  const { needsFile, ...advice } = inState(adviceOn(tally, facts), request);
  const isAllowed = request && isPossible(advice.action, request.status);
  return {
    ...advice,
    command: isAllowed ? commandFor({ ...advice, needsFile }, request) : null,
    everybodyCommand: everybodyCommand({ ...advice, needsFile }),
  };
}

/** What is over is not released: its next version is all there can be. */
const inState = (advice: Advice, request: ViewFacts["request"]): Advice =>
  request && advice.needsFile && !isPossible(advice.action, request.status) && isPossible("restart", request.status)
    ? { ...advice, action: "restart" }
    : advice;

function isPossible(action: Advice["action"], status: RequestStatus): boolean {
  if (action === "nothing" || action === "wait") return false;
  if (action === "classify") return true;
  return mayDo(action === "recover" ? "resubmit" : action, status).kind === "allowed";
}

function adviceOn(tally: RoundTally, facts: ViewFacts): Advice {
  const { failed: failures, retrying } = tally.nodes;
  const units = tally.failedUnits.length;
  if (facts.damaged.length > 0)
    return say("release", `${describeDamage(facts.damaged)}: a release plans its work again`);
  if (failures === 0 && units > 0)
    return say(
      "rescue",
      `no record says why ${plural(units, `${facts.unitWord} has`, `${facts.unitWord}s have`)} failed: a rescue tries again`,
    );
  const sumOf = (category: string) => tally.categories.find(({ key }) => key === category)?.failures ?? 0;
  const [most] = tally.codes;
  const isMost = most !== undefined && most.failures * 2 >= failures;
  const lacks = isMost ? lackOf(most) : null;
  return advise({
    failures,
    retrying,
    unclassified: tally.unclassified,
    site: suspectOf(tally, facts),
    badFiles: sumOf("data") * 2 >= failures ? tally.files.filter(({ bad }) => bad).map(({ file }) => file) : [],
    lacks,
    mostMemoryMb: isMost ? memoryCeiling(most, tally.killedAtMb, facts.request?.maxMemoryMb ?? null) : null,
    isPermanent: sumOf("permanent") * 2 >= failures,
    host: suspectHost(tally),
    nextVersionKeeps: facts.nextVersionKeeps ?? false,
  });
}

/** Sites by the nodes that failed there for a reason that may be the site's, each against the others. */
const comparedSites = (sites: readonly SiteCount[]) =>
  comparePlaces(sites.map(({ site, blamed, nodes }) => ({ place: site, failed: blamed, ran: nodes })));

/** It has most of the failures, and stands out among the sites; or nothing goes there any more. */
function suspectOf(tally: RoundTally, { possibleSites, bannedSites }: SiteFacts): SuspectSite | null {
  const [worst] = tally.sites;
  if (!worst || worst.failed * 2 <= tally.nodes.failed) return null;
  const name = worst.site;
  const found = comparedSites(tally.sites).find(({ place }) => place === name);
  const isBanned = bannedSites.includes(name);
  const hasOthers = sitesLeft(possibleSites, [name], bannedSites)?.length !== 0;
  if (!found || !(isBanned || (found.is === "stands-out" && hasOthers))) return null;
  return { name, here: found, elsewhere: found.elsewhere, isBanned };
}

const FEW = 3;
const MOST_SHARE = 0.6;

/** A worker with most of the failures, where several have some. */
function suspectHost({ hosts, nodes }: RoundTally): string | null {
  const [worst, another] = hosts;
  return worst && another && worst.failures >= FEW && worst.failures >= nodes.failed * MOST_SHARE ? worst.key : null;
}

/** What most of the failures share, in words; sites and workers only where they stand out. */
function commonOf(tally: RoundTally, site: SuspectSite | null): readonly string[] {
  const bad = tally.files.filter((file) => file.bad).length;
  const host = tally.hosts.find(({ key }) => key === suspectHost(tally));
  const of = (failures: number) => `${failures} of ${tally.nodes.failed}`;
  return [
    ...(site ? [`${of(tally.sites[0]?.failed ?? 0)} at ${site.name}`] : []),
    ...(host ? [`${of(host.failures)} on ${host.key}`] : []),
    ...(bad > 0 ? [`${plural(bad, "bad input file")}, by proof`] : []),
  ];
}
