import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { Letter } from "../../ui/badge.tsx";
import { count } from "../../words.ts";
import { requestsHref } from "../requests/filter.ts";

/** What fails at a site now, over all requests. */
export function FailsThere({ name }: { name: string }): ReactNode {
  const { data, error } = useAnswer("desk.causes", { site: name });
  return (
    <section className="panel">
      <header>
        <h2>What fails here</h2>
        <span className="quiet">over all open requests</span>
      </header>
      {error && <Problem error={error} />}
      {data?.items.length === 0 && <p className="body quiet">No failures were found in what was read.</p>}
      <ol className="groups">
        {(data?.items ?? []).map((cause) => (
          <li key={cause.key}>
            <div className="title">
              {cause.failures > 0 ? <Letter tone="failed" letter="F" /> : <Letter tone="retrying" letter="↻" />}
              <h3>{/^\d/.test(cause.name) ? `Exit ${cause.name}` : cause.name}</h3>
              <span className="quiet number live">
                {count(cause.failures, "failure")} in{" "}
                <Link href={requestsHref(cause.filter)}>{count(cause.requests, "request")}</Link>
                {cause.retrying > 0 && `, ${cause.retrying} to be retried`}
              </span>
            </div>
            <p>{cause.meaning ?? cause.example.reason}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
