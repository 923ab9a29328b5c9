/** The views as TypeScript types, for whoever speaks HTTP to this server. Types only: importing it loads nothing. */

export type {
  AttemptPageView,
  AttemptView,
  ClassifiedView,
  NodeActionView,
  UnclassifiedView,
} from "./schemas/attempts.ts";
export type {
  DagDetailView,
  DagPageView,
  DagView,
  LogFileView,
  LogsView,
  NodePageView,
  NodeRowView,
  TailView,
  UnitPageView,
  UnitRowView,
} from "./schemas/dag.ts";
export type { ErrorsBodyView } from "./schemas/errors.ts";
export type { ActedView, BulkAnswerView } from "./schemas/operate.ts";
export type {
  AcknowledgedView,
  AlertPageView,
  AlertView,
  AuditPageView,
  AuditView,
  BannedView,
  BansView,
  BanView,
  ChangedSiteView,
  SiteEffectView,
  UnbannedView,
} from "./schemas/operators.ts";
export type { ProblemView } from "./schemas/problem.ts";
export type {
  CheckedView,
  RequestDetailView,
  RequestPageView,
  RequestRowView,
  RequestView,
  SubmittedView,
  TransitionsView,
  TransitionView,
  VersionsView,
  VersionView,
} from "./schemas/request.ts";
export type { SpecView } from "./schemas/spec.ts";
export type {
  AdmissionConfigView,
  HealthView,
  LoopView,
  QueueView,
  SitesView,
  SiteView,
  StatusView,
} from "./schemas/system.ts";
export type {
  OutputPageView,
  OutputView,
  WorkflowPageView,
  WorkflowStatusView,
  WorkflowView,
} from "./schemas/workflow.ts";
export type { LiveEventView } from "./views/event.ts";
