import type { DagPlan, UnitPlan, UnplannedFile } from "../../core/plan.ts";
import type { RequestSpec } from "../../core/request.ts";
import { describePlan } from "../../planning/describe.ts";
import type { Look } from "../terminal.ts";
import { graphPage } from "./graph-page.ts";
import { type Columns, table } from "./table.ts";
import { bytes, count, padEnd, thousands } from "./text.ts";

const SHOWN_UNITS = 8;

export function planPage(plan: DagPlan, spec: RequestSpec, unplanned: readonly UnplannedFile[], look: Look): string {
  const { paint } = look;
  const described = describePlan(plan);
  if (plan.graph) return graphPage(plan, plan.graph, described, look);
  const { summary, resources } = plan;
  const { processing } = resources;
  const row = (name: string, text: string) => `${paint.dim(padEnd(name, 11))} ${text}`;
  const roles = Object.entries(summary.nodesByRole).map(([role, number]) => `${thousands(number)} ${role}`);
  const more = summary.units - SHOWN_UNITS;
  const input = spec.work.input ? `${count(summary.inputFiles, "file")}, ` : "";
  const sites = Object.entries(described.unitsBySite)
    .slice(0, 6)
    .map(([site, units]) => `${site} (${count(units, "unit")})`);
  return [
    `${paint.bold(plan.requestName)}  ${spec.work.kind}, round ${plan.round}${spec.adaptive ? ", adaptive: later rounds are sized by what this one measures" : ""}`,
    row("input", `${input}${thousands(summary.events)} ${plural(summary.events, "event")}`),
    row("split", `${spec.work.split?.algorithm ?? "none"}; steps ${spec.steps.map(({ name }) => name).join(" → ")}`),
    row("units", `${thousands(summary.units)} in ${count(summary.blocks.length, "block")}`),
    row("nodes", `${thousands(summary.nodes)}: ${roles.join(", ")}`),
    row(
      "job",
      `${count(processing.cores, "core")}, ${bytes(processing.memoryMb * 1e6)} memory, ${processing.wallMinutes} min, ${bytes(processing.diskMb * 1e6)} disk`,
    ),
    row(
      "in all",
      `at most ${thousands(Math.ceil(described.coreHours))} core hours${summary.expectedBytes ? `, about ${bytes(summary.expectedBytes)} of output` : ""}`,
    ),
    row("sites", sites.join(", ")),
    ...plan.outputs.filter(({ keep }) => keep).map(({ name, dataset }) => row("output", `${name} → ${dataset}`)),
    ...(unplanned.length ? [row("left out", `${count(unplanned.length, "file")}: ${unplanned[0]?.reason}`)] : []),
    "",
    table(UNITS, firstUnits(plan), look),
    ...(more > 0 ? [paint.dim(`… and ${thousands(more)} more ${plural(more, "unit")}`)] : []),
  ].join("\n");
}

const plural = (number: number | bigint, word: string): string => (Number(number) === 1 ? word : `${word}s`);

function firstUnits(plan: DagPlan): readonly UnitPlan[] {
  const first: UnitPlan[] = [];
  for (const unit of plan.units) {
    if (first.length === SHOWN_UNITS) break;
    first.push(unit);
  }
  return first;
}

const UNITS: Columns<UnitPlan> = [
  ["unit", ({ name }) => name],
  ["block", ({ block }) => String(block), "right"],
  ["jobs", ({ nodes }) => String(nodes.length), "right"],
  ["files", ({ nodes }) => String(new Set(nodes.flatMap(({ inputs }) => inputs.map(({ lfn }) => lfn))).size), "right"],
  ["events", ({ nodes }) => eventsOf(nodes), "right"],
  ["sites", ({ sites }) => sites.join(", ") || "anywhere", "flexible"],
];

const eventsOf = (nodes: UnitPlan["nodes"]): string =>
  nodes.every(({ events }) => events !== null)
    ? thousands(nodes.reduce((sum, { events }) => sum + (events ?? 0), 0))
    : "?";
