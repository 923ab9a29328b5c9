import type { FailureExample, FailureRow } from "../core/failure-row.ts";
import type { RequestName, SiteName, UnitName, WorkflowId } from "../core/names.ts";
import type { RequestStatus } from "../core/request-status.ts";
import type { Page, PageWanted } from "./page.ts";

/** The parts of the store (see port.ts) that are about many requests at once: lists, counts, history, what failed. */

export const REQUEST_SORTS = [
  "newest",
  "oldest",
  "name",
  "updated",
  "waiting",
  "priority",
  "progress",
  "failing",
] as const;
export type RequestSort = (typeof REQUEST_SORTS)[number];

/** Which requests; all that is given has to hold. */
export interface RequestChoice {
  readonly status?: readonly RequestStatus[];
  readonly requestor?: string;
  readonly campaign?: string;
  readonly nameContains?: string;
  readonly kind?: string;
  readonly holdCode?: readonly string[];
  readonly waitCode?: readonly string[];
  /** Those that wait for a person, held or not. */
  readonly needs?: "person";
  /** Anywhere in what a list shows of it: name, requestor, campaign, hold, wait. */
  readonly text?: string;
  /** Something of it failed so, or ran at this site: as its ledgers said when they were last read. */
  readonly code?: number;
  readonly site?: string;
  readonly file?: string;
}
export interface RequestFilter extends RequestChoice, PageWanted {
  readonly sort?: RequestSort;
}

/** How far a request is, over all rounds. */
export interface UnitCounts {
  readonly total: number;
  readonly done: number;
  /** Of the present round. */
  readonly failed: number;
  readonly running: number;
}
export interface RequestProgress extends UnitCounts {
  readonly round: number;
  /** Units of all rounds, as far as can be told: `total` are those that are planned so far. */
  readonly expected: number;
  /** When a unit was last done; null: none was yet. */
  readonly lastDoneAt: Date | null;
  /** Jobs that failed and are to be tried again, when the ledgers were last read. */
  readonly failing: number;
  /** The present run, while it is in the engine: since when, and how many of its own units are done. */
  readonly run: { readonly since: Date; readonly done: number } | null;
  /** How it was at the times asked for, where that was noted. */
  readonly samples: readonly HistorySample[];
}
export interface HistorySample extends UnitCounts {
  readonly at: Date;
}

export interface Facets {
  /** Each counted without the filter on itself. */
  readonly counts: Readonly<Record<FacetName, Readonly<Record<string, number>>>>;
  readonly requests: number;
  readonly units: UnitCounts;
}
export const FACETS = ["status", "hold", "wait", "kind", "requestor", "campaign", "site"] as const;
export type FacetName = (typeof FACETS)[number];

export interface SiteHour {
  readonly site: SiteName;
  /** Its beginning. */
  readonly hour: Date;
  /** Attempts that ended in it. */
  readonly done: number;
  readonly failed: number;
  /** Of those that failed, for a reason that may be the site's. */
  readonly blamed: number;
  /** How long attempts ran in it, all together; of those that have ended. */
  readonly busySec: number;
}
/** What the ledgers of a request's present run say, and which state of it that is. */
export interface FailureLook {
  readonly stamp: string;
  readonly failing: number;
  readonly rows: readonly FailureRow[];
  readonly hours: readonly SiteHour[];
}

/** Failures alike over many requests. */
export interface CauseRow extends Omit<FailureRow, "example"> {
  readonly requests: number;
  /** The first of them by number of failures. */
  readonly names: readonly RequestName[];
  readonly held: number;
  /** Of those requests. */
  readonly kinds: readonly string[];
  readonly example: FailureExample & { readonly requestName: RequestName };
}
/** What fails alike, wherever it does. */
export type FailureKind = Pick<FailureRow, "exitCode" | "rule" | "cause" | "category">;
/** What fails alike at one site, and how many attempts of the same requests ended well there. */
export interface SiteRate extends FailureKind {
  readonly site: string;
  readonly failed: number;
  readonly done: number;
}
export interface CauseFilter {
  readonly site?: string;
  readonly code?: number;
  /** Also of requests that are over, when they ended since. */
  readonly overSince?: Date;
  readonly limit: number;
  /** What happened at these sites is told apart; all else that fails alike is one cause, wherever it does. */
  readonly apart?: readonly (FailureKind & { readonly site: string })[];
}

export const FEED_KINDS = ["transition", "action", "alert", "ban", "run"] as const;
/** Something that happened, whoever did it. */
export interface FeedEntry {
  readonly at: Date;
  readonly kind: (typeof FEED_KINDS)[number];
  readonly subject: string;
  /** "held → queued", "release", "critical", … */
  readonly what: string;
  readonly actor: string | null;
  readonly text: string;
}
export interface FeedWanted extends PageWanted {
  readonly since: Date;
  readonly kinds?: readonly FeedEntry["kind"][];
  readonly subject?: string;
}

