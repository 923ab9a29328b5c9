import type { RequestName } from "../domain/names.ts";
import type { BanRecord } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";

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
      readonly kind: "banned" | "extended" | "already" | "would";
      readonly until: Date;
      readonly ban: BanRecord | null;
      readonly effect: SiteEffect;
    }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown-request" };
