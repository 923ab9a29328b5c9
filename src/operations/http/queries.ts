import { explainBlock } from "../../core/block-waits.ts";
import { type DagId, jobIndex, type RequestName, type SiteName, type WorkflowId } from "../../core/names.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { PingOutcome } from "../../engines/port.ts";
import type { Store } from "../../store/port.ts";
import { answerWithin, promptly } from "./answer-within.ts";
import { readFreshness } from "./freshness.ts";
import { liveNodes } from "./live-nodes.ts";
import { type AlikeWanted, attemptsAlike } from "./log-alike.ts";
import { type GrepWanted, grepLog, type LogWanted, type RangeWanted, readLogRange } from "./log-range.ts";
import { SharedLook } from "./look-sharing.ts";
import { readLogs, unitNamed } from "./node-logs.ts";
import type { ApiPorts } from "./ports.ts";
import { readUnitGraph } from "./unit-graph.ts";
import { paceTimes } from "./views/how-far.ts";

type PageOf = Parameters<ApiPorts["store"]["workflows"]["list"]>[0];

/**
 * What people and programs may know, beside the commands that change something. Reads only; null: there is no such
 * thing.
 */
export type Queries = ReturnType<typeof makeQueries>;

export const makeQueries = (ports: ApiPorts) => ({
  ...requestQueries(ports),
  ...dagQueries(ports),
  ...fileQueries(ports),
  ...siteQueries(ports),
  ...systemQueries(ports),
  ...deskQueries(ports),
});

function deskQueries({ store, clock }: ApiPorts) {
  return {
    async history(since: Date) {
      const [samples, { units }] = await Promise.all([store.desk.history(null, since), store.desk.facets({}, [])]);
      return { samples, progress: null, now: units };
    },
    async historyOf(name: RequestName, since: Date) {
      const [samples, progress] = await Promise.all([
        store.desk.history(name, since),
        store.desk.progress([name], paceTimes(clock.now())),
      ]);
      const isThere = progress.size > 0 || (await store.requests.get(name)) !== null;
      const now = progress.get(name) ?? null;
      return isThere ? { samples, progress: now, now } : null;
    },
    feed: store.desk.feed,
    happened: store.desk.happened,
    inNeed: store.desk.inNeed,
    openAlertGroups: store.desk.openAlerts,
    siteHours: store.desk.siteHours,
  };
}

/** Open pages ask once a second, and wait a second after a hint: for them an answer is never older than what they heard of. */
const KEEP_MS = 1000;

function requestQueries({ store, clock, events, tuning }: ApiPorts) {
  const sharedAnswers = new SharedLook<unknown>(tuning?.keepMs ?? KEEP_MS);
  events.subscribe(({ type }) => {
    if (type === "request.moved") sharedAnswers.changed();
  });
  /** The reason of the move that ended it; null unless it failed or was aborted. */
  const failureReason = async ({ spec, status }: RequestRecord): Promise<string | null> => {
    if (status !== "failed" && status !== "aborted") return null;
    const moves = await store.requests.transitions(spec.name);
    return moves.findLast((move) => move.to === status)?.reason ?? null;
  };
  return {
    requests: store.requests.list,
    facets: store.desk.facets,
    /** Of those that have a workflow. */
    progress: (names: readonly RequestName[]) => store.desk.progress(names, paceTimes(clock.now())),
    /** Whoever asks for the same at the same time, or a moment later, shares one look. */
    sharedAnswers,
    /** Something was changed: whoever asks from now on sees it. */
    forget: () => sharedAnswers.changed(),
    async request(name: RequestName) {
      const [record, workflow, moves, progress] = await Promise.all([
        store.requests.get(name),
        store.workflows.forRequest(name),
        store.requests.transitions(name),
        store.desk.progress([name], paceTimes(clock.now())),
      ]);
      return record && { record, workflow, moves, progress: progress.get(name) ?? null };
    },
    async transitions(name: RequestName) {
      const moves = await store.requests.transitions(name);
      return moves.length > 0 || (await store.requests.get(name)) ? moves : null;
    },
    /** Newest first. */
    async versions(name: RequestName) {
      const newestFirst = (await store.requests.versions(name)).toReversed();
      return Promise.all(newestFirst.map(async (record) => ({ record, failureReason: await failureReason(record) })));
    },
    async outputs(name: RequestName, page: PageOf) {
      const workflow = await store.workflows.forRequest(name);
      if (workflow) return store.units.outputs(workflow.id, page);
      return (await store.requests.get(name)) ? NONE : null;
    },
    imports: store.imports.list,
    imported: store.imports.get,
    blocks: (page: PageOf) => explainedBlocks(store, page),
    async blocksOf(name: RequestName, page: PageOf) {
      return (await store.requests.get(name)) && explainedBlocks(store, { ...page, requestName: name });
    },
    outputSums: store.outputs.sums,
    alerts: store.alerts.list,
    openAlerts: store.alerts.countOpen,
    audit: store.audit.list,
    async auditOf(name: RequestName, page: PageOf) {
      return (await store.requests.get(name)) && store.audit.list({ subject: name, ...page });
    },
  };
}

