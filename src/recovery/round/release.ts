import { err, ok, type Result } from "../../core/base/result.ts";
import { listed, plural } from "../../core/base/text.ts";
import { releaseOf } from "../../core/holds.ts";
import { isSiteName, type SiteName } from "../../core/names.ts";
import type { Problem } from "../../core/problem.ts";
import { type ReleaseFieldName, type ReleaseModifications, releaseFields } from "../../core/release.ts";
import { FieldPath, flag, isRow, number, readStrictly, real, texts, whole } from "../fields.ts";
import { sitesLeft } from "./failed-units.ts";

/**
 * How a held request goes on. After failures the round is left behind: what finished is credited, the rest goes into
 * the next round (input) or is abandoned (generation), so nothing is repeated. Where the run was only cut off or lacked
 * something, or has all the work there is, or parts of files are done, or the person asks for it, the same run goes on by a rescue.
 */
export interface ReleaseFacts {
  readonly holdCode: string | null;
  /** There is a run that ended, with its submit directory and units left to do. */
  readonly canRescue: boolean;
  /** Its run was stopped and is ready to go on: nothing about it is changed any more. */
  readonly isStopped: boolean;
  /** One round has all its work, so no later one can take up what is left behind. */
  readonly isOneRound: boolean;
  /** So nobody knows any more which events its units were to make. */
  readonly isDirectoryGone: boolean;
  /** As the request says; the release may say otherwise. */
  readonly topsUp: boolean;
  readonly unitsUnfinished: number;
  /** Of these, by their own names, what their outputs show as done, where the run itself can tell no more. */
  readonly doneByOutputs: readonly string[];
  /** What people call a unit of this kind. */
  readonly unitWord: string;
  /** Files with parts done and parts not. */
  readonly tornFiles: number;
  /** Of the fields that only some kinds of requests allow, those of this one. */
  readonly kindFields: readonly string[];
  /** Most a job of it may ask for. */
  readonly maxMemoryMb: number;
  /** null: unknown their names. */
  readonly knownSites: readonly SiteName[] | null;
  readonly possibleSites: readonly SiteName[] | null;
  readonly bannedSites: readonly SiteName[];
  /** Of the files named, those the ledger knows; null: not looked up. */
  readonly knownFiles: ReadonlySet<string> | null;
}

interface Release {
  /**
   * `again`: what is left of the only round is planned again, for its run cannot go on · `plan`: no round was begun, or its files are
   * gone from disk; planning goes on where it was.
   */
  readonly how: "rescue" | "next-round" | "again" | "plan";
  readonly modifications: ReleaseModifications;
  readonly warnings: readonly string[];
  readonly reason: string;
}

export function decideRelease(
  facts: ReleaseFacts,
  body: unknown,
  asked: "rescue" | "next-round" | null = null,
): Result<Release, readonly Problem[]> {
  const read = readModifications(body, facts);
  if (!read.ok) return read;
  if (asked === "rescue" && !facts.canRescue)
    return err([{ path: "how", message: "there is no run a rescue could go on with", allowed: "next-round" }]);
  if (asked === "next-round" && facts.isStopped)
    return err([{ path: "how", message: "its run was only stopped: it goes on where it was", allowed: "rescue" }]);
  // What was lost with a directory was no fault of the work: it is made all the same, unless a person says otherwise.
  const topsUp = read.value.topUp ?? (facts.topsUp || facts.holdCode === "unit-directory-damaged");
  const { how, reason } = chooseHow({ ...facts, topsUp }, asked);
  const problems = how === "rescue" ? unheeded(facts, read.value) : [];
  if (problems.length > 0) return err(problems);
  const replaces =
    facts.holdCode === "unit-directory-damaged" && facts.kindFields.includes("top_up") && how === "next-round";
  const modifications = replaces ? { ...read.value, topUp: read.value.topUp ?? true } : read.value;
  return ok({ how, modifications, warnings: warn(facts, modifications, how), reason });
}

