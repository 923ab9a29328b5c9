import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { AttemptView } from "../../../src/operations/attempts.ts";
import { useAnswer } from "../../api/queries.ts";
import { logHref } from "../../job-links.ts";
import { Problem } from "../../problem.tsx";
import { Loading } from "../../ui/banner.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Lines } from "../log/lines.tsx";
import { linesOf, WINDOW } from "../log/window.ts";

const FILES = [
  ["err", "Errors"],
  ["out", "Output"],
] as const;
type File = (typeof FILES)[number][0];

/** The ends of both logs, beside each other: what only one of them says is where to look. */
export function TwoLogs({ name, bad, good }: { name: string; bad: AttemptView; good: AttemptView }): ReactNode {
  const [file, setFile] = useState<File>("err");
  return (
    <section className="panel" aria-label="Logs side by side">
      <header>
        <h2>Logs side by side</h2>
        <span className="end">
          <Tabs<File> label="File of both" value={file} options={FILES} onChange={setFile} />
        </span>
      </header>
      <div className="body two-logs">
        <OneLog name={name} attempt={bad} file={file} title="failed" />
        <OneLog name={name} attempt={good} file={file} title="successful" />
      </div>
    </section>
  );
}

interface OneLogProps {
  readonly name: string;
  readonly attempt: AttemptView;
  readonly file: File;
  readonly title: string;
}

function OneLog({ name, attempt, file, title }: OneLogProps): ReactNode {
  const { unit, node, job, cluster } = attempt;
  const place = { unit, node, cluster: String(cluster) };
  const input = { name, unit, file, cluster: String(cluster), bytes: WINDOW, ...(node !== unit && { node }) };
  const { data, error } = useAnswer("attempts.log", input, { enabled: cluster !== null });
  const lines = data ? linesOf(data) : [];
  const whose = job ?? (unit === node ? node : `${unit}/${node}`);
  return (
    <div className="stack">
      <p>
        <b>{title}:</b> <Link href={logHref(name, { ...place, file })}>{whose}</Link>
      </p>
      {cluster === null && <p className="quiet">It was never submitted.</p>}
      {error && <Problem error={error} />}
      {cluster !== null && !data && !error && <Loading what="the log" />}
      {data && lines.length === 0 && <p className="quiet">It is empty.</p>}
      {lines.length > 0 && (
        <Lines
          label={`Log of the ${title} attempt`}
          lines={lines}
          chosen={-1}
          wanted=""
          isAtEnd
          hrefOf={(at) => logHref(name, { ...place, file, at })}
        />
      )}
    </div>
  );
}
