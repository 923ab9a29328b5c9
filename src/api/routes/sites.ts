import type { Site } from "../../domain/dag.ts";
import type { SiteName } from "../../domain/names.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { dryRunQuery } from "../schemas/operate.ts";
import { type ChangedSiteView, changedSiteSchema } from "../schemas/operators.ts";
import { changeErrors, itemErrors, readErrors } from "../schemas/problem.ts";
import { siteParams } from "../schemas/query.ts";
import { type SiteView, siteChangeSchema, siteNoteSchema, siteSchema, sitesSchema } from "../schemas/system.ts";
import { effectView } from "../views/operators.ts";
import { siteView } from "../views/system.ts";
import type { Api } from "./api.ts";

const tags = ["sites"];
const VERBS = { enable: "enabled", drain: "draining", disable: "disabled" } as const;

export function siteRoutes(app: Api, { store, commands, clock }: ApiPorts): void {
  const load = async (name: string): Promise<SiteView> => {
    const [site, bans] = await Promise.all([store.sites.get(name as SiteName), store.sites.activeBans(clock.now())]);
    if (!site) throw notFound("site", name);
    return siteView(site, bans);
  };
  /** What it means for planned work is told with every change; a dry run tells only that. */
  const change = async (
    name: string,
    status: Site["status"],
    note: string | undefined,
    by: { actor: string; dryRun: boolean },
  ): Promise<ChangedSiteView> => {
    const effect = await commands.siteEffect(name as SiteName);
    if (!effect) throw notFound("site", name);
    const wanted = { status, ...(note !== undefined && { note }) };
    if (!by.dryRun) await commands.changeSite(name as SiteName, wanted, by.actor);
    const out = status === "enabled" ? { usedBy: effect.usedBy, leftWithout: [], leftWithoutTotal: 0 } : effect;
    return { ...(await load(name)), dry_run: by.dryRun, effect: effectView(out) };
  };

  app.get(
    "/sites",
    { schema: { tags, summary: "All sites and their bans", response: { 200: sitesSchema, ...readErrors } } },
    async () => {
      const [sites, bans] = await Promise.all([store.sites.list(), store.sites.activeBans(clock.now())]);
      return { items: sites.map((site) => siteView(site, bans)) };
    },
  );

  app.get(
    "/sites/:name",
    { schema: { tags, summary: "One site", params: siteParams, response: { 200: siteSchema, ...itemErrors } } },
    (request) => load(request.params.name),
  );

  app.patch(
    "/sites/:name",
    {
      schema: {
        tags,
        security: [{ operator: [] }],
        summary: "Enable, drain or disable a site",
        params: siteParams,
        querystring: dryRunQuery,
        body: siteChangeSchema,
        response: { 200: changedSiteSchema, ...changeErrors },
      },
    },
    (request) => change(request.params.name, request.body.status, request.body.note, byOf(request)),
  );

  for (const [verb, status] of Object.entries(VERBS)) {
    app.post(
      `/sites/:name/${verb}`,
      {
        schema: {
          tags,
          security: [{ operator: [] }],
          summary: `The site becomes ${status}`,
          params: siteParams,
          querystring: dryRunQuery,
          body: siteNoteSchema.prefault({}),
          response: { 200: changedSiteSchema, ...changeErrors },
        },
      },
      (request) => change(request.params.name, status, request.body.note, byOf(request)),
    );
  }
}

const byOf = (request: { actor: string; query: { dry_run?: string | undefined } }) => ({
  actor: request.actor,
  dryRun: request.query.dry_run === "true",
});
