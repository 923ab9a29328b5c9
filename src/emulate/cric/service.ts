import { type Answer, type Asked, json, type Service } from "../http.ts";
import type { Site, World } from "../world.ts";

const frontEnd = ({ person }: Asked): Answer | null => (person === null ? { status: 403 } : null);
const common = {
  admit: frontEnd,
  absent: (): Answer => ({ status: 404 }),
  failed: (_asked: Asked, error: unknown): Answer => {
    throw error;
  },
};

/** What exists. */
export const cric = (world: World): Service => ({
  ...common,
  name: "cric",
  prefix: "/cric",
  routes: [["GET", /^\/api\/cms\/site\/query\/$/, (asked) => query(world, asked)]],
});

function query(world: World, { query: ask }: Asked): Answer {
  const name = ask.get("name");
  const sites = world.sites
    .values()
    .filter(({ state }) => ask.get("rcsite_state") === "ANY" || state === "ACTIVE")
    .filter(({ site }) => name === null || name === site);
  switch (ask.get("preset")) {
    case "site-names":
      return table(["type", "site_name", "alias"], sites.flatMap(namesOf));
    case "data-processing":
      return table(
        ["psn_name", "phedex_name"],
        sites.flatMap(({ site, rses }) => rses.map((rse) => [site, rse])),
      );
    case null:
      return json(200, Object.fromEntries(sites.map((site) => [site.site, about(site)])));
    default:
      return json(400, { error: `no preset ${ask.get("preset")}` });
  }
}

const table = (columns: readonly string[], result: readonly (readonly string[])[]): Answer =>
  json(200, { desc: { columns }, result });
const titleOf = (site: string): string => site.split("_").slice(2).join(" ") || site;
const namesOf = ({ site, rses }: Site): string[][] => [
  ["psn", titleOf(site), site],
  ...rses.map((rse) => ["phedex", titleOf(site), rse]),
  ["cms", titleOf(site), site],
  ["lcg", titleOf(site), `GRID-${titleOf(site)}`],
];
const about = ({ site, state }: Site) => ({
  name: site,
  facility: site.split("_").slice(1).join("_"),
  state,
  tier_level: Number(/^T(\d)/.exec(site)?.[1] ?? 2),
  country: site.split("_")[1] ?? "",
});

/** Where work may run: not CRIC's, but of those who look after the sites. */
export const siteStatus = (world: World): Service => ({
  ...common,
  name: "site-status",
  prefix: "/site-status",
  routes: [
    ["GET", /^\/prod_status\.json$/, () => json(200, { csvdata: world.sites.values().map(csvRow) })],
    ["GET", /^\/sts15min\.json$/, () => json(200, world.sites.values().map(document))],
  ],
});

const COLORS: Readonly<Record<string, string>> = { enabled: "green", drain: "yellow", test: "blue" };
const csvRow = ({ site, prod_status }: Site) => ({
  VOName: site,
  Status: prod_status,
  COLORNAME: COLORS[prod_status] ?? "red",
  Tier: Number(/^T(\d)/.exec(site)?.[1] ?? 2),
  Time: new Date().toISOString(),
  EndTime: null,
});
const document = ({ site, prod_status }: Site) => ({
  producer: "cmssst",
  type: "ssbmetric",
  type_prefix: "raw",
  monit_hdfs_path: "sts15min",
  timestamp: Date.now(),
  data: { name: site, status: "enabled", prod_status, crab_status: "enabled", rucio_status: "dependable", detail: "" },
});
