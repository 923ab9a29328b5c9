import { isAbsolute, resolve } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { expand, type SubmitFile } from "./submit-file.ts";
import { parseMemoryMb, splitArguments, splitEnvironment, splitList, splitRemaps } from "./submit-words.ts";

/** A job as it will run here: every macro expanded, every path absolute. Plain data; it is kept as JSON. */
export interface JobSpec {
  readonly cluster: number;
  readonly node: string;
  readonly executable: string;
  readonly transferExecutable: boolean;
  readonly arguments: readonly string[];
  readonly environment: readonly (readonly [string, string])[];
  /** The directory that relative names mean, and where outputs return to. */
  readonly initialDir: string;
  /** False: the job runs in initialDir itself and nothing travels (HTCondor on one file system). */
  readonly transfers: boolean;
  readonly stdin: string | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly log: string | null;
  /** A trailing slash means the contents of the directory. */
  readonly inputs: readonly string[];
  /** null: every new file at the top of the scratch directory. */
  readonly outputs: readonly string[] | null;
  readonly remaps: Readonly<Record<string, string>>;
  readonly cpus: number;
  readonly memoryMb: number;
  /** Only a memory that was asked for is enforced. */
  readonly memoryAsked: boolean;
  readonly wallMinutes: number | null;
  /** null: any site. */
  readonly desiredSites: readonly string[] | null;
  readonly bannedSites: readonly string[];
  readonly attributes: readonly (readonly [string, string])[];
  readonly ulogAttributes: readonly string[];
  readonly priority: number;
}

/** Commands that would change what runs and that this engine does not carry out: refused, not ignored. */
const REFUSED = new Set(
  (
    "max_retries retry_until success_exit_code docker_image container_image output_destination noop_job " +
    "deferral_time cron_minute cron_hour cron_day_of_month cron_month cron_day_of_week machine_count " +
    "grid_resource java_vm_args jar_files max_materialize max_idle"
  ).split(" "),
);
const UNIVERSES = ["vanilla", "local", "scheduler", "5", "12", "7"];
const DEFAULT_MEMORY_MB = 128;

export interface JobPlace {
  readonly cluster: number;
  readonly node: string;
  readonly retry: number;
  readonly cwd: string;
  readonly priority: number;
}

class Refusal extends Error {}

/** Of requirements only what our submit files say of sites counts here: there is one worker, and it is this one. */
const refusedSites = (requirements: string | null): string[] =>
  [...(requirements ?? "").matchAll(/TARGET\.GLIDEIN_CMSSite =!= "([^"]*)"/g)].map((match) => match[1] as string);

export function readJobSpec(file: SubmitFile, at: JobPlace): Result<JobSpec, string> {
  const values = new Map(file.values);
  const cluster = String(at.cluster);
  for (const key of ["cluster", "clusterid"]) values.set(key, cluster);
  for (const key of ["process", "procid", "step", "row"]) values.set(key, "0");
  values.set("job", at.node);
  values.set("retry", String(at.retry));

  const must = <T>(result: Result<T, string>): T => {
    if (!result.ok) throw new Refusal(result.error);
    return result.value;
  };
  const get = (key: string): string | null => {
    const raw = values.get(key);
    if (raw === undefined) return null;
    const value = must(expand(raw, values)).trim();
    return value === "" ? null : value;
  };
  const flag = (key: string, fallback: boolean): boolean => {
    const word = get(key)?.toLowerCase();
    return word === undefined ? fallback : ["true", "yes", "1"].includes(word);
  };
  const whole = (key: string, fallback: number): number => {
    const value = get(key);
    if (value !== null && !/^-?\d{1,9}$/.test(value)) throw new Refusal(`${key} = ${value} is not a whole number`);
    return value === null ? fallback : Number(value);
  };
  const text = (key: string): string | null => get(key)?.replace(/^"([\s\S]*)"$/, "$1") ?? null;

  try {
    const refused = [...values.keys()].find((key) => REFUSED.has(key));
    if (refused) throw new Refusal(`${refused} is not supported by the local engine`);
    const universe = get("universe") ?? "vanilla";
    if (!UNIVERSES.includes(universe.toLowerCase())) throw new Refusal(`universe ${universe} is not supported`);
    if (flag("hold", false)) throw new Refusal("hold = true is not supported by the local engine");
    const executable = get("executable");
    if (executable === null) throw new Refusal("No 'executable' parameter was provided");
    const initialDir = resolve(at.cwd, get("initialdir") ?? ".");
    const inside = (path: string): string => (isAbsolute(path) ? path : `${initialDir}/${path}`);
    const path = (key: string): string | null => {
      const value = text(key);
      return value === null || value === "/dev/null" ? null : inside(value);
    };
    const inputs = splitList(text("transfer_input_files") ?? "");
    const url = inputs.find((item) => item.includes("://"));
    if (url) throw new Refusal(`transfer of ${url} is not supported by the local engine`);
    const memory = get("request_memory");
    const memoryMb = memory === null ? DEFAULT_MEMORY_MB : parseMemoryMb(memory);
    if (memoryMb === null) throw new Refusal(`request_memory = ${memory} is not a size`);
    const outputs = values.has("transfer_output_files") ? splitList(text("transfer_output_files") ?? "") : null;
    const desired = text("my.desired_sites");
    const wall = get("my.maxwalltimemins");
    return ok({
      cluster: at.cluster,
      node: at.node,
      executable: inside(executable),
      transferExecutable: flag("transfer_executable", true),
      arguments: must(splitArguments(get("arguments") ?? get("args") ?? "")),
      environment: must(splitEnvironment(get("environment") ?? get("env") ?? "")),
      initialDir,
      transfers: /^(yes|true)$/i.test(get("should_transfer_files") ?? "if_needed"),
      stdin: path("input"),
      stdout: path("output"),
      stderr: path("error"),
      log: path("log"),
      inputs: inputs.map(inside),
      outputs,
      remaps: Object.fromEntries(must(splitRemaps(get("transfer_output_remaps") ?? ""))),
      cpus: Math.max(1, whole("request_cpus", 1)),
      memoryMb,
      memoryAsked: memory !== null,
      wallMinutes: wall !== null && /^\d+(\.\d+)?$/.test(wall) ? Number(wall) : null,
      desiredSites: desired === null ? null : splitList(desired),
      bannedSites: [...splitList(text("my.banned_sites") ?? ""), ...refusedSites(get("requirements"))],
      attributes: [...file.attributes].map(([key, name]) => [name, get(key) ?? "undefined"] as const),
      ulogAttributes: splitList(text("ulog_execute_attrs") ?? ""),
      priority: at.priority + whole("priority", 0),
    });
  } catch (error) {
    if (error instanceof Refusal) return err(error.message);
    throw error;
  }
}