/** Requests that wait for a person, for the same. */
export interface NeedGroup {
  readonly kind: "held" | "wait";
  readonly code: string;
  readonly count: number;
  /** Of the one that has waited longest, as is the text. */
  readonly since: Date;
  readonly text: string;
  /** The first ten, the longest wait first. */
  readonly names: readonly RequestName[];
}
/** Alerts of one kind that are open, without those that only say that a request is held. */
export interface OpenAlertGroup {
  readonly family: string;
  readonly severity: string;
  /** Who takes care of them. */
  readonly actor: string | null;
  readonly count: number;
  readonly since: Date;
  readonly text: string;
  readonly subjects: readonly string[];
}
/** The same thing, once or many times, to one or many. */
export interface HappenedGroup {
  readonly kind: FeedEntry["kind"];
  readonly what: string;
  readonly actor: string | null;
  /** "": it went as usual, and the reasons differ. */
  readonly text: string;
  /** How many reasons there are that differ only in numbers and names; `text` is the newest. */
  readonly texts: number;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The first ten by name. */
  readonly subjects: readonly string[];
  readonly subjectsTotal: number;
  /** How many groups of its kind there are. */
  readonly linesOfKind: number;
}
/** Over all that happened. */
export interface HappenedTotal {
  readonly kind: FeedEntry["kind"];
  readonly what: string;
  readonly count: number;
  /** To how many. */
  readonly subjects: number;
}
export interface HappenedWanted extends Pick<FeedWanted, "since" | "kinds" | "subject"> {
  /** Groups of each kind that did not go as usual, and as many of those that did. */
  readonly most: number;
}

export interface UnitEnd {
  readonly site: string | null;
  readonly finishedAt: Date;
}

export interface Found {
  readonly kind: "request" | "site" | "run" | "node";
  readonly name: string;
  readonly requestName: RequestName | null;
  readonly text: string;
}

export interface RunAround {
  readonly submitDir: string;
  readonly requestName: RequestName;
  readonly workflowId: WorkflowId;
  /** What ended before does not have it. */
  readonly since: Date;
}

export interface DeskStore {
  /** Of those that have a workflow. */
  progress(
    names: readonly RequestName[],
    sampledAt: readonly Date[],
  ): Promise<ReadonlyMap<RequestName, RequestProgress>>;
  /** `wanted`: which of them are counted; all when left out. */
  facets(choice: RequestChoice, wanted?: readonly FacetName[]): Promise<Facets>;
  /** Notes how far open requests are, each that has changed, and all together; thins out and drops what is old. */
  sample(at: Date): Promise<void>;
  /** Oldest first; null: of all requests together. */
  history(name: RequestName | null, since: Date): Promise<readonly HistorySample[]>;
  /** Of open requests that have a run: what the last look was at. */
  lastLooks(): Promise<ReadonlyMap<RequestName, { readonly stamp: string; readonly lookedAt: Date }>>;
  /** As of when all that fails is known: `now`, where nothing has ended since it was looked at; null: nothing was. */
  oldestLook(now: Date): Promise<Date | null>;
  /** In place of what the look before found. */
  keepLook(name: RequestName, look: FailureLook, at: Date): Promise<void>;
  /** Something else than its run has changed: the next turn looks again. */
  lookAgain(name: RequestName): Promise<void>;
  causes(filter: CauseFilter): Promise<readonly CauseRow[]>;
  /** Of all sites at which these requests ran, for everything that fails in them. */
  siteRates(filter: Pick<CauseFilter, "code" | "overSince">): Promise<readonly SiteRate[]>;
  siteHours(since: Date): Promise<readonly SiteHour[]>;
  /** Where and when the units of a workflow finished. */
  unitEnds(workflowId: WorkflowId): Promise<ReadonlyMap<UnitName, UnitEnd>>;
  /** Oldest first. */
  feed(wanted: FeedWanted): Promise<Page<FeedEntry>>;
  /** Who waits for a person, by what for, most first; of one request only. */
  inNeed(name?: RequestName): Promise<readonly NeedGroup[]>;
  openAlerts(subject?: string): Promise<readonly OpenAlertGroup[]>;
  /** All that happened since, grouped; what did not go as usual first, then most first. */
  happened(
    wanted: HappenedWanted,
  ): Promise<{ readonly groups: readonly HappenedGroup[]; readonly totals: readonly HappenedTotal[] }>;
  /** Runs that may have a job of this number of the engine's, by when they were in it. */
  runsAround(number: number, limit: number): Promise<readonly RunAround[]>;
  /** By a part of the name; runs by the id the engine gave them. */
  search(text: string, limit: number): Promise<readonly Found[]>;
}
