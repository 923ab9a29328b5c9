import { setTimeout as sleep } from "node:timers/promises";
import { WorldError } from "../core/base/errors.ts";
import { isTerminal } from "../core/request-status.ts";
import { type Client, inBatches } from "./client.ts";
import { duration, stamp } from "./view/text.ts";
import { hasEnded, type WatchedRequest } from "./view/watched.ts";

/** Beyond this, units are counted but not shown one by one. */
const MAX_UNITS = 2000;

export interface Notice {
  readonly kind: "silent" | "other-server" | "outage";
  readonly message: string;
}

/** Whoever shows progress: a live picture, lines, or JSON. */
export interface Show {
  /** `notice`: the server does not answer, or another one does. */
  update(watched: readonly WatchedRequest[], notice: Notice | null): void;
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
    /** Nobody sees how far it is: jobs are asked for at the end only. */
    readonly endOnly?: boolean;
  },
): Promise<readonly WatchedRequest[]> {
  const known = new Map<string, WatchedRequest>();
  let wanted = [...names];
  let silentSince: number | null = null;
  const servers = new Set<string | null>([null]);
  let other: Notice | null = null;
  try {
    for (;;) {
      const begun = performance.now();
      try {
        if (options.more) wanted = [...new Set([...wanted, ...(await options.more())])];
        await look(client, wanted, known, options.endOnly === true);
        // Several behind one address take turns: each is mentioned once.
        if (servers.size > 1 && !servers.has(client.instance)) other = await otherServer(client);
        servers.add(client.instance);
        silentSince = null;
      } catch (error) {
        const first = known.size === 0;
        if (first || !(error instanceof WorldError)) throw error;
        if (error.code === "not-found" && !servers.has(client.instance)) throw await unknownThere(client, error);
        if (!SILENCE.includes(error.code)) throw error;
        silentSince ??= Date.now();
      }
      const watched = wanted.map((name) => known.get(name)).filter((one) => one !== undefined);
      show.update(watched, silentSince === null ? other : silence(client, silentSince));
      if (options.signal.aborted || (silentSince === null && watched.every(hasEnded))) return watched;
      const tookMs = options.endOnly ? 0 : performance.now() - begun;
      const pauseMs = Math.min(Math.max(options.everyMs, LOOKS_SHARE * tookMs), MOST_PAUSE_MS);
      await untilLook(client, watched, pauseMs, options);
    }
  } finally {
    show.close();
  }
}

/** Until the next look. With many jobs that is a while: meanwhile a request alone is asked whether it has ended, which costs little. */
async function untilLook(
  client: Client,
  watched: readonly WatchedRequest[],
  pauseMs: number,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const [only, ...others] = watched;
  const end = performance.now() + pauseMs;
  for (let left = pauseMs; left > 0 && !signal.aborted; left = end - performance.now()) {
    await sleep(Math.min(left, everyMs), undefined, { signal }).catch(() => {});
    if (!only || others.length > 0 || only.units.length === 0 || left <= everyMs) continue;
    const name = only.request.request_name;
    // Whatever is wrong, the next look tells.
    const request = await client.requests.show({ name }).catch(() => null);
    if (request === null || hasEnded({ ...only, request })) return;
  }
}

/** A look at thousands of jobs is work for the server, which may be on the machine that runs them: it gets a tenth of the time. */
const LOOKS_SHARE = 10;
const MOST_PAUSE_MS = 5000;

const SILENCE: readonly string[] = ["server-unreachable", "store-unreachable", "engine-unreachable"];

const silence = (client: Client, since: number): Notice => ({
  kind: "silent",
  message: `no answer from ${client.url} for ${duration((Date.now() - since) / 1000)}; waiting for it, jobs go on meanwhile`,
});

async function otherServer(client: Client): Promise<Notice> {
  const { host, started_at, directories } = await client.system.status();
  const where = `on ${host} since ${stamp(started_at)}, data in ${directories.data_dir}`;
  const message = `the server at ${client.url} is another one than before, or was started again: ${where}`;
  return { kind: "other-server", message };
}

/** What was watched is not there any more because somebody else answers. */
async function unknownThere(client: Client, cause: WorldError): Promise<WorldError> {
  const { message } = await otherServer(client);
  const hint = "name the server you mean with --server or --data-dir";
  return new WorldError("not-found", cause.subject, `${cause.message}: ${message}`, { hint });
}

async function look(
  client: Client,
  names: readonly string[],
  known: Map<string, WatchedRequest>,
  endOnly: boolean,
): Promise<void> {
  const due = names.filter((name) => {
    const seen = known.get(name);
    return !seen || !isTerminal(seen.request.status);
  });
  for (const one of await inBatches(due, (name) => lookAt(client, name, endOnly)))
    known.set(one.request.request_name, one);
}

async function lookAt(client: Client, name: string, endOnly: boolean): Promise<WatchedRequest> {
  const request = await client.requests.show({ name });
  const id = request.workflow?.dag_id;
  if (!id || (endOnly && !hasEnded({ request, dag: null, units: [] }))) return { request, dag: null, units: [] };
  const dag = await client.dags.show({ id });
  const countable = dag.work_units.total <= MAX_UNITS && !["planning", "ready"].includes(dag.status);
  const units = countable ? await unitsOf(client, id) : [];
  return { request, dag, units };
}

/** Asked of the engine: when it does not answer, the numbers above them still tell how far it is. */
async function unitsOf(client: Client, dag: string): Promise<WatchedRequest["units"]> {
  try {
    return (await client.dags.units({ id: dag, limit: MAX_UNITS })).items;
  } catch (error) {
    if (error instanceof WorldError && error.code === "engine-unreachable") return [];
    throw error;
  }
}
