import { jsonValue, parseJson, stringify } from "../core/base/json.ts";
import { addRanges, joinRanges } from "../core/base/ranges.ts";
import { isSiteName, type SiteName } from "../core/names.ts";
import { outputPaths } from "../core/output-names.ts";
import { parallelSteps } from "../core/parallel-steps.ts";
import type { DagPlan, PlannedOutput, PlannedStep, ProcessingNodePlan, UnitPlan } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import type { InputFile } from "../core/workflow.ts";

/** Where the outputs of a request go; absolute. */
export interface StorageDirs {
  /** Each unit has a directory in it for what its jobs stage out. */
  readonly unmergedDir: string;
  /** Merged files end up here, in a directory per output. */
  readonly mergedDir: string;
}

/**
 * manifest.json: what the jobs of a unit are to do. One JSON document with one line per key and per node, so that a
 * worker without a JSON parser can pick its own line.
 */
export function manifestText(unit: UnitPlan, plan: DagPlan, dirs: StorageDirs): string {
  const head = {
    version: 1,
    request: plan.requestName,
    dag: plan.dagId,
    round: plan.round,
    unit: unit.name,
    block: unit.block,
    sites: unit.sites,
    steps: stepEntries(plan.steps),
    outputs: plan.outputs.map((output) => outputEntry(output, unit, plan, dirs)),
    unmerged: `${dirs.unmergedDir}/${unit.name}`,
  };
  return inLines(
    head,
    unit.nodes.map((node) => `"${node.name}":${JSON.stringify(nodeEntry(node))}`),
  );
}

/** The same of a folder that jobs of a graph share: each of them is its own unit. */
export function partManifestText(units: readonly UnitPlan[], plan: DagPlan): string {
  const nodes = units.flatMap((unit) => unit.nodes);
  const read = plan.graph?.folders?.length ? new Set(nodes.flatMap(({ job }) => job!.reads)) : null;
  const folders = plan.graph?.folders?.filter(({ path }) => read?.has(path)) ?? [];
  const head = {
    version: 1,
    request: plan.requestName,
    dag: plan.dagId,
    round: plan.round,
    block: units[0]?.block ?? 0,
    sites: units[0]?.sites ?? [],
    directory: plan.graph?.directory,
    ...(plan.graph?.changes && { changes: plan.graph.changes }),
    ...(folders.length > 0 && { folders }),
  };
  return inLines(
    head,
    nodes.map((node) => `"${node.name}":${JSON.stringify(jobEntry(node))}`),
  );
}

function inLines(head: object, nodes: readonly string[]): string {
  const lines = Object.entries(head).map(([key, value]) => `"${key}":${JSON.stringify(value)},`);
  return `{\n${lines.join("\n")}\n"nodes":{\n${nodes.join(",\n")}\n}\n}\n`;
}

const stepEntries = (steps: readonly PlannedStep[]) =>
  steps.map(({ name, argv, env, run, probe, eventsPerLumi }) => ({
    name,
    argv,
    env,
    ...run,
    ...(probe && { probeInstances: probe.instances, probeThreads: probe.threads }),
    ...(eventsPerLumi && { eventsPerLumi }),
  }));

function outputEntry(output: PlannedOutput, unit: UnitPlan, plan: DagPlan, { mergedDir }: StorageDirs) {
  const { name, file, merge, keep, dataset } = output;
  const { path, lfn } = outputPaths(plan.requestName, unit.name, output);
  return {
    name,
    file,
    merge: merge.how,
    mergeArgv: merge.how === "command" ? merge.argv : [],
    keep,
    dataset,
    lfn,
    path: `${mergedDir}/${path}`,
  };
}

function nodeEntry(node: ProcessingNodePlan) {
  const lumis = node.runLumis === null ? lumisOf(node.inputs) : null;
  return {
    inputs: node.inputs.map(({ lfn, path, events }) => ({ lfn, path, events })),
    firstEvent: number64(node.firstEvent),
    lastEvent: number64(node.lastEvent),
    firstLumi: number64(node.firstLumi),
    lastLumi: number64(node.lastLumi),
    runLumis: node.runLumis,
    events: node.events,
    seed: number64(node.seed),
    ...(lumis && { lumis }),
    ...(node.isProbe && { probe: node.resources.memoryMb }),
  };
}

function jobEntry({ job, resources, seed }: ProcessingNodePlan) {
  const { name, argv, env, reads, makes, handlers, digest, soft, when, products } = job!;
  return {
    ...{ name, argv, env, reads, makes, resources, handlers, digest, seed: number64(seed) },
    ...(soft && { soft }),
    ...(when === "ended" && { when }),
    ...(products && { products }),
  };
}
type JobEntry = ReturnType<typeof jobEntry>;

/** run → the lumis of whole files, for jobs that do not report what they read; null: unknown. */
function lumisOf(inputs: readonly InputFile[]): Record<string, [number, number][]> | null {
  if (inputs.length === 0 || inputs.some(({ lumis }) => lumis.length === 0)) return null;
  const ranges: Record<string, [number, number][]> = {};
  for (const { run, lumis } of inputs.flatMap((file) => file.lumis)) {
    ranges[run] ??= [];
    addRanges(lumis, ranges[run]);
  }
  return Object.fromEntries(Object.entries(ranges).map(([run, all]) => [run, joinRanges(all)]));
}

