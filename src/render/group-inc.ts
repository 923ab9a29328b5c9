import { bareName, classAdString } from "./quote.ts";

const isSiteLine = (line: string): boolean => /^\s*(My\.|\+)(DESIRED|BANNED)_Sites\b/i.test(line);

/**
 * The include file of a unit that is to land anew: the elected site is forgotten, the sites to avoid are left out of
 * those it may use (or banned, when it may use any). What single nodes were given stays.
 */
export function reelectedInc(text: string, possible: readonly string[], avoid: readonly string[]): string {
  const kept = text.split("\n").filter((line) => line !== "" && !isSiteLine(line));
  const left = possible.filter((site) => !avoid.includes(site));
  const sites = (names: readonly string[]) => classAdString(names.map(bareName).join(","));
  const line =
    left.length > 0
      ? [`My.DESIRED_Sites = ${sites(left)}`]
      : possible.length === 0 && avoid.length > 0
        ? [`My.BANNED_Sites = ${sites(avoid)}`]
        : possible.length > 0
          ? [`My.DESIRED_Sites = ${sites(possible)}`]
          : [];
  return [...line, ...kept].map((one) => `${one}\n`).join("");
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
  return [...kept, ...[...wanted].map(([name, value]) => `${name} = ${value}`)].map((line) => `${line}\n`).join("");
}