async function explainedBlocks({ outputs }: Store, wanted: Parameters<Store["outputs"]["list"]>[0]) {
  const page = await outputs.list(wanted);
  return { ...page, items: page.items.map((block) => ({ ...block, ...explainBlock(block) })) };
}

function dagQueries(ports: ApiPorts) {
  const { store } = ports;
  return {
    workflows: store.workflows.list,
    workflow: store.workflows.get,
    workflowStatus: (id: WorkflowId) => workflowStatus(ports, id),
    /** The workflow of a request; null: there is no such request. undefined: it has none yet. */
    async workflowOf(name: RequestName) {
      const workflow = await store.workflows.forRequest(name);
      return workflow ?? ((await store.requests.get(name)) ? undefined : null);
    },
    dags: store.dags.list,
    dag: store.dags.get,
    async dagDetail(id: DagId) {
      const dag = await store.dags.get(id);
      if (!dag) return null;
      const [workflow, history] = await Promise.all([store.workflows.get(dag.workflowId), store.dags.history(id)]);
      return { dag, workflow, history };
    },
    nodes: liveNodes(ports),
  };
}

/** What jobs wrote, and how their units hang together. */
function fileQueries({ store }: ApiPorts) {
  return {
    logs: readLogs,
    unitNamed,
    unitGraph: readUnitGraph,
    logRange: (name: RequestName, wanted: InRound<RangeWanted>) => inRound(name, wanted, readLogRange),
    grepLog: (name: RequestName, wanted: InRound<GrepWanted>) =>
      inRound(name, wanted, (submitDir, asked: GrepWanted) => grepLog(submitDir, asked)),
    async logAlike(name: RequestName, wanted: AlikeWanted) {
      const submitDir = await presentDirectory(name);
      return submitDir === null && !(await store.requests.get(name)) ? null : attemptsAlike(submitDir, wanted);
    },
  };
  /** Units are numbered through all rounds, so a name is found in the one that has it; jobs of a graph in the newest. */
  async function inRound<W extends LogWanted, T>(
    name: RequestName,
    wanted: InRound<W>,
    read: (submitDir: string, wanted: W) => Promise<T | null>,
  ): Promise<T | null> {
    for (const submitDir of await directoriesOf(name)) {
      const unit = await unitNamed(submitDir, wanted.unit);
      // A job of a graph is the only node of its unit.
      const node = jobIndex(unit) === null ? wanted.node : unit;
      const found = node === undefined ? null : await read(submitDir, { ...wanted, unit, node } as unknown as W);
      if (found !== null) return found;
    }
    return null;
  }
  /** Newest first. */
  async function directoriesOf(name: RequestName): Promise<ReadonlySet<string>> {
    const workflow = await store.workflows.forRequest(name);
    return new Set(workflow ? (await store.dags.ofWorkflow(workflow.id)).map(({ submitDir }) => submitDir) : []);
  }
  async function presentDirectory(name: RequestName): Promise<string | null> {
    const id = (await store.workflows.forRequest(name))?.currentDagId;
    return (id ? await store.dags.get(id) : null)?.submitDir ?? null;
  }
}
/** A job of a graph needs no node. */
type InRound<W extends LogWanted> = Omit<W, "node"> & { node?: string | undefined };

