import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RequestRowView } from "../../../src/operations/requests.ts";
import { requestHref, Status } from "../../request-status.tsx";
import { Bar } from "../../ui/bar.tsx";
import type { Column } from "../../ui/grid.tsx";
import { Time } from "../../ui/time.tsx";
import { count, part, percent } from "../../words.ts";

export type RequestRow = RequestRowView;

export const COLUMNS: readonly Column<RequestRow>[] = [
  { key: "name", title: "Request", width: "minmax(11rem, 1.6fr)", cell: (row) => <Name row={row} />, sort: "name" },
  {
    key: "status",
    title: "Status",
    width: "8.5rem",
    cell: ({ status, status_since }) => (
      <span className="two">
        <Status status={status} />
        <span className="quiet">
          for <Time at={status_since} as="span" />
        </span>
      </span>
    ),
    sort: "waiting",
  },
  { key: "progress", title: "Work units", width: "9.5rem", cell: (row) => <Progress row={row} />, sort: "progress" },
  { key: "reason", title: "Because", width: "minmax(13rem, 3fr)", cell: (row) => <Reason row={row} /> },
  { key: "eta", title: "Expected", width: "9rem", cell: ({ eta }) => eta?.text ?? "" },
  {
    key: "priority",
    title: "Priority",
    width: "6.5rem",
    end: true,
    cell: ({ priority, urgent }) => `${urgent ? "⚑ " : ""}${priority.toLocaleString("en")}`,
    sort: "priority",
  },
];

/** On a phone: who and why in one cell, the status and how far in the other. */
export const NARROW: readonly Column<RequestRow>[] = [
  {
    key: "name",
    title: "Request",
    width: "minmax(0, 1fr)",
    cell: (row) => (
      <span className="two">
        <Link href={requestHref(row.request_name)} tabIndex={-1}>
          {row.request_name}
        </Link>
        <span className="quiet">{wordsOf(row)}</span>
      </span>
    ),
  },
  {
    key: "status",
    title: "Status",
    width: "9rem",
    cell: (row) => (
      <span className="two">
        <Status status={row.status} />
        <span className="quiet">{row.progress ? `${percent(row.progress.percent)} done` : ""}</span>
      </span>
    ),
  },
];

const Name = ({ row }: { row: RequestRow }): ReactNode => (
  <span className="two">
    <Link href={requestHref(row.request_name)} tabIndex={-1}>
      {row.request_name}
    </Link>
    <span className="quiet">{[row.kind, row.campaign, row.requestor].filter(Boolean).join(" · ")}</span>
  </span>
);

/** Failing is not running: what waits for its next try is said apart. */
function Progress({ row: { progress, failing } }: { row: RequestRow }): ReactNode {
  if (!progress || progress.total === 0) return <span className="quiet">not planned yet</span>;
  const { total, expected, done, failed, running, percent: share } = progress;
  const parts = [part("done", done), part("running", running), part("failed", failed)];
  return (
    <span className="two">
      <Bar parts={parts} total={expected} label="Work units" />
      <span className="quiet number">
        {percent(share)} of {expected > total && "about "}
        {expected.toLocaleString("en")}
        {failing > 0 && ` · ${count(failing, "retry", "retries")}`}
      </span>
    </span>
  );
}

/** In words; a hold has a code beside them. While jobs run, how many is all there is to say. */
const wordsOf = ({ hold, reason, waiting }: RequestRow): string => hold?.message || reason || waiting?.reason || "";

const Reason = ({ row }: { row: RequestRow }): ReactNode => (
  <span className="two" title={row.reason}>
    <span>{wordsOf(row)}</span>
    <span className="quiet">{row.hold?.code ?? ""}</span>
  </span>
);
