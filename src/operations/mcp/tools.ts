import { releaseFields } from "../../core/release.ts";
import { OPERATIONS } from "../table.ts";
import * as next from "./next-steps.ts";
import { makeTools, type Tool, type ToolRow } from "./tool.ts";

/** What a person asks of one request: the answer without the whole request in it. */
const act = (action: string, more: Partial<ToolRow> = {}): ToolRow => ({
  of: `actions.${action}`,
  takes: ["name", "reason"],
  without: ["request"],
  next: next.afterChange,
  ...more,
});

/** Which operations agents get as tools, named like the commands of the command line. */
export const ROWS: Readonly<Record<string, ToolRow>> = {
  list: {
    of: "requests.list",
    about: "Begin here: requests, how far each is and why it waits; sort and filter; facets: true counts them",
    next: next.afterList,
  },
  causes: {
    of: "desk.causes",
    about:
      "What fails over all requests, by code, site and file, with what to do about it and the filter for a bulk action",
    outside: true,
  },
  actions: { of: "desk.actions" },
  feed: {
    of: "desk.feed",
    about: "What happened since a time (since: 8h): moves, actions of people, alerts, bans, runs",
  },
  handover: { of: "desk.handover", list: "groups" },
  search: { of: "desk.search" },
  history: { of: "desk.requestHistory", list: "samples" },
  show: {
    of: "requests.show",
    about: "One request: state, hold, allowed actions, progress, moves; its spec is the resource wms2://requests/NAME",
    without: ["spec", "payload_config", "splitting_params"],
    next: next.afterShow,
  },
  errors: {
    of: "attempts.errors",
    about: "What failed in the present round: causes, codes, sites, hosts, files with counts, log ends, what to try",
    outside: true,
    list: "codes",
    next: next.afterErrors,
  },
  attempts: { of: "attempts.list", outside: true, next: next.afterAttempts },
  logs: { of: "attempts.log", outside: true, next: next.afterLogs },
  grep: { of: "attempts.grep", outside: true, list: "matches" },
  unclassified: { of: "attempts.unclassified", outside: true, next: next.afterUnclassified },
  groups: { of: "recovery.groups", outside: true, list: "groups" },
  metrics: {
    of: "requests.show",
    about: "What the jobs of a request used, by step and round, against what they asked for, and why",
    only: ["workflow", "step_metrics"],
  },
  plan: { of: "requests.plan" },
  queue: { of: "admission.queue", list: "entries" },
  sites: { of: "sites.list" },
  alerts: { of: "alerts.list", next: next.afterAlerts },
  policy_explain: { of: "policy.explain" },
  simulate: { of: "system.simulate", looks: true },
  validate: {
    of: "requests.submit",
    about: "Check a request and store nothing: all problems at once, and what its first round would be",
    takes: ["document"],
    fixed: { dry_run: true },
    looks: true,
    without: ["request"],
    next: next.afterValidate,
  },
  submit: {
    of: "requests.submit",
    about: "Submit a request",
    takes: ["document"],
    without: ["request", "spec"],
    next: next.afterSubmit,
  },
  release: act("release", { takes: ["name", "reason", "how", "from", ...releaseFields.map(([name]) => name)] }),
  classify: { of: "attempts.classify", next: next.afterChange },
  recover: { of: "recovery.recover", list: "nodes", next: next.afterChange },
  resubmit: act("resubmit", { takes: ["name", "reason", "nodes", "units", "memory_mb", "wall_minutes", "sites"] }),
  stop: act("stop", { fixed: { then: "hold" } }),
  requeue: act("requeue"),
  resume: act("resume"),
  hold: act("hold"),
  abort: act("abort", { destroys: true }),
  ban: { of: "sites.ban", takes: ["name", "request", "days", "reason"] },
  ...segments(),
};

/** Products of model runs (docs/segments.md). */
function segments(): Readonly<Record<string, ToolRow>> {
  return {
    fill_plan: {
      of: "fill.plan",
      about: "What is missing of a model run (kind segments), what would be made, and what keeps the rest from it",
      outside: true,
      without: ["rows"],
      list: "actions",
      next: next.afterFillPlan,
    },
    products: { of: "fill.nodes", outside: true },
    fill: { of: "fill.apply", outside: true, next: next.afterChange },
    verify: { of: "fill.verify", list: "nodes", next: next.afterVerify },
    release_products: { of: "fill.release", list: "nodes", next: next.afterProducts },
    state_import: { of: "frepp.importState", list: "lines", next: next.afterProducts },
    state_export: { of: "frepp.exportState", list: "lines" },
    transfers: { of: "frepp.transfers", next: next.afterTransfers },
    retry_transfers: { of: "frepp.retryTransfers", next: next.afterProducts },
  };
}

export const TOOLS: ReadonlyMap<string, Tool> = makeTools(ROWS, OPERATIONS);