/** What a run that goes on would not obey. */
function unheeded({ isStopped }: ReleaseFacts, { excludedFiles, memoryMb }: ReleaseModifications): readonly Problem[] {
  const problems: Problem[] = [];
  if (excludedFiles.length > 0)
    problems.push({
      path: "excluded_files",
      message: "the run that goes on has jobs that read these files",
      allowed: isStopped ? "release it without, and exclude them when it is held again" : "how: next-round",
    });
  if (memoryMb !== null && isStopped)
    problems.push({
      path: "memory_mb",
      message: "its run was only stopped: it goes on with what its jobs ask for",
      allowed: "release it without; or release --from FILE with other resources",
    });
  return problems;
}

const unfinished = ({ unitsUnfinished, unitWord }: ReleaseFacts): string =>
  plural(unitsUnfinished, `unfinished ${unitWord}`);
/** Without those that are done all the same. */
const toRun = ({ unitsUnfinished, doneByOutputs, ...facts }: ReleaseFacts): string =>
  unfinished({ ...facts, doneByOutputs, unitsUnfinished: unitsUnfinished - doneByOutputs.length });

/** What becomes of them in the next round. */
function next({ unitsUnfinished, unitWord, isOneRound, kindFields, topsUp }: ReleaseFacts): string {
  const units = plural(unitsUnfinished, unitWord);
  if (isOneRound) return `${units} will not run`;
  if (!kindFields.includes("top_up")) return `${units} will be planned again`;
  return topsUp ? `${units} will be replaced` : `${units} will not run again`;
}

function chooseHow(facts: ReleaseFacts, asked: "rescue" | "next-round" | null): Pick<Release, "how" | "reason"> {
  const { holdCode, canRescue, isOneRound, tornFiles, unitsUnfinished } = facts;
  const left = unfinished(facts);
  if (asked === "rescue") return { how: "rescue", reason: `released: ${left} to be run again, as asked` };
  if (asked === "next-round") return { how: "next-round", reason: `released: ${next(facts)}, as asked` };
  const usual = releaseOf(holdCode);
  if (canRescue && (usual === "rescue" || isOneRound))
    return { how: "rescue", reason: `released: the run goes on${unitsUnfinished > 0 ? ` with ${left}` : ""}` };
  if (canRescue && tornFiles > 0)
    return {
      how: "rescue",
      reason: `released: ${left} to be run again, for ${plural(tornFiles, "file")} of theirs ${tornFiles === 1 ? "is" : "are"} partly done`,
    };
  if (isOneRound && unitsUnfinished > 0 && !canRescue)
    return { how: "again", reason: `released: ${toRun(facts)} planned again, what is done stays done` };
  if (usual !== "plan")
    return {
      how: "next-round",
      reason: `released: finished work is credited${unitsUnfinished > 0 ? `, ${next(facts)}` : ""}`,
    };
  return { how: "plan", reason: "released: planning goes on where it was" };
}

function warn(facts: ReleaseFacts, wanted: ReleaseModifications, how: Release["how"]): readonly string[] {
  const warnings: string[] = [];
  if (how === "rescue" && wanted.retries !== null)
    warnings.push("retries apply from the next round on: a rescue runs the DAG as it was written");
  if (how === "next-round" && facts.kindFields.includes("top_up") && facts.unitsUnfinished > 0) {
    const lost = `the events of ${unfinished(facts)} are given up`;
    if (facts.isDirectoryGone)
      warnings.push(`${lost}, and top_up cannot replace them: which they were is gone with the submit directory`);
    else if (!(wanted.topUp ?? facts.topsUp)) warnings.push(`${lost}; with top_up they are replaced`);
  }
  const { doneByOutputs, unitWord } = facts;
  const [are, they, them] = doneByOutputs.length === 1 ? ["is", "it makes", "it"] : ["are", "they make", "them"];
  if (how === "again" && doneByOutputs.length > 0)
    warnings.push(
      `${plural(doneByOutputs.length, unitWord)} without a report ${are} taken as done, for what ${they} is there and what waits for ${them} had begun (${listed(doneByOutputs)}): to have one run again, remove a file it makes first`,
    );
  if (how === "next-round" && facts.isOneRound && facts.unitsUnfinished > 0)
    warnings.push(`${unfinished(facts)} will never run: there is no round after this one`);
  if (how === "next-round" && facts.tornFiles > 0)
    warnings.push(`the rest of ${plural(facts.tornFiles, "partly done file")} is given up`);
  return warnings;
}

