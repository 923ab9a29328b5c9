import type { Site } from "../../domain/dag.ts";
import type { RequestName, SiteName, WorkflowId } from "../../domain/names.ts";
import { problemsText } from "../../operations/operation.ts";
import type { sites } from "../../operations/sites.ts";
import type { Call, Runs } from "../call.ts";
import { given } from "../cursor.ts";
import type { RunPorts } from "../ports.ts";
import { found, notFound, ProblemsError } from "../problem.ts";

export const siteRuns = ({ queries, commands }: RunPorts): Runs<typeof sites> => {
  const show = (name: SiteName) => found("site", name, queries.site(name));
  /** What it means for planned work is told with every change; a dry run tells only that. */
  const change = async (name: SiteName, status: Site["status"], note: string | undefined, { by }: Call) => {
    const effect = await found("site", name, commands.siteEffect(name));
    if (!by.dryRun) await commands.changeSite(name, { status, ...given({ note }) }, by.actor);
    const out = status === "enabled" ? { usedBy: effect.usedBy, leftWithout: [], leftWithoutTotal: 0 } : effect;
    return { ...(await show(name)), dryRun: by.dryRun, effect: out };
  };
  const requestOf = async (workflow: string | undefined): Promise<RequestName | null> =>
    workflow === undefined
      ? null
      : (await found("workflow", workflow, queries.workflow(workflow as WorkflowId))).requestName;

  return {
    list: async () => ({ items: await queries.sites() }),
    show: ({ name }) => show(name),
    change: ({ name, status, note }, call) => change(name, status, note, call),
    enable: ({ name, note }, call) => change(name, "enabled", note, call),
    drain: ({ name, note }, call) => change(name, "draining", note, call),
    disable: ({ name, note }, call) => change(name, "disabled", note, call),
    bans: async ({ name, past }) => ({ items: await found("site", name, queries.bans(name, past === "true")) }),

    async ban({ name: site, days = null, reason, request: only, workflow }, { by }) {
      const request = (only ?? (await requestOf(workflow))) as RequestName | null;
      const answer = await commands.banSite(site, { request, days, reason }, by);
      if (answer.kind === "unknown-request") throw notFound("request", request ?? "");
      if (answer.kind === "problems") {
        const message = `${site} is not banned: ${problemsText(answer.problems)}`;
        throw new ProblemsError("bad-request", site, message, answer.problems);
      }
      const { kind: outcome, until, ban, effect } = answer;
      return { site, outcome, already: outcome === "already", dryRun: by.dryRun, until, ban, effect };
    },

    async unban({ name: site, request: only, scope, reason = null }, { by }) {
      const request = (only ?? null) as RequestName | null;
      const wanted = { request, all: !request && scope === "all", reason: reason ?? `lifted by ${by.actor}` };
      const answer = await commands.unbanSite(site, wanted, by);
      if (answer.kind === "unknown-site") throw notFound("site", site);
      if (answer.kind === "unknown-request") throw notFound("request", request ?? "");
      return { site, dryRun: by.dryRun, lifted: answer.bans.length, bans: answer.bans };
    },
  };
};
