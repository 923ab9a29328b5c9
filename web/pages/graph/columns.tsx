import { Link } from "wouter";
import { JOB_STATE } from "../../../src/core/job-state.ts";
import type { ResultView } from "../../../src/operations/results.ts";
import { logHref, nodeHref } from "../../job-links.ts";
import { Badge, Letter } from "../../ui/badge.tsx";
import type { Column } from "../../ui/grid.tsx";
import { duration } from "../../ui/time-words.ts";

import { megabytes, usedOf } from "../node/story.ts";
import { type Axis, marksOf, spanOf } from "./timeline.ts";

type JobColumn = Column<ResultView>;

/** How each ended, what it used of what it asked for, and where. */
export function listColumns(name: string, isNarrow: boolean): readonly JobColumn[] {
  const all: readonly JobColumn[] = [
    { key: "name", title: "Job", width: "minmax(8rem, 2fr)", cell: (row) => <Name name={name} row={row} /> },
    {
      key: "state",
      title: "State",
      width: "7.5rem",
      cell: ({ state }) => (
        <Badge tone={JOB_STATE[state].tone} letter={JOB_STATE[state].letter}>
          {state}
        </Badge>
      ),
    },
    { key: "why", title: "How it ended", width: "minmax(10rem, 3fr)", cell: (row) => endOf(row) },
    { key: "time", title: "Time", width: "6rem", end: true, cell: ({ wall_sec }) => timeWord(wall_sec) },
    {
      key: "memory",
      title: "Memory",
      width: "15rem",
      end: true,
      cell: ({ memory_mb, peak_memory_mb }) => usedOf(memory_mb, peak_memory_mb, megabytes),
    },
    { key: "site", title: "Site", width: "8rem", cell: ({ site }) => site ?? "–" },
    {
      key: "log",
      title: "Log",
      width: "4rem",
      cell: (row) => row.attempts > 0 && <Link href={logHref(name, row)}>Log</Link>,
    },
  ];
  return isNarrow ? all.slice(0, 2) : all;
}

/** A bar for each on one axis. */
export function timeColumns(name: string, axis: Axis | null, isNarrow: boolean): readonly JobColumn[] {
  const scale = axis && marksOf(axis);
  const all: readonly JobColumn[] = [
    {
      key: "name",
      title: "Job",
      width: isNarrow ? "7rem" : "minmax(8rem, 16rem)",
      cell: (row) => (
        <span className="badge">
          <Letter tone={JOB_STATE[row.state].tone} letter={JOB_STATE[row.state].letter} />
          <Name name={name} row={row} />
        </span>
      ),
    },
    {
      key: "bar",
      title: scale ? <Marks scale={scale} /> : "Time",
      width: "minmax(8rem, 1fr)",
      cell: (row) => <Bar row={row} axis={axis} step={scale?.step ?? 100} />,
    },
    { key: "time", title: "Time", width: "5.5rem", end: true, cell: ({ wall_sec }) => timeWord(wall_sec) },
  ];
  return isNarrow ? all.slice(0, 2) : all;
}

const Name = ({ name, row }: { name: string; row: ResultView }) => (
  <Link href={nodeHref(name, row)} title={row.name}>
    {row.name}
  </Link>
);

const Marks = ({ scale: { step, marks } }: { scale: ReturnType<typeof marksOf> }) => (
  <span className="marks">
    {marks.map(({ place, text }) => (
      <span key={text} style={{ left: `${place}%`, maxWidth: `${step}%` }}>
        {text}
      </span>
    ))}
  </span>
);

function Bar({ row, axis, step }: { row: ResultView; axis: Axis | null; step: number }) {
  const span = axis && spanOf(row, axis);
  if (!span) return <span className="quiet">{row.state}</span>;
  return (
    <span className="span" style={{ "--step": `${step}%` } as object}>
      <span
        className={`tone-${JOB_STATE[row.state].tone}`}
        style={{ left: `${span.left}%`, width: `max(3px, ${span.width}%)` }}
        title={`${row.name}: ${row.state}, ${timeWord(row.wall_sec)}`}
      />
    </span>
  );
}

const timeWord = (seconds: number | null): string => (seconds === null ? "–" : duration(seconds));

function endOf({ state, cause, exit_code, signal, attempts, reason }: ResultView): string {
  if (state === "blocked") return "cannot run, as a job before it failed";
  if (cause === null) return attempts > 1 ? `attempt ${attempts}` : "";
  const end = reason ?? (signal === null ? `exit ${exit_code}` : `signal ${signal}`);
  return attempts > 1 ? `attempt ${attempts}: ${end}` : end;
}
