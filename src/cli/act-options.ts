import { type Command, InvalidArgumentError } from "commander";
import { WorldError } from "../base/errors.ts";
import { parseDuration, parseSize, SIZE_FORMS } from "../intake/units.ts";
import { collect } from "./settings.ts";

/** What every action of an operator understands. */
export interface ActOptions {
  readonly reason: string;
  readonly dryRun?: boolean;
  readonly filter?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

export interface ReleaseOptions {
  readonly ban?: readonly string[];
  readonly exclude?: readonly string[];
  readonly memory?: number;
  readonly retries?: number;
  readonly threshold?: number;
  readonly topUp?: boolean;
  readonly how?: string;
  readonly cleanupPolicy?: string;
}

export function addActOptions(command: Command): Command {
  return command
    .argument("[names...]", "the requests")
    .requiredOption("--reason <text>", "why; it is kept with the request")
    .option("--filter <key=value...>", "all requests that match: status=, campaign=, requestor=, name=")
    .option("--dry-run", "only say what would be done")
    .option("--yes", "do not ask before a --filter is carried out")
    .option("--json", "as JSON");
}

export function addReleaseOptions(command: Command): Command {
  return command
    .option("--ban <site>", "leave this site out for a week; may be repeated", collect)
    .option("--exclude <file>", "leave this input file out; may be repeated", collect)
    .option("--memory <size>", 'give jobs this much, like "3 GB"', megabytes)
    .option("--retries <number>", "try a job so often again", number)
    .option("--threshold <share>", "hold it at this share of failed units, 0 to 1", number)
    .option("--top-up", "replace the events of work units that are given up")
    .option("--no-top-up", "do not replace them")
    .option("--how <way>", "rescue: go on with the same run; next-round: leave it behind");
}

/** The fields of a release as the API wants them. */
export const releaseBody = (options: ReleaseOptions): Readonly<Record<string, unknown>> =>
  given({
    site_bans: options.ban,
    excluded_files: options.exclude,
    memory_mb: options.memory,
    retries: options.retries,
    hold_threshold: options.threshold,
    top_up: options.topUp,
    how: options.how,
    cleanup_policy: options.cleanupPolicy,
  });

export const given = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const FILTER_KEYS: readonly string[] = ["status", "campaign", "requestor", "name"];

/** `status=held campaign=Run2026A` as the API's filter; a status may come several times. */
export function filterBody(words: readonly string[]): Readonly<Record<string, unknown>> {
  const filter: Record<string, string | string[]> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    const key = word.slice(0, at);
    const value = word.slice(at + 1);
    if (at < 1 || !FILTER_KEYS.includes(key) || value === "")
      throw new WorldError("bad-usage", "--filter", `--filter does not understand "${word}"`, {
        hint: `for example: --filter status=held campaign=Run2026A (${FILTER_KEYS.join(", ")})`,
      });
    if (key === "status") filter.status = [...((filter.status as string[] | undefined) ?? []), ...value.split(",")];
    else filter[key] = value;
  }
  return filter;
}

export function megabytes(word: string): number {
  const bytes = parseSize(word);
  if (bytes !== null && bytes >= 1e6) return Math.ceil(bytes / 1e6);
  throw new InvalidArgumentError(`It must be a size with its unit: ${SIZE_FORMS}.`);
}

export function minutes(word: string): number {
  const seconds = parseDuration(word);
  if (seconds !== null && seconds > 0) return Math.ceil(seconds / 60);
  throw new InvalidArgumentError('It must be a time with its unit: "90 min", "8 h".');
}

function number(word: string): number {
  if (word.trim() !== "" && Number.isFinite(Number(word))) return Number(word);
  throw new InvalidArgumentError("It must be a number.");
}
