import type { GraphWork } from "../../core/graph.ts";
import { isName, NAME_RULE } from "../../core/names.ts";
import type { IntakeRules } from "../../core/submission.ts";
import { Form } from "../../intake/reading/form.ts";
import { childPath } from "../../intake/reading/paths.ts";
import { readEnv } from "../../intake/reading/read-env.ts";
import { isRow } from "../../intake/reading/values.ts";
import { readPath } from "../read-path.ts";
import { checkSizes, readSizes, SIZE_HINTS, sizesFor, USUAL_JOB, type WrittenSizes } from "../read-sizes.ts";
import { expandAll } from "./expand.ts";
import { JobNames } from "./job-names.ts";
import { MAX_BYTES, MAX_JOBS, MAX_RANGE_VALUES } from "./limits.ts";
import { plainPath } from "./plain-path.ts";
import { readParameters } from "./read-each.ts";
import { readHooks } from "./read-hooks.ts";
import { type ForAll, type ReadJob, readJob } from "./read-job.ts";
import { columnsOf, countJobs, countRows } from "./rows.ts";
import { compileText, textAt } from "./texts.ts";
import { writtenBytes } from "./written-size.ts";

/** A graph's part of a document. All that can be wrong with its jobs, written out or not, is told at once. */
export function readGraph(top: Form, rules: IntakeRules): GraphWork {
  const usual = readSizes(top.section("resources"));
  const room = { left: MAX_RANGE_VALUES };
  const all: ForAll = {
    parameters: readParameters(top.section("parameters"), room),
    env: readEnv(top.section("env")),
    usual,
    sizes: readNamedSizes(top.section("sizes"), usual, rules),
    handlers: handlerNames(top),
    attached: top.section("attachments"),
    rules,
    room,
  };
  const entries = top.needed("jobs", "[{name, run}, …]")?.list(MAX_JOBS) ?? [];
  if (Array.isArray(top.row.jobs) && top.row.jobs.length === 0) top.problem("jobs", "names no job");
  const read = entries.map((entry) => readJob(entry, all)).filter((job) => job !== null);
  const clear = read.filter(({ isClear }) => isClear);
  const directory = top.needed("directory", "an absolute path: where the jobs run; `wms2 submit FILE` says it");
  const work: Omit<GraphWork, "hooks"> = {
    kind: "graph",
    directory: (directory && readPath(directory)) ?? "/",
    parameters: all.parameters,
    jobs: clear.map(({ template }) => template),
    ...(top.choice("changes", ["times", "contents"] as const, "times") === "contents" && { changes: "contents" }),
    namedHandlers: [...new Set(clear.flatMap(({ template }) => template.handlers))],
  };
  const isFitting = fits(work, top, rules);
  const names = isFitting ? check(work, clear, clear.length < entries.length) : null;
  const hooks = readHooks(top.section("on"), names);
  if (isFitting) nameFiles({ ...work, hooks }, read, top);
  return { ...work, hooks };
}

/** `sizes: {small: {cores, memory, …}}`: what jobs call by name. */
function readNamedSizes(form: Form, usual: WrittenSizes, rules: IntakeRules): ReadonlyMap<string, WrittenSizes> {
  const sizes = new Map<string, WrittenSizes>();
  for (const name of Object.keys(form.row)) {
    const spot = form.spot(name);
    const size = spot && Form.at(spot, "a size", "{cores, memory, time, disk, gpus}");
    if (!isName(name)) form.problem(name, "is not a name for a size", NAME_RULE);
    if (!size || !isName(name)) continue;
    sizes.set(name, readSizes(size, usual));
    size.close(SIZE_HINTS);
    checkSizes(sizesFor(sizes.get(name) ?? USUAL_JOB, rules), size, null, rules);
  }
  return sizes;
}

/** Those of `recovery`, which is read by others: here only what they are called. */
function handlerNames(top: Form): readonly string[] {
  const handlers = top.section("recovery").row.handlers ?? top.row.failure_handlers;
  if (!Array.isArray(handlers)) return [];
  return handlers.map((handler, index) =>
    isRow(handler) && isName(String(handler.name)) ? String(handler.name) : `handler${index + 1}`,
  );
}

/** Whether it may be written out at all; computed, not tried. */
function fits(work: Pick<GraphWork, "jobs" | "parameters">, top: Form, { maxNodesPerRound }: IntakeRules): boolean {
  const most = Math.min(MAX_JOBS, maxNodesPerRound);
  const jobs = countJobs(work);
  const bytes = jobs > most ? 0 : writtenBytes(work);
  const [sized, mostSized] = [Math.ceil(bytes / 1e6), MAX_BYTES / 1e6];
  if (jobs > most) top.problem("jobs", `would be ${jobs} jobs; a graph has at most ${most}`);
  else if (bytes > MAX_BYTES) top.problem("jobs", `would be ${sized} MB when written out; at most ${mostSized} MB`);
  else return true;
  return false;
}

/** Tells what is wrong once jobs are written out. Where some could not be read, those that name them say nothing wrong. */
function check(work: Omit<GraphWork, "hooks">, read: readonly ReadJob[], isPartial: boolean): JobNames | null {
  const { graph, faults } = expandAll(work);
  for (const { template, key, code, message } of faults.all) {
    const { path, notes } = read[template]!.spot;
    if (!isPartial || code !== "unknown") notes.problem(childPath(path, key), message);
  }
  return isPartial ? null : new JobNames(graph.jobs.map(({ name }) => name));
}

const MAX_PROGRAMS = 1000;

/**
 * Programs beside the document travel with it. Of another program's words the first that is "./…" does too, as the
 * script of an interpreter, unless some job makes it: what a job leaves says nothing about what it runs.
 */
function nameFiles(work: GraphWork, read: readonly ReadJob[], { notes }: Form): void {
  const made = new Set(read.flatMap(({ template }) => template.makes.map((path) => plainPath(path, work.directory))));
  const name = (program: string, words: readonly string[], path: string): void => {
    if (program.startsWith("./")) notes.commands.push({ path, argv: [program] });
    const script = program.startsWith("./") ? undefined : words.find((word) => word.startsWith("./"));
    if (script && !script.includes("{") && !made.has(plainPath(script, work.directory)))
      notes.files.push({ path, file: script, use: "script" });
  };
  for (const { spot, template } of read) {
    const [program = "", ...words] = template.argv;
    const text = compileText(program, columnsOf(template, work), () => {});
    const programs = new Set<string>();
    const rows = typeof text === "string" ? 1 : Math.min(MAX_JOBS, countRows(template.each));
    for (let row = 0; row < rows && programs.size < MAX_PROGRAMS; row++) programs.add(textAt(text, row));
    for (const one of programs) name(one, words, childPath(spot.path, "run"));
  }
  for (const { argv } of work.hooks) name(argv[0] ?? "", argv.slice(1), "on");
}
