import { plural } from "../../core/base/text.ts";
import type { NoMatch } from "../../core/run.ts";
import type { EngineSite } from "../port.ts";

/** What a job asks of a worker. */
export interface Want {
  readonly cpus: number;
  readonly memoryMb: number;
  /** Left out: none. */
  readonly gpus?: number;
  /** null: any will do. */
  readonly desiredSites: readonly string[] | null;
  readonly bannedSites: readonly string[];
}

export const allows = ({ desiredSites, bannedSites }: Want, site: string): boolean =>
  (desiredSites === null || desiredSites.includes(site)) && !bannedSites.includes(site);

/** Why none of these workers or sites can ever take the job; null: one could, so it only waits for its turn. */
export function whyNoMatch(want: Want, sites: readonly EngineSite[]): NoMatch | null {
  if (sites.length === 0) return { code: "no-worker", reason: "there is no worker in the pool" };
  const allowed = sites.filter(({ name }) => allows(want, name));
  if (allowed.length === 0) {
    const wants = want.desiredSites?.join(",") ?? "any";
    return { code: "no-site", reason: `may not run at any site of this engine: it wants ${wants}` };
  }
  const fits = allowed.filter(({ cores, memoryMb }) => cores >= want.cpus && memoryMb >= want.memoryMb);
  if (fits.some(({ gpus }) => (gpus ?? Number.POSITIVE_INFINITY) >= (want.gpus ?? 0))) return null;
  return { code: "too-large", reason: fits.length > 0 ? noGpus(want, fits) : tooLarge(want, allowed) };
}

function tooLarge({ cpus, memoryMb }: Want, allowed: readonly EngineSite[]): string {
  const most = (key: "cores" | "memoryMb") => Math.max(...allowed.map((site) => site[key]));
  const there = allowed.length === 1 ? `${allowed[0]?.name} has` : "the largest site it may use has";
  return `asks for ${sizeText(cpus, memoryMb)}, and will never fit: ${there} ${sizeText(most("cores"), most("memoryMb"))}`;
}

/** Only the local engine says how many it has: as many as its settings do. */
function noGpus({ gpus = 0 }: Want, fits: readonly EngineSite[]): string {
  const most = Math.max(...fits.map((site) => site.gpus ?? 0));
  const has =
    most === 0 ? "this engine has no GPU to give" : `this engine gives at most ${plural(most, "GPU")} to a job`;
  return `asks for ${plural(gpus, "GPU")}, and ${has}: where the machine has some, say how many in engine.local.sites (gpus)`;
}

/** Where a job could run and cannot now: `free` is what each worker or site has left. null: one has room, so it starts soon. */
export function whyNoRoom(want: Want, free: readonly EngineSite[]): NoMatch | null {
  const allowed = free.filter(({ name }) => allows(want, name));
  const [most] = allowed.toSorted((a, b) => b.cores - a.cores || b.memoryMb - a.memoryMb);
  if (!most || allowed.some(({ cores, memoryMb }) => cores >= want.cpus && memoryMb >= want.memoryMb)) return null;
  const room = `${sizeText(most.cores, most.memoryMb)}${most.name ? `, at ${most.name}` : ""}`;
  return {
    code: "slots",
    reason: `asks for ${sizeText(want.cpus, want.memoryMb)}; the most that is free now is ${room}`,
  };
}

const sizeText = (cores: number, memoryMb: number): string => `${plural(cores, "core")} and ${memoryMb} MB`;
