import type { AlertView, AuditView, BanView, SiteEffectView, SiteView } from "../../api/client-types.ts";
import type { Paint } from "../terminal.ts";
import { table } from "./table.ts";
import { bytes, count, secondsSince, shortAge } from "./text.ts";

interface Look {
  readonly width: number;
  readonly paint: Paint;
}

export function auditTable(entries: readonly AuditView[], look: Look): string {
  const columns = [
    { head: "when" },
    { head: "who" },
    { head: "did" },
    { head: "to" },
    { head: "outcome" },
    { head: "why", flexible: true },
  ] as const;
  const rows = entries.map(({ at, actor, action, subject, outcome, reason }) => [
    at.slice(0, 19).replace("T", " "),
    actor,
    action,
    subject,
    outcome === "refused" || outcome === "failed" ? look.paint.red(outcome) : outcome,
    reason,
  ]);
  return table(columns, rows, look);
}

export function alertTable(alerts: readonly AlertView[], look: Look & { readonly now: Date }): string {
  const { paint, now } = look;
  const colours = { info: paint.dim, warning: paint.yellow, critical: paint.red };
  const columns = [
    { head: "id", align: "right" },
    { head: "severity" },
    { head: "subject" },
    { head: "since", align: "right" },
    { head: "times", align: "right" },
    { head: "seen by" },
    { head: "message", flexible: true },
  ] as const;
  const rows = alerts.map((alert) => [
    alert.id,
    alert.closed_at ? paint.dim("closed") : colours[alert.severity](alert.severity),
    alert.subject,
    shortAge(secondsSince(alert.first_at, now)),
    String(alert.count),
    alert.acknowledged_by ?? "-",
    alert.message,
  ]);
  return table(columns, rows, look);
}

export function siteTable(sites: readonly SiteView[], now: Date, width: number, paint: Paint): string {
  const colours = { enabled: paint.green, draining: paint.yellow, disabled: paint.red };
  const columns = [
    { head: "site" },
    { head: "status" },
    { head: "cores", align: "right" },
    { head: "memory", align: "right" },
    { head: "note and bans", flexible: true },
  ] as const;
  const rows = sites.map((site) => [
    site.name,
    colours[site.status](site.status),
    site.cores === null ? "-" : String(site.cores),
    site.memory_mb === null ? "-" : bytes(site.memory_mb * 1e6),
    [site.note ?? "", ...site.bans.map((ban) => banWords(ban, now))].filter(Boolean).join("; "),
  ]);
  return table(columns, rows, { width, paint });
}

const banWords = (ban: SiteView["bans"][number], now: Date): string =>
  `banned ${ban.workflow_id === null ? "" : "for one workflow "}for ${shortAge((Date.parse(ban.expires_at) - now.getTime()) / 1000)} more: ${ban.reason}`;

export function banTable(bans: readonly BanView[], look: Look & { readonly now: Date }): string {
  const columns = [
    { head: "for" },
    { head: "by" },
    { head: "since" },
    { head: "until" },
    { head: "why", flexible: true },
  ] as const;
  const rows = bans.map((ban) => [
    ban.workflow_id ?? "every request",
    ban.created_by ?? "-",
    ban.created_at.slice(0, 16).replace("T", " "),
    ban.removed_at
      ? `lifted by ${ban.removed_by ?? "?"}`
      : Date.parse(ban.expires_at) <= look.now.getTime()
        ? "expired"
        : ban.expires_at.slice(0, 16).replace("T", " "),
    ban.reason,
  ]);
  return table(columns, rows, look);
}

/** What taking a site away means for the open requests. */
export function effectLines({ used_by, left_without, left_without_total }: SiteEffectView, paint: Paint): string[] {
  const lines = [`${count(used_by, "open request")} may use it`];
  if (left_without_total > 0) {
    const names = left_without.slice(0, 5).join(", ");
    const more = left_without_total > 5 ? ` and ${left_without_total - 5} more` : "";
    lines.push(`${paint.yellow("mind:")} without another site: ${names}${more}`);
  }
  return lines;
}
