import { toEnd } from "../../core/base/slices.ts";

/**
 * Rescue files as DAGMan 23.9.6 writes them (version 2.0.1, partial): a header of comments with counts and the names of failed
 * nodes, then DONE and RETRY lines. Numbers run from 001 to 100; the highest is used by the next submission.
 */
export interface RescueFile {
  readonly done: ReadonlySet<string>;
  readonly retries: ReadonlyMap<string, number>;
  readonly failed: readonly string[];
  /** Lines that are neither comment, DONE nor RETRY. */
  readonly problems: readonly string[];
  /** The header's own count agrees with the DONE lines: the file was not cut. */
  readonly complete: boolean;
}

export const parseRescue = (text: string): RescueFile => toEnd(parseRescueInSlices(text));

export function* parseRescueInSlices(text: string): Generator<undefined, RescueFile> {
  const done = new Set<string>();
  const retries = new Map<string, number>();
  const problems: string[] = [];
  let failed: string[] = [];
  let premarked: string | null = null;
  let namesFollow = false;

  for (const [at, raw] of text.split("\n").entries()) {
    if (at % 500 === 0) yield;
    const line = raw.trim();
    if (line === "") continue;
    if (line.startsWith("#")) {
      const comment = line.slice(1).trim();
      if (namesFollow) {
        const names = comment.split(",").map((name) => name.trim());
        failed = failed.concat(names.filter((name) => name !== "" && name !== "<ENDLIST>"));
        namesFollow = !comment.includes("<ENDLIST>");
      } else if (comment.startsWith("Nodes premarked DONE:")) premarked = /:\s*(\d+)$/.exec(comment)?.[1] ?? null;
      else if (comment.startsWith("Nodes that failed:")) namesFollow = true;
      continue;
    }
    const [keyword = "", name, number] = line.split(/\s+/);
    if (/^done$/i.test(keyword) && name !== undefined) done.add(name);
    else if (/^retry$/i.test(keyword) && name !== undefined && /^\d+$/.test(number ?? ""))
      retries.set(name, Number(number));
    else problems.push(line.slice(0, 200));
  }
  const complete = premarked !== null && Number(premarked) === done.size;
  return { done, retries, failed, problems, complete };
}

/** One that says only what is done; retries are those of the DAG. */
export const renderDone = (dagName: string, done: readonly string[]): string =>
  [
    "# Rescue DAG file, created after running",
    `#   the ${dagName} DAG file`,
    "# Rescue DAG version: 2.0.1 (partial)",
    `# Nodes premarked DONE: ${done.length}`,
    "# Nodes that failed: 0",
    "#   <ENDLIST>",
    "",
    ...done.map((name) => `DONE ${name}`),
    "",
  ].join("\n");

/** The number of `<dag>.rescueNNN`, or null when the name is none (`.rescue001.old` is out of use). */
function rescueNumber(fileName: string, dagName: string): number | null {
  if (!fileName.startsWith(`${dagName}.rescue`)) return null;
  const digits = fileName.slice(dagName.length + ".rescue".length);
  return /^\d{3}$/.test(digits) ? Number(digits) : null;
}

export const rescueName = (dagName: string, number: number): string =>
  `${dagName}.rescue${String(number).padStart(3, "0")}`;

export function highestRescue(fileNames: Iterable<string>, dagName: string): number | null {
  let highest: number | null = null;
  for (const name of fileNames) {
    const number = rescueNumber(name, dagName);
    if (number !== null && (highest === null || number > highest)) highest = number;
  }
  return highest;
}
