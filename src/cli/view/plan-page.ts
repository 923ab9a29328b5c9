import { jsonValue, stringify } from "../../base/json.ts";
import type {
  DagPlan,
  NodeResources,
  ProcessingNodePlan,
  UnitPlan,
  UnplannedFile,
} from "../../domain/plan.ts";
import type { RequestSpec } from "../../domain/request.ts";
import type { Paint } from "../terminal.ts";
import { table } from "./table.ts";
import { bytes, count, padEnd, thousands } from "./text.ts";

/** What one walk over a plan finds out beyond its summary. */
export interface PlanTally {
  readonly expectedBytes: number;
  /** Cores × wall time asked for, over all processing jobs: an upper bound of what they use. */
  readonly coreHours: number;
  readonly unitsBySite: ReadonlyMap<string, number>;
  readonly first: readonly UnitPlan[];
}

const SHOWN_UNITS = 8;

export function tallyPlan(plan: DagPlan): PlanTally {
  const unitsBySite = new Map<string, number>();
  const first: UnitPlan[] = [];
  let expectedBytes = 0;
  let coreMinutes = 0;
  for (const unit of plan.units) {
    expectedBytes += unit.expectedOutputBytes;
    for (const { resources } of unit.nodes) coreMinutes += resources.cores * resources.wallMinutes;
    const where = unit.sites.length ? unit.sites.join(" or ") : "anywhere";
    unitsBySite.set(where, (unitsBySite.get(where) ?? 0) + 1);
    if (first.length < SHOWN_UNITS) first.push(unit);
  }
  return { expectedBytes, coreHours: coreMinutes / 60, unitsBySite, first };
}

export function planPage(
  plan: DagPlan,
  spec: RequestSpec,
  tally: PlanTally,
  unplanned: readonly UnplannedFile[],
  look: { readonly width: number; readonly paint: Paint },
): string {
  const { paint } = look;
  const { summary, resources } = plan;
  const { processing } = resources;
  const row = (name: string, text: string) => `${paint.dim(padEnd(name, 11))} ${text}`;
  const roles = Object.entries(summary.nodesByRole).map(([role, number]) => `${thousands(number)} ${role}`);
  const nodes = Object.values(summary.nodesByRole).reduce((sum, number) => sum + number, 0);
  const input = spec.input ? `${count(summary.inputFiles, "file")}, ` : "";
  const sites = [...tally.unitsBySite]
    .slice(0, 6)
    .map(([site, units]) => `${site} (${count(units, "unit")})`);
  return [
    `${paint.bold(plan.requestName)}  ${spec.kind}, round ${plan.round}${spec.adaptive ? ", adaptive: later rounds are sized by what this one measures" : ""}`,
    row("input", `${input}${thousands(summary.events)} events`),
    row("split", `${spec.split.algorithm}; steps ${spec.steps.map(({ name }) => name).join(" → ")}`),
    row("units", `${thousands(summary.units)} in ${count(summary.blocks.length, "block")}`),
    row("nodes", `${thousands(nodes)}: ${roles.join(", ")}`),
    row(
      "job",
      `${count(processing.cores, "core")}, ${bytes(processing.memoryMb * 1e6)} memory, ${processing.wallMinutes} min, ${bytes(processing.diskMb * 1e6)} disk`,
    ),
    row(
      "in all",
      `at most ${thousands(Math.ceil(tally.coreHours))} core hours${tally.expectedBytes ? `, about ${bytes(tally.expectedBytes)} of output` : ""}`,
    ),
    row("sites", sites.join(", ")),
    ...plan.outputs
      .filter(({ keep }) => keep)
      .map(({ name, dataset }) => row("output", `${name} → ${dataset}`)),
    ...(unplanned.length
      ? [row("left out", `${count(unplanned.length, "file")}: ${unplanned[0]?.reason}`)]
      : []),
    "",
    unitTable(tally.first, look),
    ...(summary.units > SHOWN_UNITS
      ? [paint.dim(`… and ${thousands(summary.units - SHOWN_UNITS)} more units`)]
      : []),
  ].join("\n");
}

function unitTable(units: readonly UnitPlan[], look: { width: number; paint: Paint }): string {
  const columns = [
    { head: "unit" },
    { head: "block", align: "right" },
    { head: "jobs", align: "right" },
    { head: "files", align: "right" },
    { head: "events", align: "right" },
    { head: "sites", flexible: true },
  ] as const;
  const rows = units.map(({ name, block, nodes, sites }) => {
    const files = new Set(nodes.flatMap(({ inputs }) => inputs.map(({ lfn }) => lfn)));
    const known = nodes.every(({ events }) => events !== null);
    const events = nodes.reduce((sum, node) => sum + (node.events ?? 0), 0);
    const numbers = [block, nodes.length, files.size].map(String);
    return [name, ...numbers, known ? thousands(events) : "?", sites.join(", ") || "anywhere"];
  });
  return table(columns, rows, look);
}

/** The whole plan as one JSON document, unit by unit: a million nodes are written, never gathered. */
export function* planJson(
  plan: DagPlan,
  spec: RequestSpec,
  unplanned: readonly UnplannedFile[],
): Generator<string> {
  const { summary } = plan;
  const head = {
    version: 1,
    request_name: plan.requestName,
    kind: spec.kind,
    round: plan.round,
    priority: plan.priority,
    summary: {
      units: summary.units,
      nodes_by_role: summary.nodesByRole,
      blocks: summary.blocks.map(({ index, dataset, units, expectedBytes }) => ({
        index,
        dataset,
        units,
        expected_bytes: expectedBytes,
      })),
      input_files: summary.inputFiles,
      events: jsonValue(summary.events),
    },
    resources: Object.fromEntries(
      Object.entries(plan.resources).map(([role, own]) => [role, resourcesView(own)]),
    ),
    outputs: plan.outputs.map(({ name, file, dataset, keep }) => ({ name, file, dataset, keep })),
    warnings: summary.warnings,
    left_out: unplanned,
  };
  yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n "units": [`;
  let first = true;
  for (const unit of plan.units) {
    yield `${first ? "" : ","}\n  ${stringify(unitView(unit))}`;
    first = false;
  }
  yield "\n ]\n}\n";
}

const unitView = (unit: UnitPlan) => ({
  unit: unit.name,
  block: unit.block,
  sites: unit.sites,
  priority: unit.priority,
  resources: resourcesView(unit.resources),
  expected_output_bytes: unit.expectedOutputBytes,
  nodes: unit.nodes.map(nodeView),
});

const nodeView = (node: ProcessingNodePlan) => ({
  node: node.name,
  inputs: node.inputs.map(({ lfn, path, sizeBytes, events, lumis, sites }) => ({
    lfn,
    path,
    size: sizeBytes,
    events,
    lumis: lumis.map(({ run, lumis: lumi }) => ({ run, lumi })),
    sites,
  })),
  first_event: node.firstEvent,
  last_event: node.lastEvent,
  first_lumi: node.firstLumi,
  last_lumi: node.lastLumi,
  run_lumis: node.runLumis,
  events: node.events,
  resources: resourcesView(node.resources),
  seed: node.seed,
});

const resourcesView = ({ cores, memoryMb, diskMb, wallMinutes, gpus }: NodeResources) => ({
  cores,
  memory_mb: memoryMb,
  disk_mb: diskMb,
  wall_minutes: wallMinutes,
  gpus,
});
