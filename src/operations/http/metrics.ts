import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { REQUEST_STATUSES } from "../../core/request-status.ts";
import { BLOCK_STATUSES, WORKFLOW_STATUSES } from "../../core/workflow.ts";
import type { Store } from "../../store/port.ts";

const SEVERITIES = ["info", "warning", "critical"] as const;

/** What the rest of the program may count, and the text a Prometheus server reads. */
export type Metrics = ReturnType<typeof makeMetrics>;

export function makeMetrics(version = "unknown") {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const stored = storeGauges(registers);
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const storeUp = gauge("wms2_store_up", "1 when the store answered this scrape; if 0, its gauges are missing");
  gauge("wms2_build_info", "1, labelled with the version", ["version"]).set({ version }, 1);

  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const passSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
  const passes = histogram("wms2_pass_seconds", "Duration of lifecycle passes", passSeconds);
  const callSeconds = [0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
  const engineCalls = histogram("wms2_engine_call_seconds", "Latency of calls to the engine", callSeconds, ["call"]);
  const catalogLabels = ["service", "operation", "outcome"];
  const catalogCalls = histogram(
    "wms2_catalog_call_seconds",
    "Latency of calls to services of the catalog",
    callSeconds,
    catalogLabels,
  );
  const httpSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10];
  const httpLabels = ["method", "route", "status"];
  const http = histogram("wms2_http_request_seconds", "Latency of API answers", httpSeconds, httpLabels);
  const help = "Decisions of the lifecycle";
  const decisions = new Counter({ name: "wms2_decisions_total", help, labelNames: ["decision"], registers });

  return {
    observePass: (seconds: number) => passes.observe(seconds),
    countDecision: (decision: string) => decisions.inc({ decision }),
    observeEngineCall: (call: string, seconds: number) => engineCalls.observe({ call }, seconds),
    observeCall: (service: string, operation: string, outcome: string, seconds: number) =>
      catalogCalls.observe({ service, operation, outcome }, seconds),
    observeHttp: (method: string, route: string, status: number, seconds: number) =>
      http.observe({ method, route, status }, seconds),
    /** Looks into the store and writes everything down. */
    async render(store: Store, at: Date): Promise<{ contentType: string; text: string }> {
      // Without a store there is still the loop to look at: old numbers go, wms2_store_up tells why.
      const isUp = await stored.collect(store, at).then(
        () => true,
        () => stored.forget(),
      );
      storeUp.set(isUp ? 1 : 0);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** What the store knows: seven queries, whatever the number of requests. */
function storeGauges(registers: Registry[]) {
  const all: Gauge[] = [];
  const gauge = (name: string, help: string, labelNames: string[] = []) => {
    const made = new Gauge({ name, help, labelNames, registers });
    all.push(made);
    return made;
  };
  const workflows = gauge("wms2_workflows", "Workflows by status", ["status"]);
  const requests = gauge("wms2_requests", "Requests by status", ["status"]);
  const waiting = gauge("wms2_requests_waiting", "Open requests by what they wait for", ["reason"]);
  const queueDepth = gauge("wms2_admission_queue_depth", "Requests that wait for a place");
  const dagProgress = gauge("wms2_dag_progress", "Share of nodes done of every open DAG", ["dag_id"]);
  const dagsOpen = gauge("wms2_dags_open", "DAGs an engine may have");
  const blocks = gauge("wms2_blocks", "Processing blocks by status", ["status"]);
  const alerts = gauge("wms2_alerts", "Open alerts by severity", ["severity"]);
  const forget = (): false => {
    for (const gauge of all) gauge.reset();
    return false;
  };
  return {
    forget,
    async collect(store: Store, at: Date): Promise<void> {
      const [byRequest, resting, byWait, byWorkflow, open, byBlock, openAlerts] = await Promise.all([
        store.requests.countByStatus(),
        store.requests.resting(at),
        store.requests.countByWait(),
        store.workflows.countByStatus(),
        store.dags.open(),
        store.units.blockCountByStatus(),
        store.alerts.open(),
      ]);
      forget();
      for (const status of REQUEST_STATUSES) requests.set({ status }, byRequest[status] ?? 0);
      for (const [reason, number] of Object.entries(byWait)) waiting.set({ reason }, number);
      for (const status of WORKFLOW_STATUSES) workflows.set({ status }, byWorkflow[status] ?? 0);
      for (const status of BLOCK_STATUSES) blocks.set({ status }, byBlock[status] ?? 0);
      queueDepth.set((byRequest.queued ?? 0) - resting.size);
      dagsOpen.set(open.length);
      for (const dag of open) dagProgress.set({ dag_id: dag.id }, dag.nodes.done / Math.max(dag.nodes.total, 1));
      for (const severity of SEVERITIES)
        alerts.set({ severity }, openAlerts.filter((alert) => alert.severity === severity).length);
    },
  };
}
