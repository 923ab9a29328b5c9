import type { RequestName, SiteName, WorkflowId } from "../../core/names.ts";
import { allowedSites } from "../../loop/gather-round.ts";
import type { Ports, Work } from "../../loop/ports.ts";
import { checkBanByHand, concerns, daysAfter } from "../../recovery/bans/ban.ts";
import {
  type BanOutcome,
  describeBan,
  describeSiteStatus,
  describeUnban,
} from "../../recovery/explain/describe-change.ts";
import type { By } from "./port.ts";
import type {
  BanSiteAnswer,
  BanWanted,
  ChangeSiteAnswer,
  SiteEffect,
  SiteWanted,
  UnbanSiteAnswer,
} from "./site-port.ts";

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
  const told = (outcome: BanOutcome, until: Date) => ({
    until,
    effect,
    message: describeBan(site, { outcome, until, request, use: effect }),
  });
  if (dryRun) {
    const standing = (await store.sites.bans({ sites: [site], at: now })).filter((ban) => ban.workflowId === workflow);
    const longest = standing.toSorted((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime())[0] ?? null;
    if (longest && longest.expiresAt >= until)
      return { kind: "already", ban: longest, ...told("already", longest.expiresAt) };
    return { kind: "would", ban: longest, ...told(longest ? "extended" : "banned", until) };
  }
  return store.transaction(async (tx): Promise<BanSiteAnswer> => {
    const { kind, ban } = await tx.sites.ban({ site, workflowId: workflow, reason, evidence, until, actor, at: now });
    const detail = { ...(request !== null && { request }), until: ban.expiresAt.toISOString() };
    const outcome = kind === "already" ? "already" : "done";
    await tx.audit.add({ at: now, actor, action: "ban", subject: site, reason, detail, outcome });
    return { kind, ban, ...told(kind, ban.expiresAt) };
  });
}

/** `all`: bans of single workflows too. */
export async function unbanSite(
  ports: Ports,
  site: SiteName,
  { request, all, reason }: { readonly request: RequestName | null; readonly all: boolean; readonly reason: string },
  { actor, dryRun }: By,
): Promise<UnbanSiteAnswer> {
  const { store } = ports;
  if (!(await store.sites.get(site))) return { kind: "unknown-site" };
  const workflow = await scopeOf(ports, request);
  if (workflow === undefined) return { kind: "unknown-request" };
  const now = ports.clock.now();
  const scope = all ? "all" : workflow;
  const active = await store.sites.bans({ sites: [site], at: now });
  const lifted = active.filter((ban) => scope === "all" || ban.workflowId === scope);
  const message = describeUnban(site, lifted.length);
  if (dryRun) return { kind: "would", bans: lifted, message };
  await store.transaction(async (tx) => {
    await tx.sites.unban({ site, workflowId: scope }, actor, now);
    for (const { id, workflowId } of lifted) {
      const detail = { workflow: workflowId };
      const noted = { at: now, actor, action: "unban", subject: site, reason, detail };
      await tx.audit.add({ key: `removed ${id}`, ...noted, outcome: "done" });
    }
  });
  return { kind: "lifted", bans: lifted, message };
}

/** The workflow meant; null: every one; undefined: there is no such request, or it has no workflow yet. */
async function scopeOf(ports: Ports, request: RequestName | null): Promise<WorkflowId | null | undefined> {
  if (request === null) return null;
  return (await ports.store.workflows.forRequest(request))?.id;
}

const VERBS = { enabled: "enable", draining: "drain", disabled: "disable" } as const;

/** What an operator says of a site, and what that means for the open requests. */
export async function changeSite(
  ports: Ports,
  name: SiteName,
  wanted: SiteWanted,
  { actor, dryRun }: By,
): Promise<ChangeSiteAnswer> {
  const { store, clock } = ports;
  const site = await store.sites.get(name);
  if (!site) return null;
  const { status, note: reason = "" } = wanted;
  const use = await effectOf(ports, name, null);
  const effect = status === "enabled" ? { ...use, leftWithout: [], leftWithoutTotal: 0 } : use;
  const message = describeSiteStatus(name, site.status, status, effect);
  if (dryRun) return { effect, message };
  const at = clock.now();
  if (!(await store.sites.change(name, wanted, actor, at))) return null;
  await store.audit.add({ at, actor, action: VERBS[status], subject: name, reason, detail: {}, outcome: "done" });
  return { effect, message };
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