const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  releaseFields.flatMap(([name, { alias }]) => (alias ? [[alias, name]] : [])),
);
const MOST_RETRIES = 20;

const fieldsFor = (facts: ReleaseFacts) =>
  ({
    site_bans: { missing: [], read: (value: unknown, key: string, at: FieldPath) => readSites(value, key, at, facts) },
    excluded_files: {
      missing: [],
      read: (value: unknown, key: string, at: FieldPath) => readFiles(value, key, at, facts),
    },
    memory_mb: number(whole(1, facts.maxMemoryMb)),
    retries: number(whole(0, MOST_RETRIES)),
    hold_threshold: number(real(0, 1)),
    top_up: flag(),
  }) satisfies Record<ReleaseFieldName, unknown>;

function readModifications(body: unknown, facts: ReleaseFacts): Result<ReleaseModifications, readonly Problem[]> {
  const fields = fieldsFor(facts);
  const given = body ?? {};
  if (!isRow(given)) return err([{ path: "", message: "must be an object", allowed: Object.keys(fields).join(", ") }]);
  const at = new FieldPath();
  const row: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(given)) {
    const name = (Object.hasOwn(ALIASES, key) && ALIASES[key]) || key;
    if (Object.hasOwn(row, name)) at.wrong(key, `says the same as ${name}`, "one of them");
    row[name] = value;
  }
  const read = readStrictly(fields, row, at);
  if (read.top_up !== null && !facts.kindFields.includes("top_up"))
    at.wrong("top_up", "is for requests that generate events; input files are tried again anyway");
  if (at.problems.length > 0) return err(at.problems);
  return ok({
    siteBans: read.site_bans,
    excludedFiles: read.excluded_files,
    memoryMb: read.memory_mb,
    retries: read.retries,
    holdThreshold: read.hold_threshold,
    topUp: read.top_up,
  });
}

function readSites(value: unknown, key: string, at: FieldPath, facts: ReleaseFacts): readonly SiteName[] {
  const { knownSites, possibleSites, bannedSites } = facts;
  const named = [...new Set(texts().read(value, key, at))];
  const sites = named.filter((site, index): site is SiteName => {
    const isKnown = isSiteName(site) && (knownSites === null || knownSites.includes(site));
    if (!isKnown)
      at.wrong(`${key}[${index}]`, `"${site.slice(0, 100)}" is not a known site`, knownSites?.join(", ") ?? null);
    return isKnown;
  });
  const left = sitesLeft(possibleSites, sites, bannedSites);
  if (sites.length > 0 && left?.length === 0)
    at.wrong(key, "leaves no site where the request may run", "leave at least one, or lift a ban");
  return sites;
}

function readFiles(value: unknown, key: string, at: FieldPath, facts: ReleaseFacts): readonly string[] {
  const files = [...new Set(texts().read(value, key, at))];
  if (files.length > 0 && !facts.kindFields.includes("excluded_files"))
    at.wrong(key, "is for requests with input files; this one has none");
  else
    for (const [index, file] of files.entries())
      if (facts.knownFiles !== null && !facts.knownFiles.has(file))
        at.wrong(`${key}[${index}]`, `${file.slice(0, 200)} is no input file of this request`);
  return files;
}
