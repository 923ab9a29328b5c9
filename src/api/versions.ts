import type { RequestName } from "../domain/names.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { RequestStore } from "../store/port.ts";

export interface ChainLink {
  readonly record: RequestRecord;
  /** The reason of the move that ended it; null unless it failed or was aborted. */
  readonly endedBecause: string | null;
}

/** More versions than a person would make; bounds a chain that bites its tail. */
const LONGEST = 100;

/** All versions the request belongs to, newest first; null: there is no such request. */
export async function loadVersions(
  requests: Pick<RequestStore, "get" | "transitions">,
  name: RequestName,
): Promise<ChainLink[] | null> {
  const asked = await requests.get(name);
  if (!asked) return null;
  const seen = new Set<string>([name]);
  const walk = async (next: (record: RequestRecord) => RequestName | null): Promise<RequestRecord[]> => {
    const found: RequestRecord[] = [];
    for (let at = next(asked); at !== null && !seen.has(at) && seen.size < LONGEST; ) {
      seen.add(at);
      const record = await requests.get(at);
      if (!record) break;
      found.push(record);
      at = next(record);
    }
    return found;
  };
  const newer = await walk((record) => record.supersededBy);
  const older = await walk((record) => record.spec.previousVersion);
  const chain = [...newer.reverse(), asked, ...older];
  return Promise.all(chain.map(async (record) => ({ record, endedBecause: await endReason(requests, record) })));
}

async function endReason(requests: Pick<RequestStore, "transitions">, record: RequestRecord): Promise<string | null> {
  if (record.status !== "failed" && record.status !== "aborted") return null;
  const moves = await requests.transitions(record.spec.name);
  return moves.findLast((move) => move.to === record.status)?.reason ?? null;
}
