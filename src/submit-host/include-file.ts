import { isName, isSiteName } from "../domain/names.ts";

/**
 * group.inc as text: what the submit files of a unit include at every submission. One line per adjustment of a node,
 * `proc_000007_memory = 3072`; lines of others are kept as they are. Pure.
 */
export interface NodeAsks {
  readonly memoryMb: number | null;
  readonly wallMinutes: number | null;
}

export interface Adjustments extends NodeAsks {
  readonly avoidHosts: readonly string[];
  /** Only for nodes that may move on their own. */
  readonly avoidSites: readonly string[];
}

/** What the file says of one node; null: the role's default. */
export function asksOf(text: string, node: string): NodeAsks {
  return { memoryMb: numberOf(text, `${node}_memory`), wallMinutes: numberOf(text, `${node}_wall_minutes`) };
}

/** The site a job names, if its unit may be there; else the one the unit was elected to. */
export function believedSite(text: string, named: string | null): string | null {
  const sites = /^(?:My\.|\+)DESIRED_Sites\s*=\s*"([^"]*)"/im.exec(text)?.[1]?.split(",") ?? [];
  if (named !== null && sites.includes(named)) return named;
  return sites.length === 1 && isSiteName(sites[0] ?? "") ? (sites[0] ?? null) : null;
}

export function adjust(text: string, node: string, wanted: Adjustments): string {
  const { memoryMb, wallMinutes } = wanted;
  const hosts = wanted.avoidHosts.map(shortName).filter((host): host is string => host !== null);
  const sites = wanted.avoidSites.filter(isSiteName);
  const lines: Record<string, string | null> = {
    [`${node}_memory`]: memoryMb === null ? null : String(memoryMb),
    [`${node}_wall_minutes`]: wallMinutes === null ? null : String(wallMinutes),
    [`${node}_other_host`]: all(hosts.map((host) => `split(TARGET.Machine, ".")[0] =!= "${host}"`)),
    [`${node}_other_site`]: all(sites.map((site) => `TARGET.GLIDEIN_CMSSite =!= "${site}"`)),
  };
  const kept = text.split("\n").filter((line) => {
    const key = /^([\w.-]+)\s*=/.exec(line)?.[1];
    return line !== "" && (key === undefined || !(key in lines));
  });
  for (const [key, value] of Object.entries(lines)) if (value !== null) kept.push(`${key} = ${value}`);
  return kept.map((line) => `${line}\n`).join("");
}

const all = (conditions: readonly string[]): string | null =>
  conditions.length === 0 ? null : `(${conditions.join(" && ")})`;

/** A worker's own idea of its name is often without the domain. A name that could say more than a name is left out. */
function shortName(host: string): string | null {
  const short = host.split(".")[0] ?? "";
  return isName(short) ? short : null;
}

function numberOf(text: string, key: string): number | null {
  const found = new RegExp(`^${key.replaceAll(".", "\\.")}\\s*=\\s*(\\d+(?:\\.\\d+)?)\\s*$`, "m").exec(text);
  return found ? Number(found[1]) : null;
}
