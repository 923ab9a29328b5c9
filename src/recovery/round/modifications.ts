import { err, ok, type Result } from "../../base/result.ts";
import { isSiteName, type SiteName } from "../../domain/names.ts";
import type { Problem } from "../../domain/problem.ts";
import { Fields, isRow, real, whole } from "../fields.ts";
import { sitesLeft } from "./reelect.ts";

/** What a release changes. Stored on the request; the next plan or rescue applies it. Absent: as before. */
export interface Modifications {
  readonly siteBans: readonly SiteName[];
  readonly excludedFiles: readonly string[];
  readonly memoryMb: number | null;
  /** RETRY of processing nodes. Only a new plan can apply it: a rescue runs the DAG as it was written. */
  readonly retries: number | null;
  readonly holdThreshold: number | null;
  readonly topUp: boolean | null;
}
export const NO_MODIFICATIONS: Modifications = {
  siteBans: [],
  excludedFiles: [],
  memoryMb: null,
  retries: null,
  holdThreshold: null,
  topUp: null,
};

export interface ModificationFacts {
  readonly kind: "process" | "generate";
  readonly cores: number;
  readonly maxMemoryPerCoreMb: number;
  /** null: nobody knows their names. */
  readonly knownSites: readonly SiteName[] | null;
  readonly possibleSites: readonly SiteName[] | null;
  readonly bannedSites: readonly SiteName[];
  /** Of the files named, those the ledger knows; null: not looked up. */
  readonly knownFiles: ReadonlySet<string> | null;
}

/** The names of 000 §8.3 are understood too. */
const ALIASES: Readonly<Record<string, string>> = { retry_count: "retries", error_hold_threshold: "hold_threshold" };
const KEYS = ["site_bans", "excluded_files", "memory_mb", "retries", "hold_threshold", "top_up"] as const;
const MOST_RETRIES = 20;

export function readModifications(body: unknown, facts: ModificationFacts): Result<Modifications, readonly Problem[]> {
  if (body === null || body === undefined) return ok(NO_MODIFICATIONS);
  if (!isRow(body)) return err([{ path: "", message: "must be an object", allowed: KEYS.join(", ") }]);
  const problems: Problem[] = [];
  const given = new Map<string, unknown>();
  for (const [key, value] of Object.entries(body)) {
    const name = (Object.hasOwn(ALIASES, key) && ALIASES[key]) || key;
    if (given.has(name)) problems.push({ path: key, message: `says the same as ${name}`, allowed: "one of them" });
    given.set(name, value);
  }
  const row = Object.fromEntries(given);
  const from = new Fields(row, "", problems);
  from.refuseOthers([...KEYS]);
  const wanted: Modifications = {
    siteBans: readSites(from, facts),
    excludedFiles: readFiles(from, facts),
    memoryMb: from.number("memory_mb", whole(1, facts.maxMemoryPerCoreMb * facts.cores), null),
    retries: from.number("retries", whole(0, MOST_RETRIES), null),
    holdThreshold: from.number("hold_threshold", real(0, 1), null),
    topUp: from.has("top_up") ? from.flag("top_up", false) : null,
  };
  if (wanted.topUp !== null && facts.kind !== "generate")
    from.wrong("top_up", "is for requests that generate events; input files are tried again anyway");
  return problems.length > 0 ? err(problems) : ok(wanted);
}

function readSites(from: Fields, facts: ModificationFacts): readonly SiteName[] {
  const { knownSites, possibleSites, bannedSites } = facts;
  const named = [...new Set(from.texts("site_bans"))];
  const sites = named.filter((site, at): site is SiteName => {
    const isKnown = isSiteName(site) && (knownSites === null || knownSites.includes(site));
    if (!isKnown)
      from.wrong(`site_bans[${at}]`, `"${site.slice(0, 100)}" is not a known site`, knownSites?.join(", ") ?? null);
    return isKnown;
  });
  const left = sitesLeft(possibleSites, sites, bannedSites);
  if (sites.length > 0 && left?.length === 0)
    from.wrong("site_bans", "leaves no site where the request may run", "leave at least one, or lift a ban");
  return sites;
}

function readFiles(from: Fields, { kind, knownFiles }: ModificationFacts): readonly string[] {
  const files = [...new Set(from.texts("excluded_files"))];
  if (files.length > 0 && kind !== "process")
    from.wrong("excluded_files", "is for requests with input files; this one has none");
  else
    for (const [at, file] of files.entries())
      if (knownFiles !== null && !knownFiles.has(file))
        from.wrong(`excluded_files[${at}]`, `${file.slice(0, 200)} is no input file of this request`);
  return files;
}
