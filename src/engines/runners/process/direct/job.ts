import { statSync } from "node:fs";
import { parseJson } from "../../../../core/base/json.ts";
import { isName } from "../../../../core/names.ts";
import { program, REPORT, RUN, UNIT } from "../../../../submit-dir/names.ts";
import { readText } from "../../../dag/dag-files.ts";
import type { JobSpec } from "../../../dag/job-spec.ts";
import type { Ours } from "./ours.ts";

/** What the manifest says of a job that is run directly. Plain data; it is kept with the task. */
export interface DirectJob {
  readonly directory: string;
  readonly argv: readonly string[];
  /** What it sees of its request, and its own variables. */
  readonly env: readonly (readonly [string, string])[];
  readonly reads: readonly string[];
  readonly makes: readonly string[];
}

interface Manifest {
  readonly stamp: string;
  readonly head: Readonly<Record<string, unknown>>;
  readonly headText: string;
  /** Node → its line. */
  readonly lines: ReadonlyMap<string, string>;
}

/** More would not fit on a command line. */
const MOST_FILES = 500;
const MOST_MANIFESTS = 8;

/**
 * Jobs of a graph that need no worker program around them: their command is started by the shell that would start
 * bin/run.sh. Only what did not simply end well is left to run.sh, which then says how it ended (payload/worker/job.sh).
 */
export class DirectJobs {
  private readonly ours: Ours;
  private readonly manifests = new Map<string, Manifest>();

  constructor(ours: Ours) {
    this.ours = ours;
  }

  /** The job, and a manifest with nothing but it; null: it has to be run as any other. */
  find(spec: JobSpec) {
    const { executable, arguments: words, inputs, outputs, node } = spec;
    const path = inputs.find((input) => input.endsWith(`/${UNIT.manifest}`));
    if (words.join(" ") !== `job ${node}` || !isName(node) || outputs?.join() !== REPORT || path === undefined)
      return null;
    if (!spec.transfers || !spec.transferExecutable || spec.stdout === null || spec.stderr === null) return null;
    if (!this.ours.is(executable, program(RUN))) return null;
    const manifest = this.manifestAt(path);
    const line = manifest?.lines.get(node);
    if (!manifest || line === undefined) return null;
    const job = readJob(manifest.head, line);
    /** Neither the program nor the jobs beside it travel. */
    const staged = { transferExecutable: false, inputs: inputs.filter((input) => input !== path) };
    return job && { job, staged, manifest: `${manifest.headText}${line}\n}\n}\n` };
  }

  private manifestAt(path: string): Manifest | null {
    const found = statSync(path, { throwIfNoEntry: false });
    const stamp = `${found?.ino} ${found?.size} ${found?.mtimeMs}`;
    const known = this.manifests.get(path);
    if (known?.stamp === stamp) return known;
    const text = readText(path);
    if (!text.ok) return null;
    if (this.manifests.size >= MOST_MANIFESTS) this.manifests.clear();
    const manifest = { stamp, ...takeApart(text.value) };
    this.manifests.set(path, manifest);
    return manifest;
  }
}

function takeApart(text: string): Omit<Manifest, "stamp"> {
  const nodes = '\n"nodes":{\n';
  const at = text.indexOf(nodes);
  const head = parseJson(`${text.slice(0, Math.max(0, at))}\n"nodes":{}}`);
  const lines = text.slice(at + nodes.length).matchAll(/^"([^"]+)":.*?(?=,?$)/gm);
  return {
    head: (at >= 0 && head.ok ? head.value : {}) as Record<string, unknown>,
    headText: text.slice(0, at + nodes.length),
    lines: new Map(Array.from(lines, ([line, node = ""]) => [node, line])),
  };
}

const isWord = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
const areWords = (value: unknown): value is string[] => Array.isArray(value) && value.every(isWord);

function readJob({ directory, changes, request, round }: Manifest["head"], line: string): DirectJob | null {
  const parsed = parseJson(`{${line}}`);
  const [entry] = parsed.ok ? Object.values(parsed.value as Record<string, Record<string, unknown>>) : [];
  const { name, argv, env = {}, reads, makes, seed, products } = entry ?? {};
  // Products are made under another name and verified: that is for the worker's program.
  if (products !== undefined) return null;
  if (changes === "contents" || !isWord(directory) || !directory.startsWith("/")) return null;
  if (!areWords(argv) || !argv[0] || !areWords(reads) || !areWords(makes)) return null;
  if (reads.length + makes.length > MOST_FILES || [...reads, ...makes].includes("")) return null;
  const own = Object.entries(env as Record<string, unknown>);
  if (!own.every(([key, value]) => /^[A-Za-z_]\w*$/.test(key) && isWord(value))) return null;
  const told = { WMS2_REQUEST: request, WMS2_ROUND: round, WMS2_JOB: name, WMS2_SEED: seed };
  const said = Object.entries(told).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const all = [...said.map(([key, value]): [string, string] => [key, String(value)]), ...(own as [string, string][])];
  return { directory, argv, env: all, reads, makes };
}
