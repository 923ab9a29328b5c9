import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { ApiProblem } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Badge } from "../ui/badge.tsx";
import { Banner, Empty, Loading } from "../ui/banner.tsx";
import { Legend } from "../ui/bar.tsx";
import { Columns } from "../ui/columns.tsx";
import { useSettings } from "../ui/settings.ts";
import { Tabs } from "../ui/tabs.tsx";
import { Time, Until } from "../ui/time.tsx";
import { useNames, useUrlState } from "../url-state.ts";
import { quoted } from "../words.ts";
import { ActOnSite } from "./sites/act.tsx";
import { Bans } from "./sites/bans.tsx";
import { FailsThere } from "./sites/fails-there.tsx";
import { busyText, columnsOf, faultText, partsOf, sumOf } from "./sites/hours.ts";
import { MEANING, SITE_LOOK, SITE_VERBS, type Site, type SiteVerb, siteState, whyNotSite } from "./sites/verbs.ts";

/** One site: whose fault it is, who keeps jobs away from it, and whom that hurts. */
export function SitePage(): ReactNode {
  const { name = "" } = useNames();
  const { data, error } = useAnswer("sites.show", { name });
  const [asked, setAsked] = useState<SiteVerb | null>(null);
  if (error instanceof ApiProblem && error.status === 404)
    return (
      <Empty title={`There is no site ${name}`}>
        <p>
          The engine or the catalog may not know it yet. <Link href="/sites">All sites</Link>
        </p>
      </Empty>
    );
  if (!data) return error ? <Problem error={error} /> : <Loading what={name} />;
  const state = siteState(data);
  return (
    <>
      <div className="title">
        <h1>{name}</h1>
        <Badge tone={SITE_LOOK[state][0]} letter={SITE_LOOK[state][1]}>
          {state}
        </Badge>
        <Link href={`/requests?site=${encodeURIComponent(name)}`}>Requests that ran here</Link>
        <div className="end">
          <AsText cli={`wms2 sites bans ${quoted(name)}`} operation="sites.show" input={{ name }} />
        </div>
      </div>
      {error && <Problem error={error} />}
      <NotInUse site={data} onUndo={setAsked} />
      <fieldset className="tabs actions" aria-label="Actions">
        {SITE_VERBS.map((verb) => (
          <ActionButton key={verb} whyNot={whyNotSite(verb, data)} about={MEANING[verb]} onPress={() => setAsked(verb)}>
            {verb}
          </ActionButton>
        ))}
      </fieldset>
      <div className="split">
        <div className="stack">
          <Hours name={name} />
          <FailsThere name={name} />
        </div>
        <Bans name={name} onLift={() => setAsked("unban")} />
      </div>
      {asked && <ActOnSite verb={asked} name={name} onClose={() => setAsked(null)} />}
    </>
  );
}

function NotInUse({ site, onUndo }: { site: Site; onUndo: (verb: SiteVerb) => void }): ReactNode {
  if (siteState(site) === "enabled") return null;
  const undo = site.status === "enabled" ? "unban" : "enable";
  const ban = site.bans.find(({ workflow_id }) => workflow_id === null);
  return (
    <Banner kind="warning">
      {undo === "unban" && ban ? (
        <b>
          Banned <Until at={ban.expires_at} />: {ban.reason}
        </b>
      ) : (
        <b>
          {site.status} since <Time at={site.updated_at} as="both" />
          {site.note && `: ${site.note}`}
        </b>
      )}
      <button type="button" onClick={() => onUndo(undo)}>
        Undo …
      </button>
    </Banner>
  );
}

const SPANS = [
  ["24", "24 hours"],
  ["168", "7 days"],
] as const;

function Hours({ name }: { name: string }): ReactNode {
  const url = useUrlState();
  const { zone } = useSettings();
  const span = url.get("hours") === "168" ? "168" : "24";
  const hours = Number(span);
  const { data } = useAnswer("sites.hours", { hours }, { keep: true });
  const of = data?.items.find(({ site }) => site === name)?.hours ?? [];
  const sums = sumOf(of);
  return (
    <section className="panel">
      <header>
        <h2>Attempts by the hour</h2>
        <span className="end">
          <Tabs
            label="How far back"
            value={span}
            options={SPANS}
            onChange={(value) => url.set("hours", value === "24" ? null : value)}
          />
        </span>
      </header>
      <div className="body commands">
        <p className="number live">
          {faultText(sums)}; {busyText(of)}
        </p>
        {data && (
          <Columns
            label={`${name}, last ${span} hours`}
            columns={columnsOf(of, data.since, { hours, step: hours / 24, zone })}
          />
        )}
        <Legend parts={partsOf(sums)} />
      </div>
    </section>
  );
}
