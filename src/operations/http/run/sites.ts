import { WorldError } from "../../../core/base/errors.ts";
import { groupBy } from "../../../core/base/group-by.ts";
import type { Site } from "../../../core/dag.ts";
import type { RequestName, SiteName, WorkflowId } from "../../../core/names.ts";
import { problemsText } from "../../operation.ts";
import type { sites } from "../../sites.ts";
import type { Call, Runs } from "../call.ts";
import { given } from "../cursor.ts";
import { found, notFound, ProblemsError } from "../problem.ts";

const show = (name: SiteName, { queries }: Call) => found("site", name, queries.site(name));

/** What it means for planned work is said with every change; a dry run says only that. */
async function change(name: SiteName, status: Site["status"], note: string | undefined, call: Call) {
  const { by, commands } = call;
  const told = await found("site", name, commands.changeSite(name, { status, ...given({ note }) }, by));
  return { ...(await show(name, call)), dryRun: by.dryRun, ...told };
}

export const siteRuns: Runs<typeof sites> = {
  async hours({ hours }, { queries, ports }) {
    const since = new Date(ports.clock.now().getTime() - hours * 3_600_000);
    const bySite = groupBy(await queries.siteHours(since), ({ site }) => site);
    const running = (busySec: number) => Math.round((busySec / 3600) * 100) / 100;
    const items = [...bySite].map(([site, rows]) => ({
      site,
      hours: rows.map(({ busySec, ...row }) => ({ ...row, running: running(busySec) })),
    }));
    return { since, items };
  },
  list: async (_, { queries }) => ({ items: await queries.sites() }),
  show: ({ name }, call) => show(name, call),
  async sync(_, { by, commands }) {
    const answer = await commands.syncSites(by);
    if (answer.kind === "no-catalog")
      throw new WorldError("conflict", "sites", "the catalog of this server knows no sites", {
        hint: "sites come from the engine here; set catalog.kind to cms to take them from CRIC",
      });
    const { warnings } = answer;
    const changes = answer.kind === "changes" ? answer.changes.map(({ name, what }) => ({ site: name, what })) : [];
    const reason = answer.kind === "refused" ? answer.reason : null;
    return { outcome: reason === null ? "synced" : "refused", dryRun: by.dryRun, reason, changes, warnings };
  },
  change: ({ name, status, note }, call) => change(name, status, note, call),
  enable: ({ name, note }, call) => change(name, "enabled", note, call),
  drain: ({ name, note }, call) => change(name, "draining", note, call),
  disable: ({ name, note }, call) => change(name, "disabled", note, call),
  bans: async ({ name, past }, { queries }) => ({
    items: await found("site", name, queries.bans(name, past === "true")),
  }),

  async ban({ name: site, days = null, reason, request: only, workflow: id }, { by, queries, commands }) {
    const workflow = id === undefined ? null : await found("workflow", id, queries.workflow(id as WorkflowId));
    const request = (only ?? workflow?.requestName ?? null) as RequestName | null;
    const answer = await commands.banSite(site, { request, days, reason }, by);
    if (answer.kind === "unknown-request") throw notFound("request", request ?? "");
    if (answer.kind === "problems") {
      const message = `${site} is not banned: ${problemsText(answer.problems)}`;
      throw new ProblemsError("bad-request", site, message, answer.problems);
    }
    const { kind: outcome, ...told } = answer;
    return { site, outcome, already: outcome === "already", dryRun: by.dryRun, ...told };
  },

  async unban({ name: site, request: only, scope, reason = null }, { by, commands }) {
    const request = (only ?? null) as RequestName | null;
    const wanted = { request, all: !request && scope === "all", reason: reason ?? `lifted by ${by.actor}` };
    const answer = await commands.unbanSite(site, wanted, by);
    if (answer.kind === "unknown-site") throw notFound("site", site);
    if (answer.kind === "unknown-request") throw notFound("request", request ?? "");
    return { site, dryRun: by.dryRun, lifted: answer.bans.length, ...answer };
  },
};
