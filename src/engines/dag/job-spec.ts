import { isAbsolute, resolve } from "node:path";
import type { Result } from "../../core/base/result.ts";
import type { NodeSpec } from "./dag-file.ts";
import { Fault, orFault } from "./lines.ts";
import { expand, parseSubmit, type ReadInclude, type SubmitFile } from "./submit-file.ts";
import { splitArguments, splitList, splitRemaps, unquoted } from "./submit-values.ts";

/** Commands that would change what runs and that this engine does not carry out: refused, not ignored. */
const REFUSED = new Set(
  (
    "max_retries retry_until success_exit_code docker_image container_image output_destination noop_job " +
    "deferral_time cron_minute cron_hour cron_day_of_month cron_month cron_day_of_week machine_count " +
    "grid_resource java_vm_args jar_files max_materialize max_idle hold environment env getenv input stdin initialdir args"
  ).split(" "),
);
const UNIVERSES = ["vanilla", "local", "scheduler", "5", "12", "7"];
const DEFAULT_MEMORY_MB = 128;

interface JobPlace {
  readonly cluster: number;
  readonly retry: number;
  /** The directory that relative names mean. */
  readonly cwd: string;
  readonly priority: number;
}

/** Reads a node's submit file as it is now, includes and all: each attempt may find other values in them. */
export const parseJobOf = (node: NodeSpec, at: JobPlace, read: ReadInclude): Result<JobSpec, string> =>
  orFault(() => {
    const readHere: ReadInclude = (path) => read(resolve(at.cwd, path));
    // $(JOB) and $(RETRY) may already be needed for the name of an include.
    const vars: (readonly [string, string])[] = [["JOB", node.name], ["RETRY", String(at.retry)], ...node.vars];
    return readJobSpec(parseSubmit(readHere(node.file), node.file, vars, readHere), node.name, at);
  });

/** Of requirements only what our submit files say of sites counts here: there is one worker, and it is this one. */
const refusedSites = (requirements: string | null): string[] =>
  [...(requirements ?? "").matchAll(/TARGET\.GLIDEIN_CMSSite =!= "([^"]*)"/g)].map((match) => match[1] as string);

/** The values of a submit file as they are at `queue`, each expanded when it is asked for. */
function valuesOf(file: SubmitFile, node: string, { cluster, retry }: JobPlace) {
  const values = new Map(file.values);
  for (const key of ["cluster", "clusterid"]) values.set(key, String(cluster));
  for (const key of ["process", "procid", "step", "row"]) values.set(key, "0");
  values.set("job", node);
  values.set("retry", String(retry));
  const get = (key: string): string | null => expand(values.get(key) ?? "", values).trim() || null;
  return {
    get,
    has: (key: string): boolean => values.has(key),
    refused: [...values.keys()].find((key) => REFUSED.has(key)),
    text: (key: string): string => unquoted(get(key) ?? ""),
    flag: (key: string, fallback: boolean): boolean =>
      ["true", "yes", "1"].includes(get(key)?.toLowerCase() ?? String(fallback)),
    whole: (key: string, fallback: number): number => {
      const value = get(key) ?? String(fallback);
      if (!/^-?\d{1,9}$/.test(value)) throw new Fault(`${key} = ${value} is not a whole number`);
      return Number(value);
    },
  };
}

/** A job as it will run here: every macro expanded, every path absolute. Plain data; it is kept as JSON. */
export type JobSpec = Readonly<ReturnType<typeof readJobSpec>>;

/** Throws a Fault. */
export function readJobSpec(file: SubmitFile, node: string, at: JobPlace) {
  const { get, has, refused, text, flag, whole } = valuesOf(file, node, at);
  const inside = (path: string): string => (isAbsolute(path) ? path : `${at.cwd}/${path}`);
  const path = (key: string): string | null => (["", "/dev/null"].includes(text(key)) ? null : inside(text(key)));

  if (refused) throw new Fault(`${refused} is not supported by the local engine`);
  const universe = get("universe") ?? "vanilla";
  if (!UNIVERSES.includes(universe.toLowerCase())) throw new Fault(`universe ${universe} is not supported`);
  const executable = get("executable");
  if (executable === null) throw new Fault("No 'executable' parameter was provided");
  const inputs = splitList(text("transfer_input_files"));
  const url = inputs.find((item) => item.includes("://"));
  if (url) throw new Fault(`transfer of ${url} is not supported by the local engine`);
  const desired = get("my.desired_sites");
  const wall = get("my.maxwalltimemins");
  return {
    cluster: at.cluster,
    node,
    executable: inside(executable),
    transferExecutable: flag("transfer_executable", true),
    arguments: splitArguments(get("arguments") ?? ""),
    /** The directory that relative names mean, and where outputs return to. */
    initialDir: at.cwd,
    /** False: the job runs in initialDir itself and nothing travels (HTCondor on one file system). */
    transfers: /^(yes|true)$/i.test(get("should_transfer_files") ?? "if_needed"),
    stdout: path("output"),
    stderr: path("error"),
    log: path("log"),
    /** A trailing slash means the contents of the directory. */
    inputs: inputs.map(inside),
    /** null: every new file at the top of the scratch directory. */
    outputs: has("transfer_output_files") ? splitList(text("transfer_output_files")) : null,
    remaps: splitRemaps(get("transfer_output_remaps") ?? ""),
    cpus: Math.max(1, whole("request_cpus", 1)),
    gpus: whole("request_gpus", 0),
    memoryMb: whole("request_memory", DEFAULT_MEMORY_MB),
    /** Only a memory that was asked for is enforced. */
    memoryAsked: get("request_memory") !== null,
    wallMinutes: wall !== null && /^\d+(\.\d+)?$/.test(wall) ? Number(wall) : null,
    /** null: any site. */
    desiredSites: desired === null ? null : splitList(unquoted(desired)),
    bannedSites: [...splitList(text("my.banned_sites")), ...refusedSites(get("requirements"))],
    attributes: [...file.attributes].map(([key, name]) => [name, get(key) ?? "undefined"] as const),
    ulogAttributes: splitList(text("ulog_execute_attrs")),
    priority: at.priority + whole("priority", 0),
  };
}
