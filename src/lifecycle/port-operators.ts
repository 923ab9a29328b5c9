import type { DagId, RequestName, SiteName } from "../domain/names.ts";
import type { AlertRecord, BanRecord, NewNodeAction, NodeAction, NodeChanges } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { AttemptRecord, EpochRecord } from "../recovery/ledger-record.ts";
import type { RequestFilter } from "../store/port.ts";
import type { ActAnswer, OperatorRequest, Seen } from "./port.ts";

/** The operator's commands about nodes, sites, DAGs and alerts, and the same for many requests; see port.ts. */
export interface OperatorCommands {
  /** The same action for many requests, one after another, each with its own answer. */
  actMany(which: ManyRequests, wanted: OperatorRequest, by: By): Promise<ManyAnswer>;
  /** The story of a request's nodes, newest round first, whole units a page; null: no such request. */
  attempts(name: RequestName, filter: AttemptFilter): Promise<AttemptPage | null>;
  /** Nodes whose last failure no rule knew, in the present run; null: no such request. */
  unclassified(
    name: RequestName,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<UnclassifiedPage | null>;
  /** Says what such failures mean, all or none; once every one is classified, those to be retried are resubmitted. */
  classify(
    name: RequestName,
    items: readonly Classification[],
    seen: Seen & { dryRun: boolean },
  ): Promise<ClassifyAnswer>;
  /** Reserves one more attempt of a failed node: atomic, idempotent, carried out by a resubmit of that node. */
  retryNode(dagId: DagId, wanted: RetryWanted, by: By): Promise<RetryAnswer>;
  banSite(site: SiteName, wanted: BanWanted, by: By): Promise<BanSiteAnswer>;
  unbanSite(site: SiteName, wanted: UnbanWanted, by: By): Promise<UnbanSiteAnswer>;
  /** What it would mean for the open requests if the site were gone; null: no such site. */
  siteEffect(site: SiteName): Promise<SiteEffect | null>;
  /** Pauses a DAG in the engine, or lets it go on. */
  changeDag(dagId: DagId, verb: "hold" | "release", reason: string, actor: string): Promise<DagAnswer>;
  acknowledge(id: string, reason: string, actor: string): Promise<AcknowledgeAnswer>;
}

export interface By {
  readonly actor: string;
  readonly dryRun: boolean;
}

export interface ManyRequests {
  readonly names?: readonly RequestName[];
  /** Used when no names are given. */
  readonly filter: Omit<RequestFilter, "limit" | "cursor">;
  readonly limit: number;
  readonly cursor?: string;
}
export interface ManyAnswer {
  readonly results: readonly { readonly name: RequestName; readonly answer: ActAnswer }[];
  /** null: all were visited. */
  readonly nextCursor: string | null;
}

export interface AttemptFilter {
  readonly unit?: string;
  /** "proc_000021", or with its unit: "mg_000003/proc_000021". */
  readonly node?: string;
  /** A page ends with the unit that reaches this number. */
  readonly limit: number;
  readonly cursor?: string;
}
export interface AttemptPage {
  readonly items: readonly { readonly round: number; readonly unit: string; readonly record: AttemptRecord }[];
  readonly epochs: readonly { readonly round: number; readonly unit: string; readonly record: EpochRecord }[];
  /** Lines of the ledgers that could not be read. */
  readonly unreadable: readonly { readonly unit: string; readonly line: number; readonly message: string }[];
  /** Submit directories that are no more. */
  readonly gone: readonly string[];
  readonly nextCursor: string | null;
}

export interface UnclassifiedNode {
  readonly unit: string;
  readonly node: string;
  /** Names the attempt that is to be classified. */
  readonly attempt: number;
  readonly record: AttemptRecord;
  readonly stderrTail: string;
  /** What somebody said it means; null: nobody yet. */
  readonly classified: NodeAction | null;
}
export interface UnclassifiedPage {
  readonly total: number;
  /** Of them, those that nobody has classified. */
  readonly open: number;
  readonly items: readonly UnclassifiedNode[];
}

export interface Classification {
  /** "mg_000003/proc_000021" */
  readonly node: string;
  readonly action: "retry" | "fail";
  readonly changes: NodeChanges;
  readonly reason: string;
}
export type ClassifyAnswer =
  | {
      readonly kind: "done" | "would";
      readonly items: readonly {
        readonly node: string;
        readonly action: "retry" | "fail";
        readonly outcome: "reserved" | "already";
      }[];
      /** Still waiting for a classification. */
      readonly open: number;
      /** The nodes that are resubmitted now; null: none, `because` says why. */
      readonly resubmit: readonly string[] | null;
      readonly because: string;
      readonly request: RequestRecord;
    }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | { readonly kind: "conflict"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown-request" }
  | { readonly kind: "stale"; readonly request: RequestRecord };

export interface RetryWanted {
  readonly unit: string | null;
  readonly node: string;
  readonly reason: string;
  readonly changes: NodeChanges;
  /** The attempt the caller saw fail; null: whatever was the last. */
  readonly attempt: number | null;
  /** Refuse when the node was executed more often than this many retries allow; null: no limit of the caller's. */
  readonly maxRetries: number | null;
}
export type RetryAnswer =
  | { readonly kind: "reserved" | "already"; readonly action: NodeAction; readonly requestName: RequestName }
  | { readonly kind: "would"; readonly action: NewNodeAction; readonly requestName: RequestName }
  | { readonly kind: "unknown"; readonly what: string }
  | { readonly kind: "conflict"; readonly problems: readonly Problem[] }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

export interface BanWanted {
  /** The request whose workflow leaves the site out; null: every workflow does. */
  readonly request: RequestName | null;
  readonly days: number | null;
  readonly reason: string;
}
export type BanSiteAnswer =
  | {
      readonly kind: "banned" | "extended" | "already" | "would";
      readonly until: Date;
      readonly ban: BanRecord | null;
      readonly effect: SiteEffect;
    }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown-request" };

export interface UnbanWanted {
  readonly request: RequestName | null;
  /** Bans of single workflows too. */
  readonly all: boolean;
  readonly reason: string;
}
export type UnbanSiteAnswer =
  | { readonly kind: "lifted" | "would"; readonly bans: readonly BanRecord[] }
  | { readonly kind: "unknown-site" }
  | { readonly kind: "unknown-request" };

export interface SiteEffect {
  /** Open requests that may use the site as things are. */
  readonly usedBy: number;
  /** Of them, those that have no other site: at most 100 names. */
  readonly leftWithout: readonly RequestName[];
  readonly leftWithoutTotal: number;
}

export type DagAnswer =
  | { readonly kind: "done"; readonly requestName: RequestName | null }
  | { readonly kind: "unknown-dag" }
  | { readonly kind: "not-allowed"; readonly reason: string };

export type AcknowledgeAnswer =
  | { readonly kind: "acknowledged" | "already"; readonly alert: AlertRecord }
  | { readonly kind: "closed"; readonly alert: AlertRecord }
  | { readonly kind: "unknown" };
