import type { SiteName } from "./names.ts";
import type { Revision } from "./request.ts";

/** What a release changes. Stored on the request; the next plan or rescue applies it. null: as before. */
export interface ReleaseModifications {
  readonly siteBans: readonly SiteName[];
  readonly excludedFiles: readonly string[];
  readonly memoryMb: number | null;
  /** RETRY of processing nodes. */
  readonly retries: number | null;
  readonly holdThreshold: number | null;
  readonly topUp: boolean | null;
  /** By a corrected request; its attachments took the place of the old ones. */
  readonly revision?: Revision | null;
  /** When commands or attachments last changed: what jobs showed before says nothing of those to come. */
  readonly commandsSince?: string | null;
}

interface ReleaseField {
  readonly key: keyof ReleaseModifications;
  readonly about: string;
  /** Another name for it on the wire. */
  readonly alias?: string;
  /** Options of the command line, with their help, and what is typed after them. */
  readonly flags: Readonly<Record<string, string>>;
  readonly typed?: "texts" | "megabytes" | "number";
}

/**
 * Every field of a release, by its name on the wire: API, command line and views read this table. Which values are
 * allowed depends on the request: recovery/round/release.ts.
 */
const RELEASE_FIELDS = {
  site_bans: {
    key: "siteBans",
    about: "a list of site names",
    flags: { "--ban <site>": "leave this site out for a week; may be repeated" },
    typed: "texts",
  },
  excluded_files: {
    key: "excludedFiles",
    about: "a list of input files",
    flags: { "--exclude <file>": "leave this input file out; may be repeated" },
    typed: "texts",
  },
  memory_mb: {
    key: "memoryMb",
    about: "megabytes, a whole number",
    flags: { "--memory <size>": 'give jobs this much, like "3 GB"' },
    typed: "megabytes",
  },
  retries: {
    key: "retries",
    about: "how often a job is retried, 0…20",
    alias: "retry_count",
    flags: { "--retries <number>": "how often a job is retried" },
    typed: "number",
  },
  hold_threshold: {
    key: "holdThreshold",
    about: "share of failed units at which it is held, 0…1",
    alias: "error_hold_threshold",
    flags: { "--threshold <share>": "hold it at this share of failed units, 0 to 1" },
    typed: "number",
  },
  top_up: {
    key: "topUp",
    about: "true or false: replace abandoned events",
    flags: { "--top-up": "replace the events of work units that are given up", "--no-top-up": "do not replace them" },
  },
} as const satisfies Record<string, ReleaseField>;

export type ReleaseFieldName = keyof typeof RELEASE_FIELDS;
type Alias = Extract<(typeof RELEASE_FIELDS)[ReleaseFieldName], { alias: string }>["alias"];
export type ReleaseName = ReleaseFieldName | Alias;
export const releaseFields = Object.entries(RELEASE_FIELDS) as [ReleaseFieldName, ReleaseField & { alias?: Alias }][];
