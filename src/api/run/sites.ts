import { z } from "zod";
import type { Site } from "../../domain/dag.ts";
import type { RequestName, SiteName, WorkflowId } from "../../domain/names.ts";
import type { By } from "../../lifecycle/port.ts";
import { dryRunQuery, flag, given, nameText, reasonText, siteParams } from "../../operations/inputs.ts";
import {
  banBodySchema,
  bannedSchema,
  bansSchema,
  banView,
  type ChangedSiteView,
  changedSiteSchema,
  effectView,
  type SiteView,
  siteChangeSchema,
  siteNoteSchema,
  siteSchema,
  sitesSchema,
  siteView,
  unbannedSchema,
} from "../../operations/sites.ts";
import type { ApiPorts } from "../ports.ts";
import { actErrors, changeErrors, found, notFound, ProblemsError, told } from "../problem.ts";
import { type Api, askedBy, reads, route } from "./api.ts";

const VERBS = { enable: "enabled", drain: "draining", disable: "disabled" } as const;

export function siteRoutes(app: Api, { store, commands, clock }: ApiPorts): void {
  const load = async (name: SiteName): Promise<SiteView> => {
    const [site, bans] = await Promise.all([
      found("site", name, store.sites.get(name)),
      store.sites.activeBans(clock.now()),
    ]);
    return siteView(site, bans);
  };
  /** What it means for planned work is told with every change; a dry run tells only that. */
  const change = async (
    name: SiteName,
    status: Site["status"],
    note: string | undefined,
    { actor, dryRun }: By,
  ): Promise<ChangedSiteView> => {
    const effect = await found("site", name, commands.siteEffect(name));
    if (!dryRun) await commands.changeSite(name, { status, ...given({ note }) }, actor);
    const out = status === "enabled" ? { usedBy: effect.usedBy, leftWithout: [], leftWithoutTotal: 0 } : effect;
    return { ...(await load(name)), dry_run: dryRun, effect: effectView(out) };
  };
  const changed = { 200: changedSiteSchema, ...changeErrors };

  app.get("/sites", reads("All sites and their bans", sitesSchema), async () => {
    const [sites, bans] = await Promise.all([store.sites.list(), store.sites.activeBans(clock.now())]);
    return { items: sites.map((site) => siteView(site, bans)) };
  });

  app.get("/sites/:name", reads("One site", siteSchema, { params: siteParams }), ({ params }) => load(params.name));

  app.patch(
    "/sites/:name",
    route("Enable, drain or disable a site", changed, {
      params: siteParams,
      querystring: dryRunQuery,
      body: siteChangeSchema,
    }),
    (request) => change(request.params.name, request.body.status, request.body.note, askedBy(request)),
  );

  for (const [verb, status] of Object.entries(VERBS)) {
    app.post(
      `/sites/:name/${verb}`,
      route(`The site becomes ${status}`, changed, {
        params: siteParams,
        querystring: dryRunQuery,
        body: siteNoteSchema.prefault({}),
      }),
      (request) => change(request.params.name, status, request.body.note, askedBy(request)),
    );
  }
}

/** Sites left out for a time, by one request or by all. */
export function banRoutes(app: Api, { store, commands, clock }: ApiPorts): void {
  app.get(
    "/sites/:name/bans",
    reads("Bans of a site, newest first", bansSchema, {
      params: siteParams,
      querystring: z.strictObject({ past: flag.describe("true: expired and lifted ones too") }),
    }),
    async ({ params: { name: site }, query }) => {
      await found("site", site, store.sites.get(site));
      const bans = await store.sites.bans({ sites: [site], includePast: query.past === "true", at: clock.now() });
      return { items: bans.map(banView) };
    },
  );

  app.post(
    "/sites/:name/ban",
    route(
      "Leave a site out for some days, for one request or for all; says whom it leaves without a site",
      { 200: bannedSchema, ...actErrors },
      { params: siteParams, querystring: dryRunQuery, body: banBodySchema },
    ),
    async (request) => {
      const site = request.params.name;
      const { days = null, reason, workflow } = request.body;
      const by = askedBy(request);
      const name = (request.body.request ?? (await requestOf(workflow))) as RequestName | null;
      const answer = await commands.banSite(site, { request: name, days, reason }, by);
      if (answer.kind === "unknown-request") throw notFound("request", name ?? "");
      if (answer.kind === "problems") {
        const words = `${site} is not banned: ${told(answer.problems)}`;
        throw new ProblemsError("bad-request", site, words, answer.problems);
      }
      const { kind, until, ban, effect } = answer;
      return {
        site,
        outcome: kind,
        already: kind === "already",
        dry_run: by.dryRun,
        until: until.toISOString(),
        ban: ban && banView(ban),
        effect: effectView(effect),
      };
    },
  );
  const requestOf = async (workflow: string | undefined): Promise<RequestName | null> => {
    if (workflow === undefined) return null;
    return (await found("workflow", workflow, store.workflows.get(workflow as WorkflowId))).requestName;
  };

  app.delete(
    "/sites/:name/ban",
    route(
      "Lift the bans of a site: all of them, those of one request, or only the one for every request",
      { 200: unbannedSchema, ...actErrors },
      {
        params: siteParams,
        querystring: dryRunQuery.extend({
          request: nameText.optional().describe("only the ban of this request"),
          scope: z.enum(["all", "system"]).default("all").describe("all, or system: only the one for all"),
          reason: reasonText.optional(),
        }),
      },
    ),
    async (request) => {
      const site = request.params.name;
      const { scope, reason = `lifted by ${request.actor}` } = request.query;
      const name = (request.query.request ?? null) as RequestName | null;
      const by = askedBy(request);
      const answer = await commands.unbanSite(site, { request: name, all: !name && scope === "all", reason }, by);
      if (answer.kind === "unknown-site") throw notFound("site", site);
      if (answer.kind === "unknown-request") throw notFound("request", name ?? "");
      return { site, dry_run: by.dryRun, lifted: answer.bans.length, bans: answer.bans.map(banView) };
    },
  );
}
