import { listed, plural, thousands } from "../../core/base/text.ts";
import type { Site } from "../../core/dag.ts";

/**
 * What a change comes to that is no action on a request: one sentence each, for the look before it and the deed alike. The
 * command line, the pages and agents show it as it is.
 */
interface Turn {
  readonly priority: number;
  readonly urgent: boolean;
}

/** null: it is so already. */
export function describePriority(was: Turn, wanted: Partial<Turn>): string | null {
  const { priority = was.priority, urgent = was.urgent } = wanted;
  const parts = [
    ...(priority === was.priority ? [] : [`priority ${thousands(was.priority)} → ${thousands(priority)}`]),
    ...(urgent === was.urgent ? [] : [urgent ? "urgent: before all that are not" : "not urgent any more"]),
  ];
  return parts.length > 0 ? parts.join(", ") : null;
}
export const samePriority = ({ priority, urgent }: Turn): string =>
  `its priority is ${thousands(priority)}${urgent ? ", urgent" : ""} already`;

/** Of a run in the engine. */
export function describePause(verb: "hold" | "release", running: number): string {
  const go = running > 0 ? `${plural(running, "job")} that ${running === 1 ? "runs goes" : "run go"} on, ` : "";
  return verb === "hold"
    ? `pauses the run: ${go}no other job is begun until the run is released`
    : "lets the run go on: jobs are begun again";
}

interface SiteUse {
  readonly usedBy: number;
  readonly leftWithout: readonly string[];
  readonly leftWithoutTotal: number;
}

/** Whom it concerns that a site is left out. */
function useText({ usedBy, leftWithout, leftWithoutTotal: total }: SiteUse): string {
  const used = `${plural(usedBy, "open request")} may use it`;
  if (total === 0) return usedBy === 0 ? used : `${used}, none is left without a site`;
  const names = listed([...leftWithout.slice(0, 5), ...Array<string>(Math.max(0, total - 5)).fill("")], 5);
  return `${used}, ${total} ${total === 1 ? "has" : "have"} no other site: ${names}`;
}

export type BanOutcome = "banned" | "extended" | "already";
export function describeBan(
  site: string,
  { outcome, until, request, use }: { outcome: BanOutcome; until: Date; request: string | null; use: SiteUse },
): string {
  const whom = request === null ? "everybody" : request;
  const end = minuteOf(until);
  if (outcome === "already") return `${site} is banned for ${whom} already, until ${end}`;
  const lasts = outcome === "extended" ? "was banned already; now" : "is banned";
  return `${site} ${lasts} for ${whom} until ${end}; ${useText(use)}`;
}

export const describeUnban = (site: string, bans: number): string =>
  bans === 0
    ? `${site} is not banned: there is nothing to lift`
    : `${plural(bans, "ban")} of ${site} ${isAre(bans)} lifted`;

const BECOMES: Readonly<Record<Site["status"], string>> = {
  enabled: "is enabled: work units may go there",
  draining: "is drained: jobs that run there end, no work unit goes there any more",
  disabled: "is disabled: nothing runs there until somebody enables it",
};
/** `was`: what it is before. */
export function describeSiteStatus(site: string, was: Site["status"], status: Site["status"], use: SiteUse): string {
  if (was === status) return `${site} is ${status} already`;
  return `${site} ${BECOMES[status]}; ${status === "enabled" ? `${plural(use.usedBy, "open request")} may use it` : useText(use)}`;
}

/** `goesOn`: the request was held for them. */
export function describeRetriedBlocks(blocks: number, goesOn: boolean): string {
  const tried =
    blocks === 0 ? "no block waits to be tried again" : `${plural(blocks, "block")} ${isAre(blocks)} tried now`;
  return goesOn ? `${tried}; the request goes on` : tried;
}

export const describeWithdrawn = (of: string, files: number, blocks: number, rules: number): string =>
  `${plural(files, "file")} in ${plural(blocks, "block")} of ${of} ${isAre(files)} withdrawn, with ${plural(rules, "rule")}`;

export const describeRetriedTransfers = (tried: number, left: number): string =>
  `${plural(tried, "transfer")} ${isAre(tried)} tried again${left > 0 ? `; ${left} left as ${left === 1 ? "it is" : "they are"}` : ""}`;

/** `follows`: what comes of it. */
export const describeClassified = (failures: number, follows: string): string =>
  `${plural(failures, "failure")} ${isAre(failures)} classified; ${follows}`;

const isAre = (count: number): string => (count === 1 ? "is" : "are");
const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
