import { type Answer, type Asked, certified, json, type Service } from "../http.ts";
import type { Site, World } from "../world.ts";

/** What exists. */
export const cric: Service = {
  name: "cric",
  prefix: "/cric",
  admit: certified,
  routes: [["GET", /^\/api\/cms\/site\/query\/$/, query]],
};

function query(world: World, { query: ask }: Asked): Answer {
  const name = ask.get("name");
  const isMeant = ({ site, state }: Site): boolean =>
    (ask.get("rcsite_state") === "ANY" || state === "ACTIVE") && (name === null || name === site);
  const sites = world.sites.values().filter(isMeant);
  const mapped = sites.flatMap(({ site, rses }) => rses.map((rse) => [site, rse]));
  switch (ask.get("preset")) {
    case "site-names":
      return report(["type", "site_name", "alias"], sites.flatMap(namesOf));
    case "data-processing":
      return report(["psn_name", "phedex_name"], mapped);
    case null:
      return json(200, Object.fromEntries(sites.map((site) => [site.site, about(site)])));
    default:
      return json(400, { error: `no preset ${ask.get("preset")}` });
  }
}

const report = (columns: readonly string[], result: readonly string[][]): Answer =>
  json(200, { desc: { columns }, result });
const titleOf = (site: string): string => site.split("_").slice(2).join(" ") || site;
const tierOf = (site: string): number => Number(/^T(\d)/.exec(site)?.[1] ?? 2);
const namesOf = ({ site, rses }: Site): string[][] => [
  ["psn", titleOf(site), site],
  ...rses.map((rse) => ["phedex", titleOf(site), rse]),
  ["cms", titleOf(site), site],
  ["lcg", titleOf(site), `GRID-${titleOf(site)}`],
];
function about({ site, state }: Site) {
  const [, country = "", ...rest] = site.split("_");
  return { name: site, facility: [country, ...rest].join("_"), state, tier_level: tierOf(site), country };
}

/** Where work may run: not CRIC's, but of those who look after the sites, in the two forms they publish. */
export const siteStatus: Service = {
  name: "site-status",
  prefix: "/site-status",
  admit: certified,
  routes: [
    ["GET", /^\/prod_status\.json$/, ({ sites }) => json(200, { csvdata: sites.values().map(csvRow) })],
    ["GET", /^\/sts15min\.json$/, ({ sites }) => json(200, sites.values().map(metric))],
  ],
};

const COLORS: Readonly<Record<string, string>> = { enabled: "green", drain: "yellow", test: "blue" };
function csvRow({ site, prod_status: status }: Site) {
  const color = COLORS[status] ?? "red";
  return { VOName: site, Status: status, COLORNAME: color, Tier: tierOf(site), Time: new Date().toISOString() };
}
function metric({ site, prod_status }: Site) {
  const data = { name: site, status: "enabled", prod_status, crab_status: "enabled", rucio_status: "dependable" };
  return { producer: "cmssst", type: "ssbmetric", monit_hdfs_path: "sts15min", timestamp: Date.now(), data };
}
