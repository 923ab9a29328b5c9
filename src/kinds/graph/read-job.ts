import { stringify } from "../../core/base/json.ts";
import { listed } from "../../core/base/text.ts";
import type { Each, JobTemplate } from "../../core/graph.ts";
import type { IntakeRules } from "../../core/submission.ts";
import { Form } from "../../intake/reading/form.ts";
import { readWords } from "../../intake/reading/read-command.ts";
import { readEnv } from "../../intake/reading/read-env.ts";
import type { Spot } from "../../intake/reading/values.ts";
import { checkSizes, readSizes, SIZE_HINTS, sizesFor, type WrittenSizes } from "../read-sizes.ts";
import { type Parameters, readEach, readParameters } from "./read-each.ts";
import type { RangeRoom } from "./read-values.ts";

/** What the document says for all jobs. */
export interface ForAll {
  readonly parameters: Parameters;
  readonly env: Readonly<Record<string, string>>;
  readonly usual: WrittenSizes;
  readonly sizes: ReadonlyMap<string, WrittenSizes>;
  readonly handlers: readonly string[];
  readonly attached: Form;
  readonly rules: IntakeRules;
  readonly room: RangeRoom;
}

const MAX_WORDS = 20_000;
export const COMMAND = '"./train.sh {seed}" or [program, word, …]';
/** What other systems call the same. */
const HINTS = {
  command: "write run",
  invocation_script: "put it into run",
  depends_on: "write after",
  depends_on_regexes: "write after, with globs",
  input: "write reads",
  input_files: "write reads",
  output: "write makes",
  output_files: "write makes",
  resource_requirements: "write resources",
  failure_handler: "write handler",
  parameter_mode: "write each: {zip: […]}",
  use_parameters: "write each",
  threads: "write resources: {cores}",
  cancel_on_blocking_job_failure: "write when: ended",
};

/** A job as far as it could be read. */
export interface ReadJob {
  readonly spot: Spot;
  readonly template: JobTemplate;
  /** What makes jobs of it and joins them to others could be read. */
  readonly isClear: boolean;
}

export function readJob(spot: Spot, all: ForAll): ReadJob | null {
  const form = Form.at(spot, "a job", "{name, run, after, reads, makes, each, …}");
  if (form === null) return null;
  const before = form.notes.count;
  const own = readParameters(form.section("parameters"), all.room);
  const joined = {
    name: form.needed("name", "what the job is called")?.text() ?? "",
    each: readEach(form.spot("each"), own, all.parameters, all.attached),
    after: readTexts(form.spot("after"), "the name of a job, or a glob"),
    reads: readPaths(form.spot("reads")),
    makes: readPaths(form.spot("makes")),
  };
  refuseVaried(form, joined.each, { ...all.parameters, ...own });
  const isClear = form.notes.count === before;
  const run = form.needed("run", COMMAND);
  const template: JobTemplate = {
    ...joined,
    argv: run ? readWords(run, "{}") : [],
    env: { ...all.env, ...readEnv(form.section("env")) },
    resources: readJobSizes(form, all),
    priority: form.integer("priority", { min: -1_000_000, max: 1_000_000 }, 0),
    atOnce: form.integer("at_once", { min: 1, max: 1_000_000 }, null),
    when: form.choice("when", ["done", "ended"] as const, "done"),
    handlers: readHandlers(form, all.handlers),
    retries: form.integer("retries", { min: 0, max: 100 }, null),
  };
  form.close(HINTS);
  return { spot, template, isClear };
}

/** A parameter with several values says nothing until `each` names it. */
function refuseVaried(form: Form, each: Each | null, known: Parameters): void {
  if (form.spot("each") !== null) return;
  const used = new Set([...stringify(form.row).matchAll(/\{([A-Za-z_]\w*)/g)].map(([, name]) => name!));
  for (const name of used) {
    const length = Object.hasOwn(known, name) ? known[name]!.length : 0;
    if (length > 1 && !Object.hasOwn(each?.columns ?? {}, name))
      form.problem("each", `is missing: ${name} has ${length} values`, `each: [${name}]`);
  }
}

/** One text or a list of them. `check` notes what else is wrong with one. */
export function readTexts(spot: Spot | null, what: string, check?: (entry: Spot) => void): readonly string[] {
  if (spot === null) return [];
  const entries = typeof spot.value === "string" ? [spot] : spot.list(MAX_WORDS);
  return entries.flatMap((entry) => {
    if (typeof entry.value !== "string" || entry.value === "") entry.mustBe(what);
    check?.(entry);
    return entry.text() ?? [];
  });
}

const readPaths = (spot: Spot | null): readonly string[] =>
  readTexts(spot, "the path of a file", (path) => {
    if (/[*?]/.test(String(path.value)))
      path.problem("is one file, not a pattern", 'name each file, or say after: "train-*"');
  });

/** `resources: {…}` on top of what the graph says for all, or the name of a size. */
function readJobSizes(form: Form, { usual, sizes, rules }: ForAll): JobTemplate["resources"] {
  const spot = form.spot("resources");
  if (spot === null) return sizesFor(usual, rules);
  if (typeof spot.value === "string") {
    const size = sizes.get(spot.value);
    if (!size) spot.unknown("is not one of the sizes", [...sizes.keys()], listed([...sizes.keys()], 8) || "sizes: {…}");
    return sizesFor(size ?? usual, rules);
  }
  const own = Form.at(spot, "a map of resources, or the name of a size", "{cores, memory, time, disk, gpus}");
  if (own === null) return sizesFor(usual, rules);
  const written = sizesFor(readSizes(own, usual), rules);
  own.close(SIZE_HINTS);
  checkSizes(written, own, null, rules);
  return written;
}

/** `handler: name` or `handlers: [names]`. */
function readHandlers(form: Form, known: readonly string[]): readonly string[] {
  const spot = form.spot(["handler", "handlers"]);
  const entries = spot === null ? [] : typeof spot.value === "string" ? [spot] : spot.list(100);
  for (const entry of entries)
    if (!known.includes(entry.value as string))
      entry.unknown("is not one of recovery.handlers", known, listed(known, 8) || "recovery: {handlers: [{name, …}]}");
  return [...new Set(entries.map(({ value }) => String(value)))];
}
