import { Argument, type Command } from "commander";
import type { SitesView, SiteView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { type Paint, paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { table } from "./view/table.ts";
import { bytes, shortAge } from "./view/text.ts";

const VERBS = ["list", "enable", "drain", "disable"] as const;

export function addSites(program: Command): void {
  program
    .command("sites")
    .description("where jobs may run; take a site out of use, or back in")
    .addArgument(new Argument("[verb]", "what to do").choices(VERBS).default("list"))
    .argument("[name]", "the site")
    .option("--note <text>", "why; shown in the list")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 sites
  wms2 sites drain T2_XX_Alpha --note "disk servers move"     running jobs end, no new work units
  wms2 sites disable T2_XX_Alpha
  wms2 sites enable T2_XX_Alpha`,
    )
    .action(
      async (verb: (typeof VERBS)[number], name: string | undefined, _options: unknown, command: Command) => {
        const options = optionsOf<{ note?: string; json?: boolean }>(command);
        const client = clientFor(options);
        if (verb === "list") {
          const { items } = await client.get<SitesView>("/sites");
          const found = name === undefined ? items : items.filter((site) => site.name === name);
          if (name !== undefined && found.length === 0) throw unknownSite(name);
          if (options.json) return printJson({ items: found });
          if (found.length === 0)
            return talk("no site is known yet; the engine tells them once it was asked");
          return print(siteTable(found, new Date(), widthOf(process.stdout), paintFor(process.stdout)));
        }
        if (name === undefined) throw new WorldError("bad-usage", "sites", `which site is to ${verb}?`);
        const body = options.note === undefined ? {} : { note: options.note };
        const site = await client.send<SiteView>("POST", `/sites/${part(name)}/${verb}`, body);
        if (options.json) return printJson(site);
        talk(`${site.name} is ${site.status}`);
      },
    );
}

const unknownSite = (name: string): WorldError =>
  new WorldError("not-found", name, `there is no site ${name}`, { hint: "see them all with: wms2 sites" });

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
  `banned for ${shortAge((Date.parse(ban.expires_at) - now.getTime()) / 1000)} more: ${ban.reason}`;
