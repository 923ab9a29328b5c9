import { batchName, type DagId, type RequestName, type SiteName, type WorkflowId } from "../domain/names.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { NodeView } from "../domain/run.ts";
import type { PingOutcome } from "../engine/port.ts";
import type { RequestPageView } from "../operations/requests.ts";
import { answerWithin } from "./answer-within.ts";
import { SharedLook } from "./look-sharing.ts";
import { readLogs } from "./node-logs.ts";
import type { ApiPorts } from "./ports.ts";

type PageOf = Parameters<ApiPorts["store"]["workflows"]["list"]>[0];

/**
 * What people and programs may know, beside the commands that change something. Reads only; null: there is no such
 * thing.
 */
export type Queries = ReturnType<typeof makeQueries>;

export const makeQueries = (ports: ApiPorts) => ({
  ...requestQueries(ports),
  ...dagQueries(ports),
  ...siteQueries(ports),
  ...systemQueries(ports),
});

function requestQueries({ store }: ApiPorts) {
  /** The reason of the move that ended it; null unless it failed or was aborted. */
  const failureReason = async ({ spec, status }: RequestRecord): Promise<string | null> => {
    if (status !== "failed" && status !== "aborted") return null;
    const moves = await store.requests.transitions(spec.name);
    return moves.findLast((move) => move.to === status)?.reason ?? null;
  };
  return {
    requests: store.requests.list,
    /** Whoever asks for the same page at the same time shares one look and one view. */
    sharedPages: new SharedLook<RequestPageView>(),
    async request(name: RequestName) {
      const [record, workflow, moves] = await Promise.all([
        store.requests.get(name),
        store.workflows.forRequest(name),
        store.requests.transitions(name),
      ]);
      return record && { record, workflow, moves };
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
    blocks: store.outputs.list,
    async blocksOf(name: RequestName, page: PageOf) {
      return (await store.requests.get(name)) && store.outputs.list({ ...page, requestName: name });
    },
    alerts: store.alerts.list,
    audit: store.audit.list,
    async auditOf(name: RequestName, page: PageOf) {
      return (await store.requests.get(name)) && store.audit.list({ subject: name, ...page });
    },
  };
}

function dagQueries({ store, engine }: ApiPorts) {
  const looks = new SharedLook<readonly NodeView[]>();
  return {
    workflows: store.workflows.list,
    workflow: store.workflows.get,
    async workflowStatus(id: WorkflowId) {
      const workflow = await store.workflows.get(id);
      if (!workflow) return null;
      const [dag, blocks, units, files, planWarnings] = await Promise.all([
        workflow.currentDagId ? store.dags.get(workflow.currentDagId) : null,
        store.units.blocks(id),
        store.units.countByStatus(id),
        store.files.countByState(id),
        store.dags.planWarnings(workflow),
      ]);
      return { workflow, dag, blocks, units, files, planWarnings };
    },
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
    /** Live, from the engine. */
    async nodes(id: DagId) {
      const dag = await store.dags.get(id);
      if (!dag) return null;
      const { submitDir, engineId } = dag;
      const run = { dagId: id, submitDir, engineId, batchName: batchName(id), priority: 0 };
      return looks.ask(id, () => engine.nodes(run));
    },
    logs: readLogs,
  };
}

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
    async health() {
      const ofStore = async () => {
        await store.ping();
        return { ok: true, words: info.store };
      };
      const ofLoop = async () => {
        const { healthy: ok, why } = await loop.status();
        return { ok, words: why };
      };
      // What the watch found out: nobody outside is asked just because somebody looks at us.
      const ofCatalog = async () => {
        const away = (await store.alerts.open()).filter(({ key }) => key.startsWith("catalog-unreachable:"));
        return { ok: away.length === 0, words: away.map(({ message }) => message).join("; ") || info.catalog };
      };
      const asked = [ofStore, ofLoop, ofCatalog].map((look) => answerWithin(probeMs, look));
      const [ofTheStore, ofTheLoop, ofTheCatalog] = await Promise.all(asked);
      return { store: ofTheStore!, loop: ofTheLoop!, catalog: ofTheCatalog! };
    },
    async status() {
      const [health, requests, workflows, blocks, dags, sites, alerts, pong] = await Promise.all([
        loop.status(),
        store.requests.countByStatus(),
        store.workflows.countByStatus(),
        store.units.blockCountByStatus(),
        store.dags.open(),
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
        dagsOpen: dags.length,
        queued: requests.queued ?? 0,
        sites,
        alerts,
      };
    },
    /** Prometheus text. Scrapers that come at once share one look into the store. */
    metrics: () => scrapes.ask("", () => metrics.render(store)),
  };
}

const NONE = { items: [], nextCursor: null };