function siteQueries({ store, clock }: ApiPorts) {
  return {
    async sites() {
      const [sites, bans] = await Promise.all([store.sites.list(), store.sites.activeBans(clock.now())]);
      return sites.map((site) => ({ ...site, bans: bans.filter((ban) => ban.site === site.name) }));
    },
    async site(name: SiteName) {
      const [site, bans] = await Promise.all([store.sites.get(name), store.sites.activeBans(clock.now())]);
      return site && { ...site, bans: bans.filter((ban) => ban.site === name) };
    },
    async bans(name: SiteName, includePast: boolean) {
      return (await store.sites.get(name)) && store.sites.bans({ sites: [name], includePast, at: clock.now() });
    },
  };
}

function systemQueries({ store, engine, clock, loop, info, tuning, metrics }: ApiPorts) {
  const pings = new SharedLook<PingOutcome>();
  const scrapes = new SharedLook<{ contentType: string; text: string }>();
  const probeMs = tuning?.probeMs ?? 2000;
  return {
    loop: () => loop.status(),
    freshness: () => readFreshness({ store, engine, clock, loop, info }, probeMs),
    health: promptly(2 * probeMs, async () => {
      const ofStore = async () => {
        await store.ping();
        return { ok: true, text: info.store };
      };
      const ofLoop = async () => {
        const { healthy: ok, why } = await loop.status();
        return { ok, text: why };
      };
      // What the watch found out: nobody outside is asked just because somebody looks at us.
      const ofCatalog = async () => {
        const away = (await store.alerts.open()).filter(({ key }) => key.startsWith("catalog-unreachable:"));
        return { ok: away.length === 0, text: away.map(({ message }) => message).join("; ") || info.catalog };
      };
      const asked = [ofStore, ofLoop, ofCatalog].map((look) => answerWithin(probeMs, look));
      const [ofTheStore, ofTheLoop, ofTheCatalog] = await Promise.all(asked);
      return { store: ofTheStore!, loop: ofTheLoop!, catalog: ofTheCatalog! };
    }),
    async status() {
      const [health, requests, resting, workflows, blocks, dagsOpen, sites, alerts, pong] = await Promise.all([
        loop.status(),
        store.requests.countByStatus(),
        store.requests.resting(clock.now()),
        store.workflows.countByStatus(),
        store.units.blockCountByStatus(),
        store.dags.countOpen(),
        store.sites.list(),
        store.alerts.open(),
        answerWithin(probeMs, () => pings.ask("", () => engine.ping())),
      ]);
      const at = clock.now();
      return {
        ...info,
        uptimeSec: Math.floor((at.getTime() - info.startedAt.getTime()) / 1000),
        at,
        store: { kind: info.store },
        engine: { name: info.engine, warnings: [], ...pong },
        loop: health,
        requests,
        workflows,
        blocks,
        dagsOpen,
        queued: (requests.queued ?? 0) - resting.size,
        sites,
        alerts,
      };
    },
    /** Prometheus text. Scrapers that come at once share one look into the store. */
    metrics: () => scrapes.ask("", () => metrics.render(store, clock.now())),
  };
}

const NONE = { items: [], nextCursor: null };

async function workflowStatus({ store, clock }: Pick<ApiPorts, "store" | "clock">, id: WorkflowId) {
  const workflow = await store.workflows.get(id);
  if (!workflow) return null;
  const name = workflow.requestName;
  const [progress, dag, blocks, units, files, planWarnings] = await Promise.all([
    store.desk.progress([name], paceTimes(clock.now())),
    workflow.currentDagId ? store.dags.get(workflow.currentDagId) : null,
    store.units.blocks(id),
    store.units.countByStatus(id),
    store.files.countByState(id),
    store.dags.planWarnings(workflow),
  ]);
  return { workflow, progress: progress.get(name) ?? null, dag, blocks, units, files, planWarnings };
}
