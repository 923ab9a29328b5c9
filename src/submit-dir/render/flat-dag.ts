import type { PlannedEdges } from "../../core/graph.ts";
import { jobName } from "../../core/names.ts";
import type { DagPlan, ProcessingNodePlan, UnitPlan } from "../../core/plan.ts";
import { CODES, ENDED_EARLY } from "../codes.ts";
import { dagHeader } from "../dag-header.ts";
import { includeFile } from "../include-file.ts";
import { partManifestText } from "../manifest.ts";
import {
  barrierName,
  besideDag,
  fromUnit,
  jobSubmitFile,
  NOOP_SUBMIT_FILE,
  program,
  type SubmitFile,
  softSetFile,
  TOP,
  UNIT,
  unitFolder,
} from "../names.ts";
import { bareName } from "../quote.ts";
import { type RenderOptions, statusInterval } from "./options.ts";
import { submitFile } from "./submit-files.ts";

/** What a graph has in place of units' directories: a folder for a thousand jobs. One is in memory at a time. */
export function* flatFiles(plan: DagPlan, options: RenderOptions): Generator<SubmitFile> {
  const { sizes, softSets } = plan.graph!;
  for (const [index, size] of sizes.entries())
    yield { path: jobSubmitFile(index), chunks: [submitFile("job", plan, options, size)] };
  yield { path: NOOP_SUBMIT_FILE, chunks: ["# Barriers do nothing: DAGMan never submits this.\n"] };
  for (const [index, set] of softSets.entries())
    if (set.length > FEW) yield { path: softSetFile(index), chunks: set.map((job) => `${placeOf(job)}\n`) };
  for (const [folder, units] of parts(plan.units)) {
    yield { path: `${folder}/${UNIT.manifest}`, chunks: [partManifestText(units, plan)] };
    yield { path: `${folder}/${UNIT.include}`, chunks: [includeFile(units[0]!, plan)] };
  }
}

/** So many soft jobs are arguments of a PRE; more are a list, which those share that wait for the same. */
const FEW = 20;
const placeOf = (job: number): string => `${unitFolder(jobName(job))}/${jobName(job)}`;
const softWords = (set: readonly number[], index: number): string =>
  set.length > FEW ? softSetFile(index) : set.map(placeOf).join(" ");

/** Units that share a folder follow each other. */
function* parts(units: Iterable<UnitPlan>): Generator<readonly [folder: string, units: readonly UnitPlan[]]> {
  let folder = "";
  let part: UnitPlan[] = [];
  for (const unit of units) {
    const own = unitFolder(unit.name);
    if (own !== folder && part.length > 0) {
      yield [folder, part];
      part = [];
    }
    folder = own;
    part.push(unit);
  }
  if (part.length > 0) yield [folder, part];
}

const CHUNK_CHARACTERS = 65_536;
/** DAGMan reads lines of 60 kB (23.9.6). */
const NAMES_PER_LINE = 1000;

/** One DAG for all jobs: a node each, barriers, and who waits for whom. */
export function* flatDag(plan: DagPlan, options: RenderOptions): Generator<string> {
  let chunk = "";
  for (const line of dagLines(plan, options)) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

function* dagLines(plan: DagPlan, options: RenderOptions): Generator<string> {
  const { groups, edges, softSets } = plan.graph!;
  const softArguments = softSets.map(softWords);
  yield dagHeader(plan).trimEnd();
  yield `CONFIG ${TOP.config}`;
  yield `NODE_STATUS_FILE ${besideDag(TOP.dag, "status")} ${statusInterval(plan.summary.units, options)}`;
  for (const { name, priority, nodes } of plan.units) {
    const { needs: sets = [], when } = nodes[0]!.job ?? {};
    // One that waits for an end only notes how it came: it runs again when those before it do.
    const looks = sets.map((set) => softArguments[set]);
    const needs = [...(when === "ended" && looks.length > 0 ? ["ended"] : []), ...looks]
      .map((word) => ` ${word}`)
      .join("");
    yield jobLines(bareName(name), priority, needs, nodes[0]!, options);
  }
  for (const { barrier } of edges) if (barrier !== null) yield `JOB ${barrierName(barrier)} ${NOOP_SUBMIT_FILE} NOOP`;
  for (const each of edges) yield* edgeLines(each);
  for (const [index, { atOnce }] of groups.entries()) yield `MAXJOBS ${category(index)} ${atOnce}`;
}

const category = (group: number): string => `group_${group}`;

/** As a nested unit's nodes have them (group-dag.ts). A job whose parents may have failed looks at that in its PRE. */
function jobLines(
  name: string,
  priority: number,
  needs: string,
  { job }: ProcessingNodePlan,
  options: RenderOptions,
): string {
  const { size, retries, group } = job!;
  const defer = `SCRIPT DEFER ${CODES.defer} ${options.deferPollSec}`;
  const [file, pre, post] = [jobSubmitFile(size), program("pre"), program("post")].map(fromUnit);
  const lines = [
    `JOB ${name} ${file} DIR ${unitFolder(name)}`,
    `${defer} PRE ${name} ${pre} $JOB $RETRY${needs}`,
    `${defer} POST ${name} ${post} $JOB $RETURN $RETRY $MAX_RETRIES $CLUSTERID`,
    `PRE_SKIP ${name} ${CODES.skip}`,
    `RETRY ${name} ${retries} UNLESS-EXIT ${CODES.stop}`,
    `ABORT-DAG-ON ${name} ${CODES.abort} RETURN ${ENDED_EARLY}`,
  ];
  if (priority !== 0) lines.push(`PRIORITY ${name} ${priority}`);
  if (group !== null) lines.push(`CATEGORY ${name} ${category(group)}`);
  return lines.join("\n");
}

function* edgeLines({ parents, children, barrier }: PlannedEdges): Generator<string> {
  const through = barrier === null ? null : barrierName(barrier);
  if (through !== null) {
    for (const names of listed(parents)) yield `PARENT ${names} CHILD ${through}`;
    for (const names of listed(children)) yield `PARENT ${through} CHILD ${names}`;
    return;
  }
  for (const before of listed(parents)) for (const after of listed(children)) yield `PARENT ${before} CHILD ${after}`;
}

function* listed(jobs: readonly number[]): Generator<string> {
  for (let at = 0; at < jobs.length; at += NAMES_PER_LINE)
    yield jobs
      .slice(at, at + NAMES_PER_LINE)
      .map(jobName)
      .join(" ");
}
