import type { Site } from "../domain/dag.ts";
import type { RequestName, SiteName, WorkflowId } from "../domain/names.ts";
import type { BanRecord } from "../domain/operator.ts";
import { allowedSites } from "../lifecycle/gather-round.ts";
import type { Ports, Work } from "../lifecycle/ports.ts";
import { checkBanByHand, concerns, daysAfter } from "../recovery/bans/ban.ts";
import type { BanSiteAnswer, BanWanted, By, SiteEffect } from "./port.ts";

/** Bans people set and lift. What it means for the open requests is always said. */
export async function banSite(
  ports: Work,
  site: SiteName,
  { request, days, reason }: BanWanted,
  { actor, dryRun }: By,
): Promise<BanSiteAnswer> {
  const { store } = ports;
  const workflow = await scopeOf(ports, request);
  if (workflow === undefined) return { kind: "unknown-request" };
  const now = ports.clock.now();
  const known = (await store.sites.list()).map(({ name }) => name);
  const wanted = { site, reason, days: days ?? ports.policy.bans.durationDays };
  const problems = checkBanByHand(wanted, known.length > 0 ? known : null);
  if (problems.length > 0) return { kind: "problems", problems };
  const until = daysAfter(now, wanted.days);
  const evidence = { by: actor };
  const effect = await effectOf(ports, site, workflow === null ? null : request);
  if (dryRun) return { kind: "would", until, ban: null, effect };
  return store.transaction(async (tx): Promise<BanSiteAnswer> => {
    const { kind, ban } = await tx.sites.ban({ site, workflowId: workflow, reason, evidence, until, actor, at: now });
    const detail = { ...(request !== null && { request }), until: ban.expiresAt.toISOString() };
    const outcome = kind === "already" ? "already" : "done";
    await tx.audit.add({ at: now, actor, action: "ban", subject: site, reason, detail, outcome });
    return { kind, ban, until: ban.expiresAt, effect };
  });
}

/** `all`: bans of single workflows too. */
export async function unbanSite(
  ports: Ports,
  site: SiteName,
  { request, all, reason }: { readonly request: RequestName | null; readonly all: boolean; readonly reason: string },
  { actor, dryRun }: By,
): Promise<
  | { readonly kind: "lifted" | "would"; readonly bans: readonly BanRecord[] }
  | { readonly kind: "unknown-site" }
  | { readonly kind: "unknown-request" }
> {
  const { store } = ports;
  if (!(await store.sites.get(site))) return { kind: "unknown-site" };
  const workflow = await scopeOf(ports, request);
  if (workflow === undefined) return { kind: "unknown-request" };
  const now = ports.clock.now();
  const scope = all ? "all" : workflow;
  const active = await store.sites.bans({ sites: [site], at: now });
  const lifted = active.filter((ban) => scope === "all" || ban.workflowId === scope);
  if (dryRun) return { kind: "would", bans: lifted };
  await store.transaction(async (tx) => {
    await tx.sites.unban({ site, workflowId: scope }, actor, now);
    for (const { id, workflowId } of lifted) {
      const detail = { workflow: workflowId };
      const noted = { at: now, actor, action: "unban", subject: site, reason, detail };
      await tx.audit.add({ key: `removed ${id}`, ...noted, outcome: "done" });
    }
  });
  return { kind: "lifted", bans: lifted };
}

/** The workflow meant; null: every one; undefined: there is no such request, or it has no workflow yet. */
async function scopeOf(ports: Ports, request: RequestName | null): Promise<WorkflowId | null | undefined> {
  if (request === null) return null;
  return (await ports.store.workflows.forRequest(request))?.id;
}

const VERBS = { enabled: "enable", draining: "drain", disabled: "disable" } as const;

/** What an operator says of a site; false: there is no such site. */
export async function changeSite(
  { store, clock }: Ports,
  name: SiteName,
  wanted: { readonly status: Site["status"]; readonly note?: string },
  actor: string,
): Promise<boolean> {
  const at = clock.now();
  if (!(await store.sites.change(name, wanted, actor, at))) return false;
  const { status, note: reason = "" } = wanted;
  await store.audit.add({ at, actor, action: VERBS[status], subject: name, reason, detail: {}, outcome: "done" });
  return true;
}

/** What it would mean for the open requests if the site were gone; null: no such site. */
export async function siteEffect(ports: Ports, site: SiteName): Promise<SiteEffect | null> {
  return (await ports.store.sites.get(site)) ? effectOf(ports, site, null) : null;
}

const MOST_NAMES = 100;

/** Who may use the site as things are, and who has no other. `only`: for one request alone. */
async function effectOf(ports: Ports, site: SiteName, only: RequestName | null): Promise<SiteEffect> {
  const { store, engine, clock } = ports;
  if (!engine.capabilities.sites) return { usedBy: 0, leftWithout: [], leftWithoutTotal: 0 };
  const open = (await store.requests.open()).filter(({ spec }) => only === null || spec.name === only);
  const [sites, bans, workflows] = await Promise.all([
    store.sites.list(),
    store.sites.activeBans(clock.now()),
    store.workflows.forRequests(open.map(({ spec }) => spec.name)),
  ]);
  let usedBy = 0;
  const leftWithout: RequestName[] = [];
  for (const { spec } of open) {
    const id = workflows.get(spec.name)?.id ?? null;
    const banned = bans.filter((ban) => concerns(ban, id));
    const possible = allowedSites(spec, sites).filter((name) => !banned.some((ban) => ban.site === name));
    if (!possible.includes(site)) continue;
    usedBy += 1;
    if (possible.length === 1) leftWithout.push(spec.name);
  }
  return { usedBy, leftWithout: leftWithout.slice(0, MOST_NAMES), leftWithoutTotal: leftWithout.length };
}
