import { listed, percent, plural, quoted, thousands } from "../../core/base/text.ts";
import type { OperatorAction } from "../round/actions.ts";
import type { Rate } from "../stands-out.ts";

/**
 * What failures have in common and what to try against it, of one request or of many: whatever advises people or agents
 * goes by this. A hint; nothing acts on it.
 */
interface FailureFacts {
  /** Final ones, those that are retried without help, and those of the final ones that wait for a person. */
  readonly failures: number;
  readonly retrying: number;
  readonly unclassified: number;
  /** A site whose failures are the site's by their kind, and stand out against those elsewhere; null: none. */
  readonly site: SuspectSite | null;
  /** Input files there is proof against, if most of the failures are theirs. */
  readonly badFiles: readonly string[];
  /** Most of them lacked it. */
  readonly lacks: "memory" | "time" | null;
  /** Of memory there is no more to give than this; null: there is more. */
  readonly mostMemoryMb: number | null;
  /** Most of them are for good. */
  readonly isPermanent: boolean;
  /** A worker that has most of them; null: none. */
  readonly host: string | null;
  /** A corrected document goes on as the next version, which keeps what is done; else the same request takes it. */
  readonly nextVersionKeeps: boolean;
}

/** Causes more memory helps against; at the cap, recovery of single jobs has given up on raising it. */
const MEMORY_RULES: readonly (string | null)[] = ["too-much-memory", "memory", "bad-alloc", "memory-check"];

interface Kind {
  readonly cause: string | null;
  readonly rule: string | null;
}

export const lackOf = ({ cause, rule }: Kind): "memory" | "time" | null =>
  cause === "oom" || MEMORY_RULES.includes(rule) ? "memory" : cause === "walltime" ? "time" : null;

/** More is given by the recorded cause, and while there is more than jobs were killed with; else the most there is. */
export const memoryCeiling = (kind: Kind, killedAtMb: number | null, mostMb: number | null): number | null =>
  lackOf(kind) !== "memory" || (kind.cause === "oom" && killedAtMb !== null && killedAtMb < (mostMb ?? 0))
    ? null
    : mostMb;

export interface SuspectSite {
  readonly name: string;
  readonly here: Rate;
  readonly elsewhere: Rate;
  /** Nothing goes there any more. */
  readonly isBanned: boolean;
}

export interface Advice {
  readonly action: "nothing" | "wait" | "classify" | "recover" | "rescue" | "release" | "restart";
  readonly reason: string;
  /** To go with a release, as its body says it. */
  readonly modifications: {
    readonly site_bans?: readonly string[];
    readonly excluded_files?: readonly string[];
    readonly memory_mb?: number;
  };
  /** It needs a corrected document to be of any use. */
  readonly needsFile: boolean;
}

export const say = (
  action: Advice["action"],
  reason: string,
  modifications: Advice["modifications"] = {},
  needsFile = false,
): Advice => ({ action, reason, modifications, needsFile });

const MOST_FILES = 100;

export function advise(facts: FailureFacts): Advice {
  const { failures, retrying, unclassified, site, badFiles, lacks, mostMemoryMb, nextVersionKeeps } = facts;
  if (failures === 0 && retrying === 0) return say("nothing", "nothing has failed");
  if (failures === 0)
    return say("wait", `${plural(retrying, "failed job is", "failed jobs are")} retried automatically`);
  if (unclassified > 0) return say("classify", `no rule knows ${unclassified} of them: classify once for all`);
  if (badFiles.length > 0)
    return say(
      "release",
      `there is proof against ${plural(badFiles.length, "input file")} (${listed(badFiles, 2)}): leave ${badFiles.length === 1 ? "it" : "them"} out`,
      { excluded_files: badFiles.slice(0, MOST_FILES) },
    );
  if (site?.isBanned) return say("release", `most were at ${site.name}, which is banned: a release goes on elsewhere`);
  if (site) return say("release", `${suspicion(site)}: leave it out`, { site_bans: [site.name] });
  if (lacks !== null && mostMemoryMb === null)
    return say("recover", `most ran out of ${lacks}: run those again with more`);
  if (lacks === "memory" && mostMemoryMb !== null)
    return say("release", "most ran out of memory: give them the most a job may have, or raise that in the settings", {
      memory_mb: mostMemoryMb,
    });
  if (facts.isPermanent)
    return nextVersionKeeps
      ? say(
          "restart",
          "a retry changes nothing: correct the cause; the next version keeps what is done and unchanged",
          {},
          true,
        )
      : say(
          "release",
          "a retry changes nothing: correct the cause and go on with the corrected file; what is done stays",
          {},
          true,
        );
  const where = facts.host === null ? "" : `most of them on ${facts.host}; `;
  return say("rescue", `${where}the failures may be temporary: run what failed again`);
}

const suspicion = ({ name, here, elsewhere }: SuspectSite): string =>
  `the site is the likely cause: ${shareOf(here)} failed at ${name}, elsewhere ${shareOf(elsewhere)}`;
const shareOf = ({ failed, ran }: Rate): string =>
  `${thousands(failed)} of ${thousands(ran)} (${percent(ran > 0 ? failed / ran : 0)})`;

/** Whom a command is about: one request, or all that match. */
type Target =
  | { readonly name: string }
  | { readonly filter: Readonly<Record<string, unknown>>; readonly names: readonly string[] };

/** The advice as it is typed; null: nothing is to be typed. FILE and TEXT are for the person to fill in. */
export function commandFor({ action, modifications, needsFile }: Advice, target: Target): string | null {
  const names = "name" in target ? [target.name] : target.names;
  const [name = "NAME"] = names;
  switch (action) {
    case "nothing":
    case "wait":
      return null;
    case "classify":
      return `wms2 groups ${name}`;
    case "recover":
      return `wms2 recover ${names.join(" ")} --dry-run`;
    default: {
      // A corrected file is about one request.
      const which = "name" in target || needsFile ? name : `--filter ${pairs(target.filter)}`;
      const { site_bans: bans = [], excluded_files: files = [], memory_mb: memory } = modifications;
      const options = [
        ...bans.map((site) => `--ban ${quoted(site)}`),
        ...files.map((file) => `--exclude ${quoted(file)}`),
        ...(memory === undefined ? [] : [`--memory "${memory} MB"`]),
        ...(needsFile ? ["--from FILE"] : []),
        "--reason TEXT",
      ];
      return `wms2 ${action} ${which} ${options.join(" ")}`;
    }
  }
}

/** An action on one request as it is typed. */
export function actionCommand(action: OperatorAction, name: string): string {
  if (action === "submit") return `wms2 submit ${name}`;
  return `wms2 ${action} ${name}${action === "resubmit" ? " --failed" : ""} --reason TEXT`;
}

/** The same site left out by all requests, until the ban ends; null: no site is to be left out. */
export function everybodyCommand({ modifications: { site_bans: bans = [] } }: Advice): string | null {
  const [site] = bans;
  return site === undefined ? null : `wms2 sites ban ${quoted(site)} --reason TEXT`;
}

const pairs = (filter: Readonly<Record<string, unknown>>): string =>
  Object.entries(filter)
    .map(([key, value]) => `${key}=${quoted(String(value))}`)
    .join(" ");
