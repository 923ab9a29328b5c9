import type { Site } from "../../domain/dag.ts";
import type { SiteName } from "../../domain/names.ts";
import type { ApiPorts } from "../ports.ts";
import { notFound } from "../problem.ts";
import { changeErrors, itemErrors, readErrors } from "../schemas/problem.ts";
import { siteParams } from "../schemas/query.ts";
import {
  type SiteView,
  siteChangeSchema,
  siteNoteSchema,
  siteSchema,
  sitesSchema,
} from "../schemas/system.ts";
import { siteView } from "../views/system.ts";
import type { Api } from "./api.ts";

const tags = ["sites"];
const VERBS = { enable: "enabled", drain: "draining", disable: "disabled" } as const;

export function siteRoutes(app: Api, { store, commands, clock }: ApiPorts): void {
  const load = async (name: string): Promise<SiteView> => {
    const [site, bans] = await Promise.all([
      store.sites.get(name as SiteName),
      store.sites.activeBans(clock.now()),
    ]);
    if (!site) throw notFound("site", name);
    return siteView(site, bans);
  };
  const change = async (name: string, status: Site["status"], note: string | undefined, actor: string) => {
    const known = await commands.changeSite(
      name as SiteName,
      { status, ...(note !== undefined && { note }) },
      actor,
    );
    if (!known) throw notFound("site", name);
    return load(name);
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
    {
      schema: { tags, summary: "One site", params: siteParams, response: { 200: siteSchema, ...itemErrors } },
    },
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
        body: siteChangeSchema,
        response: { 200: siteSchema, ...changeErrors },
      },
    },
    (request) => change(request.params.name, request.body.status, request.body.note, request.actor),
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
          body: siteNoteSchema.prefault({}),
          response: { 200: siteSchema, ...changeErrors },
        },
      },
      (request) => change(request.params.name, status, request.body.note, request.actor),
    );
  }
}
