import { toEnd } from "../../core/base/slices.ts";
import type { Edges, Graph, GraphJob, GraphWork, JobTemplate } from "../../core/graph.ts";
import { joinEdges } from "./edges.ts";
import { Faults, quoted } from "./faults.ts";
import { findCycles } from "./find-cycles.ts";
import { MAX_NAME } from "./limits.ts";
import { plainPath } from "./plain-path.ts";
import { columnsOf, countRows } from "./rows.ts";
import { compileText, compileTexts, type JobText, textAt } from "./texts.ts";

/** A template ready to make jobs. `after` is only looked at for edges. */
export interface Expansion {
  readonly template: number;
  /** Index of its first job, and how many it makes. */
  readonly first: number;
  readonly rows: number;
  readonly after: readonly JobText[];
  /** Whether all of its jobs read the same. */
  readonly sharesReads: boolean;
}

/** So many jobs are written out or looked at between two pauses. */
const SLICE = 500;

/**
 * Every job written out, with what comes before it, and all that is wrong with it; a work that passed intake has no faults.
 * The same work always gives the same graph. Pauses are offered: there may be 200,000 jobs.
 */
export function* expandInSlices(
  work: Omit<GraphWork, "hooks">,
): Generator<undefined, { readonly graph: Graph; readonly faults: Faults }> {
  const faults = new Faults();
  const jobs: GraphJob[] = [];
  const groups: { name: string; atOnce: number }[] = [];
  const expansions: Expansion[] = [];
  for (const [index, template] of work.jobs.entries()) {
    const columns = columnsOf(template, work);
    const compile = (key: string) => (text: string) =>
      compileText(text, columns, (why) => faults.add(index, key, "text", why));
    const group = template.atOnce === null ? null : groups.push({ name: template.name, atOnce: template.atOnce }) - 1;
    const first = jobs.length;
    const rows = countRows(template.each);
    const { make, sharesReads } = jobMaker(template, work.directory, compile, group);
    for (let row = 0; row < rows; row++) {
      jobs.push(make(first + row, row));
      if (row % SLICE === 0) yield;
    }
    expansions.push({ template: index, first, rows, after: template.after.map(compile("after")), sharesReads });
  }
  yield* checkNames(jobs, expansions, faults);
  yield* checkPaths(jobs, expansions, faults);
  const edges: readonly Edges[] = yield* joinEdges(jobs, expansions, faults);
  yield* findCycles(jobs, edges, expansions, faults);
  return { graph: { jobs, edges, groups }, faults };
}

export const expandAll = (work: Omit<GraphWork, "hooks">) => toEnd(expandInSlices(work));

type Compile = (key: string) => (text: string) => JobText;

function jobMaker(template: JobTemplate, directory: string, compile: Compile, group: number | null) {
  const { env, resources, priority, when, handlers, retries } = template;
  const name = compile("name")(template.name);
  const argv = compileTexts(template.argv.map(compile("run")));
  const path = (text: JobText): JobText =>
    typeof text === "string" ? plainPath(text, directory) : (row) => plainPath(text(row), directory);
  const reads = template.reads.map(compile("reads")).map(path);
  const readsOf = compileTexts(reads);
  const makesOf = compileTexts(template.makes.map(compile("makes")).map(path));
  const variables = Object.entries(env).map(([key, value]) => [key, compile("env")(value)] as const);
  const differs = variables.some(([, value]) => typeof value !== "string");
  const envAt = (row: number) => Object.fromEntries(variables.map(([key, value]) => [key, textAt(value, row)]));
  const sharedEnv = differs ? null : envAt(0);
  const make = (index: number, row: number): GraphJob => ({
    index,
    name: textAt(name, row),
    argv: argv(row),
    env: sharedEnv ?? envAt(row),
    reads: readsOf(row),
    makes: makesOf(row),
    resources,
    priority,
    when,
    handlers,
    retries,
    group,
  });
  return { make, sharesReads: reads.every((text) => typeof text === "string") };
}

/** At least one character, no blank at either end, nothing that would move a cursor, no sign of a glob. */
function nameProblem(name: string): string | null {
  if (name.length > MAX_NAME) return `has ${name.length} characters; at most ${MAX_NAME}`;
  if (PLAIN.test(name)) return null;
  if (name.trim() !== name || name === "") return "is empty, or begins or ends with a blank";
  if (UNPRINTABLE.test(name)) return "has a character that cannot be printed";
  return /[*?]/.test(name) ? "has a * or ?, which are for globs" : null;
}
const PLAIN = /^[\w.:/-]+$/;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** A value may be empty, or make of a path what is none: it would be found out only when the job has run. */
function* checkPaths(
  jobs: readonly GraphJob[],
  expansions: readonly Expansion[],
  faults: Faults,
): Generator<undefined> {
  for (const { template, first, rows } of expansions)
    for (let index = first; index < first + rows; index++) {
      if (index % SLICE === 0) yield;
      const { name, reads, makes, argv } = jobs[index]!;
      const about = (key: string, why: string) => faults.add(template, key, "path", `of ${quoted(name)} ${why}`);
      for (const [key, paths] of [
        ["reads", reads],
        ["makes", makes],
      ] as const)
        for (const path of paths) {
          const why = pathProblem(path);
          if (why !== null) about(key, why);
        }
      if (argv[0]?.trim() === "") about("run", "names no program: its first word is empty");
    }
}

function pathProblem(path: string): string | null {
  if (PLAIN.test(path) && path.length > 1) return null;
  if (path.trim() === "" || path === "/") return `is no file: ${quoted(path)}`;
  if (/[*?]/.test(path)) return `is one file, not a pattern: ${quoted(path)}`;
  return UNPRINTABLE.test(path) ? `has a character that cannot be printed: ${quoted(path)}` : null;
}

function* checkNames(
  jobs: readonly GraphJob[],
  expansions: readonly Expansion[],
  faults: Faults,
): Generator<undefined> {
  const owners = new Map<string, number>();
  for (const { template, first, rows } of expansions) {
    for (let index = first; index < first + rows; index++) {
      if (index % SLICE === 0) yield;
      const { name } = jobs[index]!;
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, template);
      else if (owner === template)
        faults.add(template, "name", "twice", `makes ${quoted(name)} more than once; put into it all that each lists`);
      else faults.add(template, "name", "twice", `${quoted(name)} is also made by jobs[${owner}]`);
      const why = nameProblem(name);
      if (why !== null) faults.add(template, "name", "name", `${quoted(name)} ${why}`);
    }
  }
}
