import { WorldError } from "../core/base/errors.ts";
import type { Client } from "./client.ts";
import { type Answer, command, listing, type Options, told, type Values } from "./command.ts";
import { days } from "./option-values.ts";
import { BANS, SITES } from "./view/tables.ts";
import { count } from "./view/text.ts";

const OPTIONS = {
  "--reason <text>": "why; it is shown in the list, and kept with a ban",
  "--request <name>": "ban, unban: only for this request",
  "--days <number>": { about: "ban: for so long; a week when left out", parse: days },
  "--past": "bans: expired and lifted ones too",
  "--dry-run": "only say what it would mean for open requests",
} as const satisfies Options;
type SitesOptions = Values<typeof OPTIONS>;

const VERBS = ["list", "sync", "enable", "drain", "disable", "ban", "unban", "bans"] as const;
type Verb = (typeof VERBS)[number];

export const addSites = command("sites", {
  about: "where jobs may run; take a site out of use or back in, ban it for a time",
  arguments: { "[verb]": { about: "what to do", choices: VERBS, fallback: "list" }, "[name]": "the site" },
  options: OPTIONS,
  examples: [
    "wms2 sites",
    "wms2 sites sync --dry-run                                   what would CRIC and the site status change?",
    'wms2 sites drain T2_XX_Alpha --reason "disk servers move"   running jobs end, no new work units',
    "wms2 sites disable T2_XX_Alpha --dry-run                    who would have no site left?",
    "wms2 sites enable T2_XX_Alpha",
    'wms2 sites ban T2_XX_Alpha --days 3 --reason "storage is down"',
    'wms2 sites ban T2_XX_Alpha --request muons --reason "its data is corrupt there"',
    'wms2 sites unban T2_XX_Alpha --reason "storage is back"',
    "wms2 sites bans T2_XX_Alpha --past",
  ],
  run({ client, options }, verb: Verb, name: string | undefined) {
    if (verb === "list") return list(client, name);
    if (verb === "sync") return sync(client, options);
    if (name === undefined)
      throw new WorldError("bad-usage", "sites", `name the site to ${verb}`, { hint: `wms2 sites ${verb} NAME` });
    if (verb === "bans") return bans(client, name, options);
    if (verb === "ban") return ban(client, name, options);
    if (verb === "unban") return unban(client, name, options);
    return change(client, verb, name, options);
  },
});

async function list(client: Client, name: string | undefined): Promise<Answer> {
  const { items } = await client.sites.list();
  const found = name === undefined ? items : items.filter((site) => site.name === name);
  if (name !== undefined && found.length === 0)
    throw new WorldError("not-found", name, `there is no site ${name}`, { hint: "see them all with: wms2 sites" });
  return listing(SITES, found, "no site is known yet; the engine lists them once it was asked");
}

async function sync(client: Client, { dryRun }: SitesOptions): Promise<Answer> {
  const answer = await client.sites.sync({ dry_run: dryRun });
  const { reason, changes, warnings } = answer;
  const outcome =
    reason !== null
      ? `nothing was changed: ${reason}; the catalog's answer is not believed`
      : `${count(changes.length, "site")} ${dryRun ? "would change" : "changed"}`;
  const lines = changes.map(({ site, what }) => `${site}: ${what}`);
  return { json: answer, note: [...warnings, ...lines, outcome].join("\n") };
}

async function change(
  client: Client,
  verb: "enable" | "drain" | "disable",
  name: string,
  options: SitesOptions,
): Promise<Answer> {
  const { reason, dryRun } = options;
  const site = await client.sites[verb]({ name, note: reason, dry_run: dryRun });
  return { json: site, note: told(site) };
}

async function ban(client: Client, name: string, options: SitesOptions): Promise<Answer> {
  const { reason } = options;
  if (reason === undefined) throw new WorldError("bad-usage", "sites", "a ban needs --reason");
  const { days, request, dryRun } = options;
  const answer = await client.sites.ban({ name, reason, days, request, dry_run: dryRun });
  return { json: answer, note: told(answer) };
}

async function unban(client: Client, name: string, options: SitesOptions): Promise<Answer> {
  const { request, reason, dryRun } = options;
  const answer = await client.sites.unban({ name, request, reason, dry_run: dryRun });
  return { json: answer, note: told(answer) };
}

async function bans(client: Client, name: string, { past }: SitesOptions): Promise<Answer> {
  const { items } = await client.sites.bans({ name, past: past === true });
  return listing(BANS, items, `${name} is not banned`);
}
