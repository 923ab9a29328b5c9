import { Document, isScalar, visit } from "yaml";
import type { RequestDetailView } from "../../operations/requests.ts";

type Row = Readonly<Record<string, unknown>>;
const rowsIn = (value: unknown): readonly Row[] => (Array.isArray(value) ? (value as Row[]) : []);

/** The request as YAML: one of jobs as it can be submitted again, any other as it was understood. */
export function documentText({ request_name: name, work, spec }: RequestDetailView): string {
  const { kind, summary: _, jobs, ...rest } = work;
  const document = Array.isArray(jobs) ? graphDocument(work, spec.recovery) : { ...rest, ...spec };
  const text = new Document({ name, kind, ...document }, { aliasDuplicateObjects: false });
  visit(text, {
    Seq(_, list) {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return text.toString({ lineWidth: 120, flowCollectionPadding: false });
}

const graphDocument = (
  { directory, parameters, jobs, hooks }: Row,
  recovery: RequestDetailView["spec"]["recovery"],
): Row => ({
  directory,
  // Those of several values stand with the jobs they make.
  ...filled({ parameters: constants(parameters as Readonly<Record<string, readonly string[]>>) }),
  jobs: rowsIn(jobs).map(jobEntry),
  ...filled({ on: hooksOf(rowsIn(hooks)) }),
  recovery: { ...recovery, handlers: recovery.handlers.map(handlerEntry) },
});

const constants = (parameters: Readonly<Record<string, readonly string[]>> = {}): Row =>
  Object.fromEntries(Object.entries(parameters).filter(([, values]) => values.length === 1));

function jobEntry({ name, argv, env, each, after, reads, makes, resources, ...rest }: Row): Row {
  const { how, columns, order } = (each ?? {}) as { how?: string; columns?: Row; order?: readonly string[] };
  const names = order ?? Object.keys(columns ?? {});
  const { priority, at_once, when, handlers, retries } = rest;
  return {
    name,
    ...(columns && { parameters: columns, each: how === "product" ? names : { zip: names } }),
    run: argv,
    ...filled({ after, reads, makes, env, handlers }),
    resources: sizes(resources as Readonly<Record<string, number>>),
    ...(priority !== 0 && { priority }),
    ...(at_once !== null && { at_once }),
    ...(when !== "done" && { when }),
    ...(retries !== null && { retries }),
  };
}

const handlerEntry = ({ name, roles, rules }: RequestDetailView["spec"]["recovery"]["handlers"][number]): Row => ({
  name,
  roles,
  rules: rules.map(({ delay_sec, wall_factor, memory_factor, stderr, script, match_all_exit_codes, ...rule }) => ({
    ...filled({ exit_codes: rule.exit_codes, causes: rule.causes, stderr, script }),
    ...(match_all_exit_codes && { match_all_exit_codes }),
    max_retries: rule.max_retries,
    ...(delay_sec !== null && { delay: `${delay_sec} s` }),
    ...(memory_factor !== null && { memory_factor }),
    ...(wall_factor !== null && { time_factor: wall_factor }),
  })),
});

const sizes = ({ cores, memory_mb, wall_minutes, disk_mb, gpus }: Readonly<Record<string, number>>): Row => ({
  cores,
  memory: `${memory_mb} MB`,
  time: `${wall_minutes} min`,
  disk: `${disk_mb} MB`,
  ...(gpus ? { gpus } : {}),
});

function hooksOf(hooks: readonly Row[]): Row {
  const of = (on: string) => hooks.filter((hook) => hook.on === on);
  const [start, end] = ["start", "end"].map((on) => of(on)[0]?.argv);
  const ended = of("jobs-ended").map(({ jobs, argv }) => ({ jobs, run: argv }));
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }), ...filled({ jobs_ended: ended }) };
}

/** Texts, lists and maps that have something in them. */
const filled = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => Object.keys(value ?? {}).length > 0));
