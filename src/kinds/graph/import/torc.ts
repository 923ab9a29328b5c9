import { stringify } from "../../../core/base/json.ts";
import { Form } from "../../../intake/reading/form.ts";
import type { Notes } from "../../../intake/reading/notes.ts";
import { isRow, keysIn, type Row } from "../../../intake/reading/values.ts";
import { plainName } from "./plain-name.ts";
import { readActions } from "./torc-actions.ts";
import { translateJob } from "./torc-job.ts";
import { TorcParameters } from "./torc-parameters.ts";
import { PatternSearch } from "./torc-patterns.ts";
import { readRecovery } from "./torc-recovery.ts";
import { readRequirements, SMALL_JOB } from "./torc-requirements.ts";
import { NamedTexts, readTables } from "./torc-tables.ts";
import { escaped, fill, fillAll, Room, rowsOf, TOO_MUCH } from "./torc-texts.ts";
import type { TorcWorld } from "./torc-world.ts";
import { mapsIn, pathFinder, type Translation } from "./translation.ts";

const OUR_JOB = keysIn("run after reads makes each when at_once");

/** Jobs with a command and nothing of our own form. */
export function isTorc(row: Row): boolean {
  const jobs = Array.isArray(row.jobs) ? row.jobs.filter(isRow) : [];
  return (
    !Object.hasOwn(row, "kind") &&
    jobs.some((job) => Object.hasOwn(job, "command")) &&
    !jobs.some((job) => OUR_JOB.some((key) => Object.hasOwn(job, key)))
  );
}

/** Of no effect here; all of Slurm, and of Torc's own runners and server. */
const IGNORED = keysIn(
  `slurm_schedulers slurm_defaults slurm_config resource_monitor compute_node_expiration_buffer_seconds
  compute_node_wait_for_new_jobs_seconds compute_node_ignore_workflow_completion compute_node_wait_for_healthy_database_minutes
  compute_node_min_time_for_new_jobs_seconds jobs_sort_method execution_config enable_ro_crate access_groups local_schedulers`,
);
/** Of our own form, for who adds it: where the jobs run, what travels, what happens to failures. */
const OURS = keysIn("directory attach priority requestor group campaign sites urgent retries throttles");
const KEYS: Readonly<Record<string, string>> = {
  run: "command",
  after: "depends_on",
  reads: "input_files",
  makes: "output_files",
  each: "parameters",
  resources: "resource_requirements",
  when: "cancel_on_blocking_job_failure",
  handler: "failure_handler",
  cores: "num_cpus",
  gpus: "num_gpus",
  time: "runtime",
};

/** What says the same, where the usual key does not. */
const OTHER_KEYS = [
  ["after", "depends_on_regexes"],
  ["reads", "input_file_regexes"],
  ["makes", "output_file_regexes"],
  ["each", "use_parameters"],
  ["each.table", "parameters_file"],
] as const;

/** A Torc workflow in our form. docs/guides/graph-imports.md says what becomes of what. */
export function translateTorc(row: Row, notes: Notes): Translation {
  const { top, isStrict } = withVariables(row, notes);
  const places = new Map<string, string>();
  const jobForms = mapsIn(top, "jobs");
  const used = new Set(jobForms.map(({ row }) => row.failure_handler));
  const { recovery, handlers, attachments } = readRecovery(top, used, places);
  const parameters = new TorcParameters(top);
  const world = { ...worldOf(top, jobForms, parameters), handlers, isStrict };
  const jobs = jobForms.flatMap((form) => {
    const made = translateJob(form, world);
    return made.map((job) => ({ form, job }));
  });
  for (const [index, { form }] of jobs.entries()) {
    places.set(`jobs[${index}]`, form.path);
    for (const [key, theirs] of OTHER_KEYS)
      if (form.spot(theirs) && !form.spot(KEYS[key.split(".")[0]!]!))
        places.set(`jobs[${index}].${key}`, form.pathOf(theirs));
  }
  const sizes = readRequirements(top, places);
  const isSmall = jobs.some(({ job }) => job.resources === undefined);
  if (isSmall)
    notes.warn("jobs", `those without resource_requirements get 1 core, ${SMALL_JOB.memory} and ${SMALL_JOB.time}`);
  const on = readActions(top, world);
  const shared = parameters.written(new Set(jobForms.flatMap((form) => parameters.of(form).uses)));
  const document = {
    ...nameOf(top),
    kind: "graph",
    ...carried(top),
    ...some({ sizes, parameters: shared, env: envOf(top), on }),
    ...(isSmall && { resources: SMALL_JOB }),
    ...some({ recovery: { ...recovery, ...top.section("recovery").row } }),
    jobs: jobs.map(({ job }) => job),
    ...some({ attachments: { ...top.section("attachments").row, ...attachments } }),
  };
  top.spot("dynamic_jobs")?.problem("jobs that make other jobs are not possible here", "all jobs in the document");
  for (const key of IGNORED) if (top.spot(key)) top.warn(key, "has no effect here");
  top.close();
  return { document, from: "Torc", pathOf: pathFinder(places, KEYS) };
}

