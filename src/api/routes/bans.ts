import { z } from "zod";
import type { RequestName, SiteName, WorkflowId } from "../../domain/names.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound, ProblemsError } from "../problem.ts";
import { dryRunQuery } from "../schemas/operate.ts";
import { banBodySchema, bannedSchema, bansSchema, unbannedSchema } from "../schemas/operators.ts";
import { actErrors, itemErrors } from "../schemas/problem.ts";
import { flag, nameText, reasonText, siteParams } from "../schemas/query.ts";
import { banView, effectView } from "../views/operators.ts";
import type { Api } from "./api.ts";

const tags = ["sites"];
const security = [{ operator: [] }];

/** Sites left out for a time, by one request or by all. */
export function banRoutes(app: Api, { store, commands, clock }: ApiPorts): void {
  app.get(
    "/sites/:name/bans",
    {
      schema: {
        tags,
        summary: "Bans of a site, newest first",
        params: siteParams,
        querystring: z.strictObject({ past: flag.describe("true: expired and lifted ones too") }),
        response: { 200: bansSchema, ...itemErrors },
      },
    },
    async (request) => {
      const site = request.params.name as SiteName;
      if (!(await store.sites.get(site))) throw notFound("site", site);
      const includePast = request.query.past === "true";
      const bans = await store.sites.bans({ sites: [site], includePast, at: clock.now() });
      return { items: bans.map(banView) };
    },
  );

  app.post(
    "/sites/:name/ban",
    {
      schema: {
        tags,
        security,
        summary: "Leave a site out for some days, for one request or for all; says whom it leaves without a site",
        params: siteParams,
        querystring: dryRunQuery,
        body: banBodySchema,
        response: { 200: bannedSchema, ...actErrors },
      },
    },
    async (request) => {
      const site = request.params.name as SiteName;
      const { days, reason, dry_run } = request.body;
      const dryRun = request.query.dry_run === "true" || dry_run === true;
      const name = request.body.request ?? (await requestOf(request.body.workflow));
      const wanted = { request: name as RequestName | null, days: days ?? null, reason };
      const answer = await commands.banSite(site, wanted, { actor: request.actor, dryRun });
      if (answer.kind === "unknown-request") throw notFound("request", name ?? "");
      if (answer.kind === "problems") {
        const words = answer.problems.map(({ path, message }) => `${path} ${message}`).join("; ");
        throw new ProblemsError("bad-request", site, `${site} is not banned: ${words}`, answer.problems);
      }
      const { kind, until, ban, effect } = answer;
      return {
        site,
        outcome: kind,
        already: kind === "already",
        dry_run: dryRun,
        until: until.toISOString(),
        ban: ban && banView(ban),
        effect: effectView(effect),
      };
    },
  );
  const requestOf = async (workflow: string | undefined): Promise<string | null> => {
    if (workflow === undefined) return null;
    const found = await store.workflows.get(workflow as WorkflowId);
    if (!found) throw notFound("workflow", workflow);
    return found.requestName;
  };

  app.delete(
    "/sites/:name/ban",
    {
      schema: {
        tags,
        security,
        summary: "Lift the bans of a site: all of them, those of one request, or only the one for every request",
        params: siteParams,
        querystring: dryRunQuery.extend({
          request: nameText.optional().describe("only the ban of this request"),
          scope: z.enum(["all", "system"]).default("all").describe("all, or system: only the one for all"),
          reason: reasonText.optional(),
        }),
        response: { 200: unbannedSchema, ...actErrors },
      },
    },
    async (request) => {
      const site = request.params.name as SiteName;
      const { request: name, scope, reason = `lifted by ${request.actor}` } = request.query;
      const dryRun = request.query.dry_run === "true";
      const wanted = {
        request: (name ?? null) as RequestName | null,
        all: name === undefined && scope === "all",
        reason,
      };
      const answer = await commands.unbanSite(site, wanted, { actor: request.actor, dryRun });
      if (answer.kind === "unknown-site") throw notFound("site", site);
      if (answer.kind === "unknown-request") throw notFound("request", name ?? "");
      return { site, dry_run: dryRun, lifted: answer.bans.length, bans: answer.bans.map(banView) };
    },
  );
}
