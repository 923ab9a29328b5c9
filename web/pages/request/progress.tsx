import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { graphHref } from "../../job-links.ts";
import { requestHref } from "../../request-status.tsx";
import { Bar, Legend } from "../../ui/bar.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { count, part, percent } from "../../words.ts";

type WorkflowStatus = Answer<"workflows.status">;

/** Failed, held and waiting jobs are not running: each is counted apart. */
export function Progress({ status, eventsDone }: { status: WorkflowStatus; eventsDone: string | number }): ReactNode {
  const name = status.request_name;
  const history = useAnswer("desk.requestHistory", { name });
  const { work_units: units, dag } = status;
  const unitParts = unitPartsOf(units);
  const nodeParts = dag && [
    part("done", dag.nodes_done),
    part("running", dag.nodes_running),
    part("held", dag.nodes_held, "held by the engine"),
    part("failed", dag.nodes_failed),
    part("waiting", dag.nodes_idle),
  ];
  return (
    <section className="panel">
      <header>
        <h2>Round {status.round}</h2>
        <span className="number live">{percent(status.progress_percent)} of all work</span>
        {status.eta && <span className="quiet end">this round: {status.eta.text}</span>}
      </header>
      <div className="body commands">
        <div className="title">
          <h3>Work units</h3>
          <span className="end">
            <Ways name={name} isGraph={(dag?.node_counts.job ?? 0) > 0} />
          </span>
        </div>
        <Bar parts={unitParts} total={units.expected} label="Work units" />
        <Legend parts={unitParts} />
        {dag && nodeParts && (
          <>
            <h3>Jobs ({dag.status})</h3>
            <Bar parts={nodeParts} total={dag.total_nodes} label="Jobs" />
            <Legend parts={nodeParts} />
          </>
        )}
        <Sparkline
          label="Work units done, every five minutes"
          values={(history.data?.samples ?? []).map(({ done }) => done)}
        />
        <p className="quiet">
          {Number(eventsDone) > 0 && `${Number(eventsDone).toLocaleString("en")} events done · `}
          {Object.entries(status.outputs)
            .filter(([, number]) => number > 0)
            .map(([word, number]) => `${count(number, "unit")} ${word}`)
            .join(" · ")}
        </p>
        {status.plan_warnings.map((warning) => (
          <p key={warning} className="banner warning">
            {warning}
          </p>
        ))}
      </div>
    </section>
  );
}

const Ways = ({ name, isGraph }: { name: string; isGraph: boolean }): ReactNode => (
  <>
    {isGraph && <Link href={graphHref(name)}>Graph</Link>}
    <Link href={`${requestHref(name)}/units`}>Map</Link>
    <Link href={`${requestHref(name)}/failures`}>Failures</Link>
  </>
);

const unitPartsOf = ({ total, done, running, failed }: WorkflowStatus["work_units"]) => [
  part("done", done),
  part("running", running),
  part("failed", failed),
  part("waiting", Math.max(0, total - done - running - failed)),
];
