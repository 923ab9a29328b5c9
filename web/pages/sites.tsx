import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { siteHref } from "../request-status.tsx";
import { Badge } from "../ui/badge.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Legend } from "../ui/bar.tsx";
import { Columns } from "../ui/columns.tsx";
import { Command } from "../ui/copy-button.tsx";
import { useSettings } from "../ui/settings.ts";
import { Until } from "../ui/time.tsx";
import { count } from "../words.ts";
import { ForWhom } from "./sites/for-whom.tsx";
import { columnsOf, faultText, partsOf, type SiteHours, sumOf } from "./sites/hours.ts";
import { SITE_LOOK, type Site, siteState } from "./sites/verbs.ts";

const HOURS = 24;
const NONE: SiteHours = [];

/** Whose fault is it, by the hour; and who may not be used. */
export function SitesPage(): ReactNode {
  const sites = useAnswer("sites.list", {});
  const hours = useAnswer("sites.hours", { hours: HOURS });
  const error = sites.error ?? hours.error;
  if (!sites.data || !hours.data) return error ? <Problem error={error} /> : <Loading what="the sites" />;
  const bySite = new Map(hours.data.items.map((item) => [item.site, item.hours]));
  const worst = ({ name }: Site) => sumOf(bySite.get(name) ?? NONE).blamed;
  const rows = sites.data.items.toSorted((a, b) => worst(b) - worst(a) || a.name.localeCompare(b.name));
  const out = rows.filter((site) => siteState(site) !== "enabled").length;
  return (
    <>
      <div className="title">
        <h1>Sites</h1>
        <span className="quiet number live">
          {count(rows.length, "site")}, {out === 0 ? "all in use" : `${out} not in use`} · most failures of that kind
          first
        </span>
        <div className="end">
          <AsText cli="wms2 sites" operation="sites.hours" input={{ hours: HOURS }} />
        </div>
      </div>
      {error && <Problem error={error} />}
      {rows.length === 0 ? (
        <Empty title="No site is known yet">
          <p>
            The engine lists its own once it was asked, with the first request: what the slots of an HTCondor pool call
            theirs (<code>GLIDEIN_CMSSite</code>), or what the setting <code>engine.local.sites</code> names. With a CMS
            catalog, they are taken over from it every <code>sites.sync_minutes</code>. The settings in force:
          </p>
          <Command text="wms2 config show" />
        </Empty>
      ) : (
        <section className="panel" aria-label="Sites">
          <header>
            <h2>Attempts of the last {HOURS} hours</h2>
            <Legend parts={partsOf(sumOf([...bySite.values()].flat()))} />
          </header>
          <ul className="groups">
            {rows.map((site) => (
              <li key={site.name}>
                <Row site={site} hours={bySite.get(site.name) ?? NONE} since={hours.data.since} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Row({ site, hours, since }: { site: Site; hours: SiteHours; since: string }): ReactNode {
  const { zone } = useSettings();
  const state = siteState(site);
  return (
    <div className="site-row">
      <div className="commands">
        <h3>
          <Link href={siteHref(site.name)}>{site.name}</Link>
        </h3>
        <Badge tone={SITE_LOOK[state][0]} letter={SITE_LOOK[state][1]}>
          {state}
        </Badge>
      </div>
      <Columns label={`${site.name}, by the hour`} columns={columnsOf(hours, since, { hours: HOURS, step: 1, zone })} />
      <div className="commands">
        <span className="number live">{faultText(sumOf(hours))}</span>
        {site.status !== "enabled" && site.note && <span className="quiet">{site.note}</span>}
        {site.bans.map(({ id, reason, expires_at, workflow_id }) => (
          <span key={id} className="quiet">
            banned for <ForWhom workflow={workflow_id} /> <Until at={expires_at} />: {reason}
          </span>
        ))}
      </div>
    </div>
  );
}
