import { isName, isSiteName } from "../core/names.ts";
import type { DagPlan, UnitPlan } from "../core/plan.ts";
import { bareName, classAdString } from "./quote.ts";

/**
 * group.inc: what the submit files of a unit include at every submission. On top the sites it may use, until bin/elect
 * has chosen one; below, a line for each thing that a single node asks for and the others do not, like
 * `proc_000007_memory = 3072`. It must exist and may be empty. An edit leaves all other lines as they are.
 */
export function includeFile(unit: UnitPlan, plan: DagPlan): string {
  const lines = siteLines(unit.sites, plan.avoidSites);
  const usual = plan.resources.processing;
  for (const { name, resources, job } of unit.nodes) {
    if (job) continue; // its submit file is that of its size
    if (resources.memoryMb !== usual.memoryMb) lines.push(`${name}_memory = ${resources.memoryMb}`);
    if (resources.wallMinutes !== usual.wallMinutes) lines.push(`${name}_wall_minutes = ${resources.wallMinutes}`);
  }
  return ended(lines);
}

const ended = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const keyOf = (line: string): string => line.slice(0, Math.max(0, line.indexOf("="))).trim();

/** It was cut short when its last line has no end. */
export const isWholeInclude = (text: string): boolean => text === "" || text.endsWith("\n");

/** Where the unit may run; `desired` null: anywhere. */
export function sitesIn(text: string) {
  const named = (word: string): readonly string[] | undefined =>
    new RegExp(`^\\s*(?:My\\.|\\+)${word}_Sites\\s*=\\s*"([^"]*)"`, "im").exec(text)?.[1]?.split(",");
  return { desired: named("DESIRED") ?? null, banned: named("BANNED") ?? [] };
}

/** The sites it may use; those to stay away from matter only when it may use any. */
function siteLines(possible: readonly string[], avoid: readonly string[]): string[] {
  const list = (sites: readonly string[]) => classAdString(sites.map(bareName).join(","));
  if (possible.length > 0) return [`My.DESIRED_Sites = ${list(possible)}`];
  return avoid.length > 0 ? [`My.BANNED_Sites = ${list(avoid)}`] : [];
}

const isSiteLine = (line: string): boolean => /^\s*(My\.|\+)(DESIRED|BANNED)_Sites\b/i.test(line);

/** As bin/elect: the unit stays at this site. */
export const pinned = (text: string, site: string): string =>
  ended([...siteLines([site], []), ...linesOf(text).filter((line) => !/^\s*(My\.|\+)DESIRED_Sites\b/i.test(line))]);

/**
 * A unit that is to land again: the elected site is forgotten, the sites to avoid are left out of those it may use (or
 * banned, when it may use any). What single nodes were given stays.
 */
export function reelected(text: string, possible: readonly string[], avoid: readonly string[]): string {
  const left = possible.filter((site) => !avoid.includes(site));
  const kept = linesOf(text).filter((line) => !isSiteLine(line));
  return ended([...siteLines(left.length > 0 ? left : possible, avoid), ...kept]);
}

/**
 * A unit that is to keep away from sites that were closed to it since it was written. pinned: it was elected to such a
 * site and has to land again · nowhere: no site is left that it may use.
 */
export function keptAway(
  text: string,
  possible: readonly string[],
  closed: readonly string[],
): { readonly kind: "stays" | "pinned" | "nowhere" } | { readonly kind: "narrowed"; readonly text: string } {
  const open = (sites: readonly string[]) => sites.filter((site) => !closed.includes(site));
  const { desired, banned } = sitesIn(text);
  const left = open(desired ?? []);
  if (desired ? left.length === desired.length : closed.every((site) => banned.includes(site)))
    return { kind: "stays" };
  if (desired && left.length === 0)
    return { kind: possible.length > 0 && open(possible).length === 0 ? "nowhere" : "pinned" };
  return { kind: "narrowed", text: reelected(text, left, [...new Set([...banned, ...closed])]) };
}

/** The site a job names, if its unit may be there; else the one the unit was elected to. */
export function believedSite(text: string, named: string | null): string | null {
  const sites = sitesIn(text).desired ?? [];
  if (named !== null && sites.includes(named)) return named;
  return sites.length === 1 && isSiteName(sites[0] ?? "") ? (sites[0] ?? null) : null;
}

/** What a node asks for; null: the role's default. */
export function asksOf(text: string, node: string) {
  const number = (key: string): number | null => {
    const value = linesOf(text)
      .findLast((line) => keyOf(line) === key)
      ?.split("=")[1]
      ?.trim();
    return value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) : null;
  };
  return { memoryMb: number(`${node}_memory`), wallMinutes: number(`${node}_wall_minutes`) };
}

/** What a node is to ask for from its next submission on; undefined: as before, null: what its role does. */
export interface Adjustment {
  readonly memoryMb?: number | null | undefined;
  readonly wallMinutes?: number | null | undefined;
  readonly avoidHosts?: readonly string[];
  /** Only for nodes that may move on their own. */
  readonly avoidSites?: readonly string[];
}

export function adjusted(text: string, nodes: Readonly<Record<string, Adjustment>>): string {
  const wanted = new Map<string, number | string | null>();
  for (const [node, { memoryMb, wallMinutes, avoidHosts, avoidSites }] of Object.entries(nodes)) {
    const name = bareName(node);
    if (memoryMb !== undefined) wanted.set(`${name}_memory`, memoryMb);
    if (wallMinutes !== undefined) wanted.set(`${name}_wall_minutes`, wallMinutes);
    if (avoidHosts) wanted.set(`${name}_other_host`, noneOf('split(TARGET.Machine, ".")[0]', shortNames(avoidHosts)));
    if (avoidSites) wanted.set(`${name}_other_site`, noneOf("TARGET.GLIDEIN_CMSSite", avoidSites.filter(isSiteName)));
  }
  const kept = linesOf(text).filter((line) => !wanted.has(keyOf(line)));
  const added = [...wanted].filter(([, value]) => value !== null).map(([key, value]) => `${key} = ${value}`);
  return ended([...kept, ...added]);
}

const noneOf = (attribute: string, values: readonly string[]): string | null =>
  values.length === 0 ? null : `(${values.map((value) => `${attribute} =!= "${value}"`).join(" && ")})`;

/** A worker's own idea of its name is often without the domain. A name that could say more than a name is left out. */
const shortNames = (hosts: readonly string[]): readonly string[] =>
  hosts.map((host) => host.split(".")[0] ?? "").filter(isName);
