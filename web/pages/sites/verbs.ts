import type { Answer } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";
import { count, quoted } from "../../words.ts";

export type Site = Answer<"sites.list">["items"][number];
export const SITE_VERBS = ["drain", "ban", "disable", "enable", "unban"] as const;
export type SiteVerb = (typeof SITE_VERBS)[number];

export const MEANING: Readonly<Record<SiteVerb, string>> = {
  drain: "Running jobs end there; no new work units go there.",
  ban: "It gets no jobs of any request for some days; then it is used again automatically.",
  disable: "Nothing runs there until somebody enables it.",
  enable: "Work units may go there again.",
  unban: "All bans of the site are lifted now, those of single requests, too.",
};

/** What may not be done, and why; null: it may. */
export function whyNotSite(verb: SiteVerb, { status, bans }: Site): string | null {
  const is = { drain: "draining", disable: "disabled", enable: "enabled" }[verb as string];
  if (is === status) return `it is ${status} already`;
  return verb === "unban" && bans.length === 0 ? "it is not banned" : null;
}

/** On the button, before it is pressed. */
export const withoutSite = (total: number): string =>
  total === 0 ? "" : `: leaves ${count(total, "request")} without a site`;

/** The command that does the same. */
export function siteLine(verb: SiteVerb, name: string, said: { reason: string; days: number | undefined }): string {
  const days = verb === "ban" && said.days !== undefined ? ` --days ${said.days}` : "";
  return `wms2 sites ${verb} ${quoted(name)}${days} --reason ${quoted(said.reason || "…")}`;
}

export const SITE_LOOK: Readonly<Record<Site["status"] | "banned", readonly [Tone, string]>> = {
  enabled: ["done", "✓"],
  draining: ["held", "D"],
  disabled: ["failed", "✕"],
  banned: ["failed", "B"],
};
/** A ban for all requests counts as much as a status. */
export const siteState = ({ status, bans }: Site): Site["status"] | "banned" =>
  status === "enabled" && bans.some(({ workflow_id }) => workflow_id === null) ? "banned" : status;
