import type { DagPlan, UnitPlan } from "../domain/plan.ts";
import { bareName, classAdString } from "./quote.ts";

/**
 * What the submit files include at each submission: the unit's possible sites until bin/elect has chosen one, and
 * whatever single nodes need that the others do not. Must exist, may be empty.
 */
export function groupInc(unit: UnitPlan, plan: DagPlan): string {
  const lines = siteLines(unit.sites, plan.avoidSites);
  const usual = plan.resources.processing;
  for (const { name, resources } of unit.nodes) {
    if (resources.memoryMb !== usual.memoryMb) lines.push(`${name}_memory = ${resources.memoryMb}`);
    if (resources.wallMinutes !== usual.wallMinutes) lines.push(`${name}_wall_minutes = ${resources.wallMinutes}`);
  }
  return ended(lines);
}

/** The sites it may use; those to stay away from matter only when it may use any. */
function siteLines(possible: readonly string[], avoid: readonly string[]): string[] {
  const list = (sites: readonly string[]) => classAdString(sites.map(bareName).join(","));
  if (possible.length > 0) return [`My.DESIRED_Sites = ${list(possible)}`];
  return avoid.length > 0 ? [`My.BANNED_Sites = ${list(avoid)}`] : [];
}

const ended = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const isSiteLine = (line: string): boolean => /^\s*(My\.|\+)(DESIRED|BANNED)_Sites\b/i.test(line);

/**
 * The include file of a unit that is to land anew: the elected site is forgotten, the sites to avoid are left out of
 * those it may use (or banned, when it may use any). What single nodes were given stays.
 */
export function reelectedInc(text: string, possible: readonly string[], avoid: readonly string[]): string {
  const kept = text.split("\n").filter((line) => line !== "" && !isSiteLine(line));
  const left = possible.filter((site) => !avoid.includes(site));
  return ended([...siteLines(left.length > 0 ? left : possible, avoid), ...kept]);
}

/**
 * The include file of a unit that is to keep away from sites that were closed to it since it was written. pinned: it
 * was elected to such a site and has to land anew · nowhere: no site is left that it may use.
 */
export function keptAwayInc(
  text: string,
  possible: readonly string[],
  closed: readonly string[],
): { readonly kind: "stays" | "pinned" | "nowhere" } | { readonly kind: "narrowed"; readonly text: string } {
  const named = (word: string) =>
    new RegExp(`^\\s*(?:My\\.|\\+)${word}_Sites\\s*=\\s*"([^"]*)"`, "im").exec(text)?.[1]?.split(",");
  const open = (sites: readonly string[]) => sites.filter((site) => !closed.includes(site));
  const desired = named("DESIRED");
  const banned = named("BANNED") ?? [];
  const left = open(desired ?? []);
  if (desired ? left.length === desired.length : closed.every((site) => banned.includes(site)))
    return { kind: "stays" };
  if (desired && left.length === 0)
    return { kind: possible.length > 0 && open(possible).length === 0 ? "nowhere" : "pinned" };
  return { kind: "narrowed", text: reelectedInc(text, left, [...new Set([...banned, ...closed])]) };
}

/** What single nodes are to ask for from their next submission on; other lines stay as they are. */
export function adjustedInc(
  text: string,
  nodes: Readonly<Record<string, { readonly memoryMb?: number; readonly wallMinutes?: number }>>,
): string {
  const wanted = new Map<string, number>();
  for (const [node, { memoryMb, wallMinutes }] of Object.entries(nodes)) {
    if (memoryMb !== undefined) wanted.set(`${bareName(node)}_memory`, memoryMb);
    if (wallMinutes !== undefined) wanted.set(`${bareName(node)}_wall_minutes`, wallMinutes);
  }
  const kept = text.split("\n").filter((line) => line !== "" && !wanted.has(line.split("=", 1)[0]?.trim() ?? ""));
  return ended([...kept, ...[...wanted].map(([name, value]) => `${name} = ${value}`)]);
}
