import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useList } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { useWhyNotOperator } from "../sign-in.tsx";
import { ActionButton } from "../ui/action-button.tsx";
import { Letter, type Tone } from "../ui/badge.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Time } from "../ui/time.tsx";
import { useUrlState } from "../url-state.ts";
import { Acknowledge, type Alert } from "./alerts/acknowledge.tsx";
import { adviceFor } from "./alerts/advice.ts";

const STATES = [
  ["open", "Open"],
  ["closed", "Closed"],
  ["all", "All"],
] as const;
const LOOK: Readonly<Record<Alert["severity"], readonly [Tone, string]>> = {
  critical: ["failed", "!"],
  warning: ["held", "!"],
  info: ["waiting", "i"],
};

/** What people should know: why, since when, what to do, and whether somebody does. */
export function AlertsPage(): ReactNode {
  const url = useUrlState();
  const state = STATES.find(([word]) => word === url.get("state"))?.[0] ?? "open";
  const text = url.get("text") ?? "";
  const { items, query } = useList("alerts.list", { state, limit: 100 });
  const [taken, setTaken] = useState<Alert | null>(null);
  const wanted = text.toLowerCase();
  const shown = items.filter(({ subject, message, key }) =>
    `${subject} ${message} ${key}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div className="title">
        <h1>Alerts</h1>
        <div className="end">
          <AsText cli={`wms2 alerts${state === "open" ? "" : " --all"}`} operation="alerts.list" input={{ state }} />
        </div>
      </div>
      <div className="toolbar">
        <Tabs
          label="Which alerts"
          value={state}
          options={STATES}
          onChange={(value) => url.set("state", value === "open" ? null : value)}
        />
        <label className="grow">
          <span className="visually-hidden">Find in alerts</span>
          <input
            type="search"
            placeholder="Find in alerts"
            value={text}
            onChange={({ target }) => url.set("text", target.value, { replace: true })}
          />
        </label>
      </div>
      {query.error && <Problem error={query.error} />}
      {query.isLoading && <Loading what="the alerts" />}
      {query.isSuccess && shown.length === 0 && (
        <Empty title={text ? `No alert has “${text}” in it` : `No alert is ${state === "closed" ? "closed" : "open"}`}>
          <p>Requests, engine, catalog and disks are checked all the time; what needs a person appears here.</p>
        </Empty>
      )}
      {shown.length > 0 && (
        <section className="panel" aria-label="Alerts">
          <ol className="groups live">
            {shown.map((alert) => (
              <li key={alert.id}>
                <OneAlert alert={alert} onTake={() => setTaken(alert)} />
              </li>
            ))}
          </ol>
        </section>
      )}
      {query.hasNextPage && (
        <button type="button" onClick={() => void query.fetchNextPage()}>
          Show older ones
        </button>
      )}
      {taken && <Acknowledge alert={taken} onClose={() => setTaken(null)} />}
    </>
  );
}

function OneAlert({ alert, onTake }: { alert: Alert; onTake: () => void }): ReactNode {
  const notOperator = useWhyNotOperator();
  const { todo, href } = adviceFor(alert.key, alert.subject);
  const { severity, subject, first_at, closed_at, acknowledged_by, acknowledged_at } = alert;
  return (
    <>
      <div className="title">
        <Letter tone={LOOK[severity][0]} letter={LOOK[severity][1]} />
        <h3>{href?.startsWith("/requests/") ? <Link href={href}>{subject}</Link> : subject}</h3>
        <span className="quiet">
          {severity}, since <Time at={first_at} as="both" />
          {alert.count > 1 && `, seen ${alert.count} ×`}
          {closed_at && (
            <>
              , closed <Time at={closed_at} as="both" />
            </>
          )}
        </span>
      </div>
      <p>{alert.message}</p>
      <div className="advice">
        <span>
          {closed_at ? (
            <span className="quiet">It is over.</span>
          ) : (
            <>
              <b>What to do:</b> {todo}
            </>
          )}
        </span>
        <span className="end">
          {href && !closed_at && (
            <Link className="button" href={href}>
              Look
            </Link>
          )}
          {acknowledged_by ? (
            <span className="quiet">
              {acknowledged_by} takes care of it
              {acknowledged_at && (
                <>
                  , since <Time at={acknowledged_at} />
                </>
              )}
            </span>
          ) : (
            !closed_at && (
              <ActionButton whyNot={notOperator} onPress={onTake}>
                I take care of it …
              </ActionButton>
            )
          )}
        </span>
      </div>
    </>
  );
}
