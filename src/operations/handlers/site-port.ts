import type { Site } from "../../core/dag.ts";
import type { RequestName } from "../../core/names.ts";
import type { BanRecord } from "../../core/operator.ts";
import type { Problem } from "../../core/problem.ts";

/** What is asked of sites and answered (see port.ts). */
export interface SiteEffect {
  /** Open requests that may use the site as things are. */
  readonly usedBy: number;
  /** Of them, those that have no other site: at most 100 names. */
  readonly leftWithout: readonly RequestName[];
  readonly leftWithoutTotal: number;
}
export interface BanWanted {
  /** The request whose workflow leaves the site out; null: every workflow does. */
  readonly request: RequestName | null;
  readonly days: number | null;
  readonly reason: string;
}
export type BanSiteAnswer =
  | {
      /** would: a dry run, and it would be banned or its ban extended. */
      readonly kind: "banned" | "extended" | "already" | "would";
      readonly until: Date;
      readonly ban: BanRecord | null;
      readonly effect: SiteEffect;
      readonly message: string;
    }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown-request" };
export type UnbanSiteAnswer =
  | { readonly kind: "lifted" | "would"; readonly bans: readonly BanRecord[]; readonly message: string }
  | { readonly kind: "unknown-site" }
  | { readonly kind: "unknown-request" };
/** What an operator says of a site. */
export interface SiteWanted {
  readonly status: Site["status"];
  readonly note?: string;
}
/** null: there is no such site. */
export type ChangeSiteAnswer = { readonly effect: SiteEffect; readonly message: string } | null;
