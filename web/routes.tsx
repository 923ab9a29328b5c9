import { type ComponentType, lazy, type ReactNode } from "react";
import { DeskPage } from "./pages/desk.tsx";
import { RequestPage } from "./pages/request.tsx";
import { RequestsPage } from "./pages/requests.tsx";
import { PageNotFetched } from "./reload.ts";

/** Every page: where it is, what it is called, and from where one gets there. */
export interface Page {
  readonly path: string;
  readonly title: string;
  /** top: from the bar · more: from its popover · null: only from other pages. */
  readonly menu: "top" | "more" | null;
  readonly component: ComponentType<never>;
}

/** A page whose code is fetched when somebody opens it, so that the first one is there at once. */
const later = <N extends string>(load: () => Promise<Record<N, () => ReactNode>>, name: N): ComponentType<never> =>
  lazy(async () => ({ default: (await load().catch(notFetched))[name] as ComponentType }));

function notFetched(cause: unknown): never {
  throw new PageNotFetched(String(cause), { cause });
}

export const PAGES: readonly Page[] = [
  { path: "/", title: "Desk", menu: "top", component: DeskPage },
  { path: "/requests", title: "Requests", menu: "top", component: RequestsPage },
  {
    path: "/requests/:name/units",
    title: "Units",
    menu: null,
    component: later(() => import("./pages/units.tsx"), "UnitsPage"),
  },
  {
    path: "/requests/:name/units/:unit",
    title: "Unit",
    menu: null,
    component: later(() => import("./pages/unit.tsx"), "UnitPage"),
  },
  {
    path: "/requests/:name/nodes/:node",
    title: "Job",
    menu: null,
    component: later(() => import("./pages/node.tsx"), "NodePage"),
  },
  {
    path: "/requests/:name/log",
    title: "Log",
    menu: null,
    component: later(() => import("./pages/log.tsx"), "LogPage"),
  },
  {
    path: "/requests/:name/graph",
    title: "Graph",
    menu: null,
    component: later(() => import("./pages/graph.tsx"), "GraphPage"),
  },
  {
    path: "/requests/:name/failures",
    title: "Failures",
    menu: null,
    component: later(() => import("./pages/failures.tsx"), "FailuresPage"),
  },
  {
    path: "/requests/:name/fill",
    title: "Products",
    menu: null,
    component: later(() => import("./pages/fill.tsx"), "FillPage"),
  },
  {
    path: "/requests/:name/outputs",
    title: "Outputs",
    menu: null,
    component: later(() => import("./pages/outputs.tsx"), "OutputsPage"),
  },
  { path: "/requests/:name", title: "Request", menu: null, component: RequestPage },
  { path: "/queue", title: "Queue", menu: "top", component: later(() => import("./pages/queue.tsx"), "QueuePage") },
  { path: "/sites", title: "Sites", menu: "top", component: later(() => import("./pages/sites.tsx"), "SitesPage") },
  { path: "/sites/:name", title: "Site", menu: null, component: later(() => import("./pages/site.tsx"), "SitePage") },
  { path: "/alerts", title: "Alerts", menu: "top", component: later(() => import("./pages/alerts.tsx"), "AlertsPage") },
  {
    path: "/handover",
    title: "Hand-over",
    menu: "top",
    component: later(() => import("./pages/handover.tsx"), "HandoverPage"),
  },
  { path: "/audit", title: "Audit", menu: "more", component: later(() => import("./pages/audit.tsx"), "AuditPage") },
  {
    path: "/system",
    title: "System",
    menu: "more",
    component: later(() => import("./pages/system.tsx"), "SystemPage"),
  },
  {
    path: "/submit",
    title: "Submit",
    menu: "more",
    component: later(() => import("./pages/submit.tsx"), "SubmitPage"),
  },
  {
    path: "/policy",
    title: "Policy",
    menu: "more",
    component: later(() => import("./pages/policy.tsx"), "PolicyPage"),
  },
  {
    path: "/blocks",
    title: "Blocks",
    menu: "more",
    component: later(() => import("./pages/blocks.tsx"), "BlocksPage"),
  },
  {
    path: "/simulate",
    title: "Simulate",
    menu: "more",
    component: later(() => import("./pages/simulate.tsx"), "SimulatePage"),
  },
];
