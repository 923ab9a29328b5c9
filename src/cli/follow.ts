import { setTimeout as sleep } from "node:timers/promises";
import type { DagView, RequestDetailView, UnitPageView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { isTerminal } from "../domain/request-status.ts";
import { type Client, inBatches, part } from "./client.ts";
import { duration } from "./view/text.ts";
import { hasEnded, type WatchedRequest } from "./view/watched.ts";

/** Beyond this, units are counted but not shown one by one. */
const MAX_UNITS = 2000;

/** Whoever shows progress: a live picture, lines, or JSON. */
export interface Show {
  update(watched: readonly WatchedRequest[], notice: string | null): void;
  close(): void;
}

/**
 * Looks at the requests again and again until all of them ended or wait for a person. A server that stops
 * answering is waited for: jobs go on without it, and it may come back elsewhere. Only the first look must succeed. The show is closed at the end.
 */
export async function follow(
  client: Client,
  names: readonly string[],
  show: Show,
  options: {
    readonly everyMs: number;
    readonly signal: AbortSignal;
    /** Names that came up since the start are watched too. */
    readonly more?: () => Promise<readonly string[]>;
  },
): Promise<readonly WatchedRequest[]> {
  const known = new Map<string, WatchedRequest>();
  let wanted = [...names];
  let silentSince: number | null = null;
  try {
    for (;;) {
      try {
        if (options.more) wanted = [...new Set([...wanted, ...(await options.more())])];
        await look(client, wanted, known);
        silentSince = null;
      } catch (error) {
        const first = known.size === 0;
        if (first || !(error instanceof WorldError) || !SILENCE.includes(error.code)) throw error;
        silentSince ??= Date.now();
      }
      const watched = wanted.map((name) => known.get(name)).filter((one) => one !== undefined);
      show.update(watched, silentSince === null ? null : silence(client, silentSince));
      if (options.signal.aborted || (silentSince === null && watched.every(hasEnded))) return watched;
      await sleep(options.everyMs, undefined, { signal: options.signal }).catch(() => {});
    }
  } finally {
    show.close();
  }
}

const SILENCE: readonly string[] = ["server-unreachable", "store-unreachable", "engine-unreachable"];

const silence = (client: Client, since: number): string =>
  `no answer from ${client.url} since ${duration((Date.now() - since) / 1000)}; waiting for it, jobs go on meanwhile`;

async function look(client: Client, names: readonly string[], known: Map<string, WatchedRequest>): Promise<void> {
  const due = names.filter((name) => {
    const seen = known.get(name);
    return !seen || !isTerminal(seen.request.status);
  });
  for (const one of await inBatches(due, (name) => lookAt(client, name))) known.set(one.request.request_name, one);
}

async function lookAt(client: Client, name: string): Promise<WatchedRequest> {
  const request = await client.get<RequestDetailView>(`/requests/${part(name)}`);
  const id = request.workflow?.dag_id;
  if (!id) return { request, dag: null, units: [] };
  const dag = await client.get<DagView>(`/dags/${part(id)}`);
  const countable = dag.work_units.total <= MAX_UNITS && !["planning", "ready"].includes(dag.status);
  const units = countable ? await unitsOf(client, id) : [];
  return { request, dag, units };
}

/** Asked of the engine: when it does not answer, the numbers above them still tell how far it is. */
async function unitsOf(client: Client, dag: string): Promise<WatchedRequest["units"]> {
  try {
    return (await client.get<UnitPageView>(`/dags/${part(dag)}/units`, { limit: MAX_UNITS })).items;
  } catch (error) {
    if (error instanceof WorldError && error.code === "engine-unreachable") return [];
    throw error;
  }
}