/** Characters of a document when they are, at worst. */
const MAX_WITH_VARIABLES = 100_000_000;

/** Variables are put into all texts before anything else is looked at. */
function withVariables(row: Row, notes: Notes): { top: Form; isStrict: boolean } {
  const variables = new Form(row, "", notes).section("variables").row;
  const columns = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, [String(value)]]));
  const values = rowsOf({ how: "product", columns });
  if (!new Room(MAX_WITH_VARIABLES).has(stringify(row), values)) notes.problem("variables", TOO_MUCH);
  const { variables: _, attachments, ...others } = row;
  const filled = (notes.count === 0 ? fillAll(others, values, 0) : others) as Row;
  const top = new Form({ ...filled, ...(attachments !== undefined && { attachments }) }, "", notes);
  const parameters = [top, ...mapsIn(top, "jobs")].flatMap((form) => Object.keys(form.section("parameters").row));
  for (const name of new Set(parameters))
    if (Object.hasOwn(columns, name)) notes.problem(`variables.${name}`, "is also the name of a parameter");
  return { top, isStrict: values.columns.size > 0 };
}

function worldOf(
  top: Form,
  jobs: readonly Form[],
  parameters: TorcParameters,
): Omit<TorcWorld, "handlers" | "isStrict"> {
  const room = new Room();
  const tables = readTables(top, parameters, room);
  const search = new PatternSearch();
  const writers = new NamedTexts("user_data that a job writes", room);
  let names: readonly string[] | null = null;
  for (const form of jobs) {
    const rows = rowsOf(parameters.of(form).each);
    const wrong = (why: string) => form.problem("output_user_data", why);
    const name = String(form.row.name);
    if (form.spot("output_user_data"))
      form.warn("output_user_data", "what it writes through Torc's API is not seen: the data of the document counts");
    for (const { value } of form.list("output_user_data")) writers.add(String(value), name, rows, wrong);
    for (const spot of form.list("output_user_data_regexes"))
      for (const found of search.find(String(spot.value), tables.userData.names, spot))
        writers.add(found, name, rows, wrong);
  }
  const namesOf = (form: Form): readonly string[] => {
    const rows = rowsOf(parameters.of(form).each);
    const name = String(form.row.name);
    if (room.has(name, rows)) return Array.from({ length: rows.count }, (_, row) => fill(name, rows, row));
    form.problem("name", TOO_MUCH);
    return [];
  };
  const jobNames = (): readonly string[] => {
    names ??= jobs.flatMap(namesOf);
    return names;
  };
  return { ...tables, parameters, writers, jobNames, search, room };
}

function nameOf(top: Form): Row {
  const written = top.needed("name")?.value;
  const name = plainName(typeof written === "string" || typeof written === "number" ? String(written) : "");
  if (name !== written) top.warn("name", `the request is called ${name}`);
  return { name };
}

/** Said for people, and carried as it is. */
function carried(top: Form): Row {
  const { description, metadata, user, project } = top.row;
  top.knows("description", "metadata", "user", "project", "attachments", "recovery", ...OURS);
  const more = isRow(metadata) ? metadata : metadata === undefined ? {} : { torc: metadata };
  return {
    ...(typeof description === "string" && { description }),
    ...Object.fromEntries(OURS.filter((key) => Object.hasOwn(top.row, key)).map((key) => [key, top.row[key]])),
    ...some({ metadata: { ...more, ...(user !== undefined && { user }), ...(project !== undefined && { project }) } }),
  };
}

const envOf = (top: Form): Row =>
  Object.fromEntries(
    Object.entries(top.section("env").row).map(([key, value]) => [
      key,
      typeof value === "string" ? escaped(value) : value,
    ]),
  );

/** Those that have something in them. */
const some = (maps: Readonly<Record<string, Row>>): Row =>
  Object.fromEntries(Object.entries(maps).filter(([, map]) => Object.keys(map).length > 0));
