import { Argument, type Command, InvalidArgumentError } from "commander";
import type { BannedView, BansView, ChangedSiteView, SitesView, UnbannedView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { given } from "./act-options.ts";
import { type Client, part, queryText } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { banTable, effectLines, siteTable } from "./view/operator-tables.ts";
import { count } from "./view/text.ts";

const VERBS = ["list", "enable", "drain", "disable", "ban", "unban", "bans"] as const;
type Verb = (typeof VERBS)[number];

interface SitesOptions {
  readonly note?: string;
  readonly reason?: string;
  readonly request?: string;
  readonly days?: number;
  readonly past?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addSites(program: Command): void {
  program
    .command("sites")
    .description("where jobs may run; take a site out of use or back in, ban it for a time")
    .addArgument(new Argument("[verb]", "what to do").choices(VERBS).default("list"))
    .argument("[name]", "the site")
    .option("--note <text>", "why; shown in the list")
    .option("--reason <text>", "ban, unban: why; kept with the ban")
    .option("--request <name>", "ban, unban: only for this request")
    .option("--days <number>", "ban: for so long; a week when left out", days)
    .option("--past", "bans: expired and lifted ones too")
    .option("--dry-run", "only say what it would mean for open requests")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 sites
  wms2 sites drain T2_XX_Alpha --note "disk servers move"     running jobs end, no new work units
  wms2 sites disable T2_XX_Alpha --dry-run                    who would have no site left?
  wms2 sites enable T2_XX_Alpha
  wms2 sites ban T2_XX_Alpha --days 3 --reason "storage is down"
  wms2 sites ban T2_XX_Alpha --request muons --reason "its data is corrupt there"
  wms2 sites unban T2_XX_Alpha --reason "storage is back"
  wms2 sites bans T2_XX_Alpha --past`,
    )
    .action(async (verb: Verb, name: string | undefined, _options: unknown, command: Command) => {
      const options = optionsOf<SitesOptions>(command);
      const client = clientFor(options);
      if (verb === "list") return list(client, name, options);
      if (name === undefined) throw new WorldError("bad-usage", "sites", `which site is to ${verb}?`);
      if (verb === "bans") return bans(client, name, options);
      if (verb === "ban") return ban(client, name, options);
      if (verb === "unban") return unban(client, name, options);
      return change(client, verb, name, options);
    });
}

async function list(client: Client, name: string | undefined, options: SitesOptions): Promise<void> {
  const { items } = await client.get<SitesView>("/sites");
  const found = name === undefined ? items : items.filter((site) => site.name === name);
  if (name !== undefined && found.length === 0) throw unknownSite(name);
  if (options.json) return printJson({ items: found });
  if (found.length === 0) return talk("no site is known yet; the engine tells them once it was asked");
  print(siteTable(found, new Date(), widthOf(process.stdout), paintFor(process.stdout)));
}

async function change(client: Client, verb: Verb, name: string, options: SitesOptions): Promise<void> {
  const query = queryText(options.dryRun ? { dry_run: true } : {});
  const body = given({ note: options.note ?? options.reason });
  const site = await client.send<ChangedSiteView>("POST", `/sites/${part(name)}/${verb}${query}`, body);
  if (options.json) return printJson(site);
  const lines = verb === "enable" ? [] : effectLines(site.effect, paintFor(process.stderr));
  talk([options.dryRun ? `${name} stays ${site.status}` : `${name} is ${site.status}`, ...lines].join("\n"));
}

async function ban(client: Client, name: string, options: SitesOptions): Promise<void> {
  const reason = options.reason ?? options.note;
  if (reason === undefined) throw new WorldError("bad-usage", "sites", "a ban needs --reason");
  const { days, request, dryRun } = options;
  const body = { reason, ...given({ days, request, dry_run: dryRun }) };
  const answer = await client.send<BannedView>("POST", `/sites/${part(name)}/ban`, body);
  if (options.json) return printJson(answer);
  const until = answer.until.slice(0, 16).replace("T", " ");
  const words = {
    banned: `${name} is banned until ${until}`,
    extended: `${name} was banned already; the ban now lasts until ${until}`,
    already: `${name} is banned already, until ${until}; nothing was changed`,
    would: `${name} would be banned until ${until}; nothing was changed`,
  };
  talk([words[answer.outcome], ...effectLines(answer.effect, paintFor(process.stderr))].join("\n"));
}

async function unban(client: Client, name: string, options: SitesOptions): Promise<void> {
  const { request, dryRun } = options;
  const query = queryText({ request, reason: options.reason ?? options.note, ...(dryRun && { dry_run: true }) });
  const answer = await client.send<UnbannedView>("DELETE", `/sites/${part(name)}/ban${query}`);
  if (options.json) return printJson(answer);
  talk(`${name}: ${count(answer.lifted, "ban")} ${dryRun ? "would be " : ""}lifted`);
}

async function bans(client: Client, name: string, options: SitesOptions): Promise<void> {
  const { items } = await client.get<BansView>(`/sites/${part(name)}/bans`, { past: options.past === true });
  if (options.json) return printJson({ items });
  if (items.length === 0) return talk(`${name} is not banned`);
  print(banTable(items, { now: new Date(), width: widthOf(process.stdout), paint: paintFor(process.stdout) }));
}

const unknownSite = (name: string): WorldError =>
  new WorldError("not-found", name, `there is no site ${name}`, { hint: "see them all with: wms2 sites" });

function days(word: string): number {
  if (Number(word) > 0) return Number(word);
  throw new InvalidArgumentError("It must be a number of days, more than 0.");
}
