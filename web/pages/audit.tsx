import type { ReactNode } from "react";
import { Link } from "wouter";
import { useList } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { SubjectFilter } from "../subject-filter.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { TableHead } from "../ui/table-head.tsx";
import { Time } from "../ui/time.tsx";
import { useUrlState } from "../url-state.ts";
import { quoted } from "../words.ts";

/** Who did what to what, when and why; newest first, as far back as there is. */
export function AuditPage(): ReactNode {
  const url = useUrlState();
  const subject = url.get("subject") ?? "";
  const input = { limit: 100, ...(subject && { subject }) };
  const { items, query } = useList("audit.list", input);
  return (
    <>
      <div className="title">
        <h1>Audit</h1>
        <Link href="/handover">Hand-over</Link>
        <div className="end">
          <AsText cli={`wms2 audit ${quoted(subject)}`.trim()} operation="audit.list" input={input} />
        </div>
      </div>
      <div className="toolbar">
        <SubjectFilter url={url} />
      </div>
      {query.error && <Problem error={query.error} />}
      {query.isLoading && <Loading what="the audit" />}
      {query.isSuccess && items.length === 0 && (
        <Empty title={subject ? `Nobody did anything to ${subject}` : "Nobody did anything yet"}>
          <p>Everything people did is listed here, with who, when and why, and what the program did about sites.</p>
        </Empty>
      )}
      {items.length > 0 && (
        <section className="panel scroll" aria-label="Audit">
          <table className="plain cards live">
            <TableHead columns={["When", "Who", "What", "To what", "Reason"]} />
            <tbody>
              {items.map((entry) => (
                <tr key={entry.id}>
                  <td>
                    <Time at={entry.at} as="both" />
                  </td>
                  <td>{entry.actor}</td>
                  <td>{entry.outcome === "done" ? entry.action : `${entry.action} (${entry.outcome})`}</td>
                  <th scope="row">
                    <Link href={`/handover?since=7d&subject=${encodeURIComponent(entry.subject)}`}>
                      {entry.subject}
                    </Link>
                  </th>
                  <td>{entry.reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {query.hasNextPage && (
        <button type="button" onClick={() => void query.fetchNextPage()}>
          Show older ones
        </button>
      )}
    </>
  );
}