/** Not by base/json's stringify: that asks about every value, and this is written for every node. */
const number64 = (value: bigint | null): number | string | null => (value === null ? null : jsonValue(value));

export interface Manifest {
  readonly request: string;
  readonly round: number;
  /** Of the only unit there; absent: each node is one. */
  readonly unit?: string;
  /** Where its jobs run; absent: in directories of their own. */
  readonly directory?: string;
  readonly block: number;
  readonly sites: readonly string[];
  readonly steps: readonly { readonly name: string }[];
  readonly outputs: readonly ReturnType<typeof outputEntry>[];
  readonly nodes: Readonly<Record<string, ReturnType<typeof nodeEntry> & Partial<JobEntry>>>;
}

/** null: it was cut short or changed. By hand: POST's bundle must stay small. */
export function readManifest(text: string): Manifest | null {
  const json = parseJson(text);
  const { block, nodes, sites = [] } = ((json.ok && json.value) || {}) as Partial<Manifest>;
  if (!Number.isInteger(block) || typeof nodes !== "object" || nodes === null || !Array.isArray(sites)) return null;
  const isEvent = (value: unknown) => value === null || typeof value === "number" || typeof value === "string";
  const isNode = (node: Manifest["nodes"][string] | null) =>
    Array.isArray(node?.argv) || (isEvent(node?.firstEvent) && isEvent(node?.lastEvent));
  if (!Object.values(nodes).every(isNode) || !sites.every((site) => typeof site === "string")) return null;
  const manifest = { ...(json as { value: Manifest }).value, sites };
  if (manifest.directory === undefined) return manifest;
  const filled = Object.entries(nodes).map(([name, node]) => [name, { ...NO_EVENTS, ...node }]);
  return { ...manifest, steps: [], outputs: [], nodes: Object.fromEntries(filled) };
}

/** What a job of a graph does not have. */
const NO_EVENTS: Partial<ReturnType<typeof nodeEntry>> = {
  ...{ inputs: [], firstEvent: null, lastEvent: null, firstLumi: null, lastLumi: null, runLumis: null, events: null },
};

/** What it says of one node, for POST: only the two lines that are needed are parsed. `sites` null: anywhere. */
export function plannedFor(text: string, node: string) {
  const sites = lineValue(text, "sites");
  const entry = lineValue(text, node) as (Partial<JobEntry> & { inputs?: { lfn?: unknown }[] }) | null;
  const named = Array.isArray(sites)
    ? sites.filter((site): site is SiteName => typeof site === "string" && isSiteName(site))
    : [];
  return {
    sites: named.length > 0 ? named : null,
    inputs: (entry?.inputs ?? []).flatMap(({ lfn }) => (typeof lfn === "string" ? [lfn] : [])),
    /** Of a graph's job; null: it is none. */
    job: Array.isArray(entry?.argv) ? (entry as JobEntry) : null,
  };
}

/** Where jobs of a graph run; null: it is no graph's. */
export function directoryIn(text: string): string | null {
  const directory = lineValue(text, "directory");
  return typeof directory === "string" ? directory : null;
}

/** What folders had that its jobs read, when they were planned; to be looked at before it is believed. */
export const foldersIn = (text: string): unknown => lineValue(text, "folders") ?? [];

function lineValue(text: string, key: string): unknown {
  const head = `\n${JSON.stringify(key)}:`;
  const at = text.indexOf(head);
  if (at < 0) return null;
  const end = text.indexOf("\n", at + 1);
  const parsed = parseJson(text.slice(at + head.length, end < 0 ? undefined : end).replace(/,$/, ""));
  return parsed.ok ? parsed.value : null;
}

/** The same with the commands of the request as it is now. */
export function revisedManifest(text: string, spec: Pick<RequestSpec, "steps" | "outputs">): string {
  const merges = new Map(spec.outputs.map(({ name, merge }) => [name, merge]));
  const remerged = (outputs: string) =>
    (JSON.parse(outputs) as Manifest["outputs"]).map((output) => {
      const merge = merges.get(output.name);
      return merge?.how === "command" ? { ...output, mergeArgv: merge.argv } : output;
    });
  // How a step runs was decided by what it showed, and stays as long as it may.
  const resteps = (steps: string) => {
    const [may, before] = [parallelSteps(spec), JSON.parse(steps) as Manifest["steps"]];
    return stepEntries(spec.steps).map((step) => ({
      ...(may.has(step.name) && before.find(({ name }) => name === step.name)),
      ...step,
    }));
  };
  return text
    .replace(/^"steps":(.*),$/m, (_, steps: string) => `"steps":${stringify(resteps(steps))},`)
    .replace(/^"outputs":(.*),$/m, (_, outputs: string) => `"outputs":${stringify(remerged(outputs))},`);
}
