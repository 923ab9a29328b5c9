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
