import type { GraphPlan } from "../../core/graph.ts";
import type { DagPlan, NodeResources, UnitPlan } from "../../core/plan.ts";
import type { Look } from "../terminal.ts";
import { type Columns, table } from "./table.ts";
import { bytes, count, padEnd, thousands } from "./text.ts";

const SHOWN_JOBS = 20;

/** What would run of a graph: how many jobs, how they hang together, and the first of them. */
export function graphPage(
  plan: DagPlan,
  graph: GraphPlan,
  { coreHours, unitsBySite }: { readonly coreHours: number; readonly unitsBySite: Readonly<Record<string, number>> },
  look: Look,
): string {
  const { paint } = look;
  const { units } = plan.summary;
  const row = (name: string, text: string) => `${paint.dim(padEnd(name, 11))} ${text}`;
  const pairs = graph.edges.reduce((sum, { parents, children }) => sum + parents.length * children.length, 0);
  const barriers = graph.edges.filter(({ barrier }) => barrier !== null).length;
  const more = units - SHOWN_JOBS;
  return [
    `${paint.bold(plan.requestName)}  graph`,
    row("jobs", thousands(units)),
    row("edges", `${thousands(pairs)}${barriers > 0 ? `, some through ${count(barriers, "barrier")}` : ""}`),
    row("directory", graph.directory),
    ...graph.sizes.map((size) => row("size", asked(size))),
    ...graph.groups.map(({ name, atOnce }) => row("at once", `${atOnce} of ${name}`)),
    row("in all", `at most ${thousands(Math.ceil(coreHours))} core hours`),
    row("sites", Object.keys(unitsBySite).slice(0, 6).join(", ")),
    "",
    table(columns(parentsOf(graph)), firstOf(plan.units), look),
    ...(more > 0 ? [paint.dim(`… and ${thousands(more)} more`)] : []),
  ].join("\n");
}

const asked = ({ cores, memoryMb, wallMinutes, diskMb, gpus }: NodeResources): string =>
  `${count(cores, "core")}, ${bytes(memoryMb * 1e6)} memory, ${wallMinutes} min, ${bytes(diskMb * 1e6)} disk${gpus > 0 ? `, ${count(gpus, "GPU")}` : ""}`;

/** How many jobs each of the first ones waits for; one in two sets counts twice. */
function parentsOf({ edges }: GraphPlan): ReadonlyMap<number, number> {
  const waits = new Map<number, number>();
  for (const { parents, children } of edges)
    for (const child of children) waits.set(child, (waits.get(child) ?? 0) + parents.length);
  return waits;
}

function firstOf(units: Iterable<UnitPlan>): readonly UnitPlan[] {
  const first: UnitPlan[] = [];
  for (const unit of units) {
    if (first.length === SHOWN_JOBS) break;
    first.push(unit);
  }
  return first;
}

const columns = (waits: ReadonlyMap<number, number>): Columns<UnitPlan> => [
  ["job", ({ nodes }) => nodes[0]?.job?.name ?? ""],
  ["waits for", ({ index }) => thousands(waits.get(index) ?? 0), "right"],
  ["cores", ({ resources }) => String(resources.cores), "right"],
  ["memory", ({ resources }) => bytes(resources.memoryMb * 1e6), "right"],
  ["minutes", ({ resources }) => String(resources.wallMinutes), "right"],
  ["retries", ({ nodes }) => String(nodes[0]?.job?.retries ?? 0), "right"],
  ["command", ({ nodes }) => nodes[0]?.job?.argv.join(" ") ?? "", "flexible"],
];
