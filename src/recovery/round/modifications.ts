import { err, ok, type Result } from "../../base/result.ts";
import { isSiteName, type SiteName } from "../../domain/names.ts";
import type { ReleaseModifications } from "../../domain/operator.ts";
import type { Problem } from "../../domain/problem.ts";
import { flag, isRow, number, Place, readStrictly, real, texts, whole } from "../fields.ts";
import { sitesLeft } from "./failed-units.ts";

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
const MOST_RETRIES = 20;

const fieldsFor = (facts: ModificationFacts) => ({
  site_bans: { missing: [], read: (value: unknown, key: string, at: Place) => readSites(value, key, at, facts) },
  excluded_files: { missing: [], read: (value: unknown, key: string, at: Place) => readFiles(value, key, at, facts) },
  memory_mb: number(whole(1, facts.maxMemoryPerCoreMb * facts.cores)),
  retries: number(whole(0, MOST_RETRIES)),
  hold_threshold: number(real(0, 1)),
  top_up: flag(),
});

export function readModifications(
  body: unknown,
  facts: ModificationFacts,
): Result<ReleaseModifications, readonly Problem[]> {
  const fields = fieldsFor(facts);
  const given = body ?? {};
  if (!isRow(given)) return err([{ path: "", message: "must be an object", allowed: Object.keys(fields).join(", ") }]);
  const at = new Place();
  const row: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(given)) {
    const name = (Object.hasOwn(ALIASES, key) && ALIASES[key]) || key;
    if (Object.hasOwn(row, name)) at.wrong(key, `says the same as ${name}`, "one of them");
    row[name] = value;
  }
  const read = readStrictly(fields, row, at);
  if (read.top_up !== null && facts.kind !== "generate")
    at.wrong("top_up", "is for requests that generate events; input files are tried again anyway");
  if (at.problems.length > 0) return err(at.problems);
  return ok({
    siteBans: read.site_bans,
    excludedFiles: read.excluded_files,
    memoryMb: read.memory_mb,
    retries: read.retries,
    holdThreshold: read.hold_threshold,
    topUp: read.top_up,
    maxRescues: null,
  });
}

function readSites(value: unknown, key: string, at: Place, facts: ModificationFacts): readonly SiteName[] {
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

function readFiles(value: unknown, key: string, at: Place, facts: ModificationFacts): readonly string[] {
  const files = [...new Set(texts().read(value, key, at))];
  if (files.length > 0 && facts.kind !== "process")
    at.wrong(key, "is for requests with input files; this one has none");
  else
    for (const [index, file] of files.entries())
      if (facts.knownFiles !== null && !facts.knownFiles.has(file))
        at.wrong(`${key}[${index}]`, `${file.slice(0, 200)} is no input file of this request`);
  return files;
}
