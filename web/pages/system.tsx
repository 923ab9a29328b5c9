import type { ReactNode } from "react";
import { type Answer, apiUrl } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { Badge } from "../ui/badge.tsx";
import { Loading } from "../ui/banner.tsx";
import { TableHead } from "../ui/table-head.tsx";
import { Time, useNow } from "../ui/time.tsx";
import { duration } from "../ui/time-words.ts";
import { ageOf } from "./system/age.ts";

/** How old each number is and who makes it: not a green dot. */
export function SystemPage(): ReactNode {
  const fresh = useAnswer("system.freshness", {});
  const status = useAnswer("system.status", {});
  const error = fresh.error ?? status.error;
  if (!fresh.data) return error ? <Problem error={error} /> : <Loading what="the system" />;
  return (
    <>
      <div className="title">
        <h1>System</h1>
        <span className="quiet">{fresh.data.host}</span>
        <div className="end">
          <AsText cli="wms2 doctor" operation="system.freshness" input={{}} />
        </div>
      </div>
      {error && <Problem error={error} />}
      {status.data?.warnings.map(({ what, fix }) => (
        <p key={what} className="banner warning">
          <b>{what}</b> <span>Try: {fix}</span>
        </p>
      ))}
      <div className="split">
        <Ages fresh={fresh.data} />
        <div className="stack">
          <Facts fresh={fresh.data} status={status.data ?? null} />
        </div>
      </div>
    </>
  );
}

function Ages({ fresh }: { fresh: Answer<"system.freshness"> }): ReactNode {
  const now = useNow(1000);
  return (
    <section className="panel scroll" aria-label="How fresh it is">
      <table className="plain cards live">
        <TableHead columns={["What", "State", "Seen", "How often", "What was seen"]} />
        <tbody>
          {fresh.items.map((item) => {
            const [tone, letter, word] = ageOf(item, now);
            return (
              <tr key={item.what}>
                <th scope="row">{item.what}</th>
                <td>
                  <Badge tone={tone} letter={letter}>
                    {word}
                  </Badge>
                </td>
                <td>{item.read_at ? <Time at={item.read_at} as="both" /> : "–"}</td>
                <td>{oftenText(item.every_sec)}</td>
                <td>{item.text}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const oftenText = (everySec: number | null): string =>
  everySec === null ? "when asked" : `every ${everySec < 1 ? `${everySec} s` : duration(everySec)}`;

interface FactsProps {
  readonly fresh: Answer<"system.freshness">;
  readonly status: Answer<"system.status"> | null;
}

function Facts({ fresh, status }: FactsProps): ReactNode {
  const leader =
    fresh.leader === null ? "none: no server passes" : `${fresh.leader}${fresh.is_leader ? " (this one)" : ""}`;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Leader of the loop", leader],
    ["Version of the server", fresh.version],
    [
      "Version of the API",
      <a key="api" href={new URL("../../docs", apiUrl("/x")).href}>
        {fresh.api}
      </a>,
    ],
    ["Node.js", fresh.node],
    ["Runs since", <Time key="at" at={fresh.started_at} as="both" />],
    ["This start", fresh.instance],
    ["Runs in the engine", status?.dags_open ?? null],
    ["Requests with a failing pass", status?.loop.requests_with_errors ?? null],
    ["Data", status?.directories.data_dir],
    ["Spool", status?.directories.spool_dir],
    ["Outputs", status?.directories.storage_dir],
  ];
  return (
    <section className="panel" aria-label="Versions and places">
      <header>
        <h2>Versions and places</h2>
      </header>
      <dl className="body facts">
        {facts
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
