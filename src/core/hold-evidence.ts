import { cut, listed, plural } from "./base/text.ts";
import { jobIndex } from "./names.ts";
import type { HoldReason } from "./request.ts";

type Evidence = Readonly<Record<string, unknown>>;
const MOST_LINES = 8;
const LONGEST = 300;

/**
 * What is known beside the message of a hold, in sentences for people; the evidence itself is for programs. What the message
 * or the counts of the request say anyway is not said again.
 */
export function describeEvidence({ message, evidence }: Pick<HoldReason, "message" | "evidence">): readonly string[] {
  const lines = Object.entries(evidence).flatMap(([key, value]) => {
    const known = KNOWN[key];
    return known ? known(value) : plainly(key, value);
  });
  return lines
    .filter((line) => line !== "" && !message.includes(line))
    .map((line) => cut(line, LONGEST))
    .slice(0, MOST_LINES);
}

const NOTHING = (): readonly string[] => [];
const rows = (value: unknown): readonly Evidence[] =>
  Array.isArray(value) ? value.filter(isFields) : isFields(value) ? [value] : [];
const isFields = (value: unknown): value is Evidence => typeof value === "object" && value !== null;
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const list =
  (label: string) =>
  (value: unknown): readonly string[] =>
    texts(value).length > 0 ? [`${label}: ${listed(texts(value), 5)}`] : [];

/** Fields that need more than their name; those of a round are in recovery/round/hold-round.ts. */
const KNOWN: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  ...Object.fromEntries(
    [
      "verdict",
      "unitsTotal",
      "unitsDone",
      "unitsFailed",
      "unitsPlanned",
      "failureRatio",
      "holdThreshold",
      "rescuesUsed",
      "maxRescues",
    ]
      .concat(["nodesFailed", "categories", "status", "actor", "reason", "unaccounted", "code", "step"])
      .map((key) => [key, NOTHING]),
  ),
  text: (value) => (typeof value === "string" && value !== "" ? [`the engine says: ${value}`] : []),
  failedUnits: (value) => list("failed")(texts(value).filter((unit) => jobIndex(unit) === null)),
  bannedSites: list("closed sites"),
  codes: (value) =>
    rows(value).map(({ name, meaning, failures }) => {
      const named = /^\d/.test(String(name)) ? `exit code ${name}` : String(name);
      return `${plural(Number(failures), "job")} failed with ${named}${meaning ? ` (${meaning})` : ""}`;
    }),
  sites: (value) => {
    const bySite = rows(value);
    // One site, as on a laptop, is no finding.
    if (bySite.length < 2) return [];
    return [`failed by site: ${bySite.map(({ site, failed, nodes }) => `${site} ${failed} of ${nodes}`).join(", ")}`];
  },
  badFiles: (value) => (isFields(value) ? list("bad input files")(value.named) : []),
  first: (value) => rows(value).map(firstFailure),
  damaged: (value) => [
    ...list("damaged")(value),
    ...rows(value)
      .slice(0, 3)
      .map(({ unit, path, why }) => `${unit}: ${path} ${why}`),
  ],
};

function firstFailure({ job, unit, node, at, reason }: Evidence): string {
  const name = job ?? (jobIndex(String(unit)) === null ? `${unit}/${node}` : null);
  return `first failure: ${name === null ? "" : `${name}, `}${String(at).slice(0, 19).replace("T", " ")} UTC: ${reason}`;
}

/** "input directory: /data": a field of any other hold. What has fields of its own is only for programs. */
function plainly(key: string, value: unknown): readonly string[] {
  const label = key.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`).replaceAll("_", " ");
  if (Array.isArray(value)) return list(label)(value.filter((one) => !isFields(one)).map(String));
  if (value === null || value === undefined || value === "" || isFields(value)) return [];
  return [`${label}: ${value}`];
}
