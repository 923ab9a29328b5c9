import type { ReactNode } from "react";
import { Link } from "wouter";
import { REQUEST_STATUSES } from "../../../src/core/request-status.ts";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Status } from "../../request-status.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { Time } from "../../ui/time.tsx";
import { count } from "../../words.ts";

/** What goes on without anybody: requests by status, work units of the last day, the loop. */
export function Activity({ status }: { status: Answer<"system.status"> }): ReactNode {
  const history = useAnswer("desk.history", { hours: 24 });
  const samples = history.data?.samples ?? [];
  const units = history.data?.now;
  const { loop, engine } = status;
  return (
    <section className="panel">
      <header>
        <h2>What goes on</h2>
        <span className="quiet">{status.host}</span>
      </header>
      <div className="body commands">
        <ul className="legend live">
          {REQUEST_STATUSES.filter((word) => (status.requests[word] ?? 0) > 0).map((word) => (
            <li key={word} className="badge">
              <Link href={`/requests?status=${word}`}>
                <Status status={word} />
              </Link>
              <b className="number">{status.requests[word]?.toLocaleString("en")}</b>
            </li>
          ))}
        </ul>
        {units && (
          <p className="number live">
            {units.done.toLocaleString("en")} of {count(units.total, "work unit")} done,{" "}
            {units.running.toLocaleString("en")} running, {units.failed.toLocaleString("en")} failed
          </p>
        )}
        <Sparkline label="Work units done, last 24 hours" values={samples.map(({ done }) => done)} />
        <p className={loop.healthy ? "quiet" : "banner error"}>
          {loop.healthy ? "The scheduler is running" : loop.why}
          {loop.last_pass_at && (
            <>
              , last pass <Time at={loop.last_pass_at} />
            </>
          )}
          {" · "}
          {engine.ok ? engine.name : `${engine.name}: ${engine.text}`}
        </p>
      </div>
    </section>
  );
}
