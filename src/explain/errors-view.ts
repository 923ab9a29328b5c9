import { listed, plural } from "../base/text.ts";
import type { RequestStatus } from "../domain/request-status.ts";
import { mayDo } from "../recovery/round/actions.ts";
import type { Blocked } from "../recovery/round/blocked.ts";
import type { Example } from "../recovery/round/counts.ts";
import { describeDamage, type UnitDamage } from "../recovery/round/damage.ts";
import { type SiteFacts, sitesLeft } from "../recovery/round/failed-units.ts";
import type { CodeCount, RoundTally } from "../recovery/round/tally.ts";

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
    sites: failingSites.slice(0, MOST_SITES),
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
    suggestion: withCommand(suggestAction(tally, facts), facts.request ?? null),
  };
}

export const beyond = (all: readonly unknown[], listed: number): number => Math.max(0, all.length - listed);

/** What to try first, by what most of the failures have in common. A hint; nothing acts on it. */
interface Suggestion {
  readonly action: "nothing" | "classify" | "recover" | "retry" | "rescue" | "release" | "restart";
  /** To go with a release, as its body says it. */
  readonly modifications: {
    readonly site_bans?: readonly string[];
    readonly excluded_files?: readonly string[];
    readonly memory_mb?: number;
  };
  readonly reason: string;
}

/** Causes more memory helps against; at the cap, level 1 has given up on raising it. */
const MEMORY_RULES: readonly (string | null)[] = ["too-much-memory", "memory", "bad-alloc", "memory-check"];

/** As it is typed; null: nothing is to be done, or not in the present state. */
function withCommand(suggestion: Suggestion, request: ViewFacts["request"] | null) {
  const { action, modifications } = suggestion;
  if (!request || action === "nothing") return { ...suggestion, command: null };
  const { name, status } = request;
  if (action === "classify") return { ...suggestion, command: `wms2 groups ${name}` };
  if (mayDo(action === "recover" ? "resubmit" : action, status).kind !== "allowed")
    return { ...suggestion, command: null };
  if (action === "recover") return { ...suggestion, command: `wms2 recover ${name} --dry-run` };
  const { site_bans: bans = [], excluded_files: files = [], memory_mb: memory } = modifications;
  const options = [
    ...bans.map((site) => `--ban ${quoted(site)}`),
    ...files.map((file) => `--exclude ${quoted(file)}`),
    ...(memory === undefined ? [] : [`--memory "${memory} MB"`]),
    '--reason "as wms2 errors suggests"',
  ];
  return { ...suggestion, command: `wms2 ${action} ${name} ${options.join(" ")}` };
}

const quoted = (word: string): string => (/^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const say = (
  action: Suggestion["action"],
  reason: string,
  modifications: Suggestion["modifications"] = {},
): Suggestion => ({ action, reason, modifications });

function suggestAction(tally: RoundTally, facts: ViewFacts): Suggestion {
  const failures = tally.nodes.failed;
  if (facts.damaged.length > 0)
    return say("release", `${describeDamage(facts.damaged)}: a release plans its work again`);
  if (failures === 0 && tally.failedUnits.length === 0 && tally.nodes.retrying > 0)
    return say(
      "retry",
      `${plural(tally.nodes.retrying, "failed job")} to be tried again without help; wms2 retry does it now`,
    );
  if (failures === 0 && tally.failedUnits.length === 0) return say("nothing", "nothing has failed");
  if (failures === 0)
    return say(
      "rescue",
      `no record says why ${plural(tally.failedUnits.length, `${facts.unitWord} has`, `${facts.unitWord}s have`)} failed: a rescue tries again`,
    );
  if (tally.unclassified > 0)
    return say("classify", `a person has to classify ${plural(tally.unclassified, "failure")} no rule knows`);
  const [worst] = tally.sites;
  if (worst && worst.failed * 2 > failures && facts.bannedSites.includes(worst.site))
    return say("release", `most failures happened at ${worst.site}, which is banned: a release goes on elsewhere`);
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
  if (most && most.failures * 2 >= failures && canGetMore(most, tally, facts))
    return say(
      "recover",
      `most jobs ran out of ${most.cause === "oom" ? "memory" : "time"}: run those again with more`,
    );
  if (most && isMemory(most) && most.failures * 2 >= failures)
    return say(
      "release",
      "most jobs ran out of memory: give them the most a job may have, or raise that in the settings",
      { ...(facts.request && { memory_mb: facts.request.maxMemoryMb }) },
    );
  const permanent = tally.codes
    .filter(({ category }) => category === "permanent")
    .reduce((sum, code) => sum + code.failures, 0);
  if (permanent * 2 >= failures && permanent > 0)
    return say("restart", `most failures are permanent: fix what they name and restart it${howToCorrect(facts)}`);
  return say("rescue", `most failures may go away by themselves: try the failed ${facts.unitWord}s again`);
}

const howToCorrect = ({ nextVersionKeeps }: ViewFacts): string =>
  nextVersionKeeps
    ? ", a corrected file with --from FILE (or wms2 run FILE); the next version keeps what is done and unchanged"
    : "; a corrected request goes with --from FILE (with release --from what is done stays)";

/** By the recorded cause, and while there is more to give. */
const canGetMore = ({ cause }: CodeCount, { killedAtMb }: RoundTally, { request }: ViewFacts): boolean =>
  cause === "walltime" || (cause === "oom" && killedAtMb !== null && killedAtMb < (request?.maxMemoryMb ?? 0));

const isMemory = ({ cause, rule }: CodeCount): boolean => cause === "oom" || MEMORY_RULES.includes(rule);

/** More than half of all failures at one site, most of what ran there failed, and others do better. */
function badSite(tally: RoundTally, { possibleSites, bannedSites }: SiteFacts): string | null {
  const worst = tally.sites.find(({ site }) => !bannedSites.includes(site));
  if (!worst || worst.failed * 2 <= tally.nodes.failed || worst.blamed * 2 <= worst.nodes) return null;
  const elsewhere = tally.sites.some(({ site, nodes, failed }) => site !== worst.site && failed * 2 < nodes);
  const left = sitesLeft(possibleSites, [worst.site], bannedSites);
  return elsewhere && left?.length !== 0 ? worst.site : null;
}
