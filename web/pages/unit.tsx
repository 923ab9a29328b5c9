import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { JOB_STATE } from "../../src/core/job-state.ts";
import { jobIndex } from "../../src/core/names.ts";
import { ActOnOne } from "../act/one.tsx";
import type { Answer } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { DrawingPanel } from "../drawing-panel.tsx";
import { graphHref, nodeHref } from "../job-links.ts";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Drawing, MOST_DRAWN } from "../ui/drawing.tsx";
import { useNames } from "../url-state.ts";
import { quoted } from "../words.ts";
import { Jobs } from "./unit/jobs.tsx";
import { type UnitGraph, unitSentence } from "./unit/states.ts";

/** What depends on what in one work unit, and which of its jobs is sick. */
export function UnitPage(): ReactNode {
  const { name = "", unit = "" } = useNames();
  const request = useAnswer("requests.show", { name });
  const id = request.data?.workflow?.dag_id ?? null;
  const graph = useAnswer("dags.unit", { id: id ?? "", unit }, { enabled: id !== null });
  const error = request.error ?? graph.error;
  return (
    <>
      <div className="title">
        <h1>
          {unit} of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        <Link href={`${requestHref(name)}/units`}>Map of all units</Link>
        {jobIndex(unit) !== null && <Link href={graphHref(name)}>Graph</Link>}
        <div className="end">
          {id && (
            <AsText
              cli={`wms2 nodes ${quoted(name)} --unit ${quoted(unit)}`}
              operation="dags.unit"
              input={{ id, unit }}
            />
          )}
        </div>
      </div>
      {error && <Problem error={error} />}
      {request.data && !id && (
        <Empty title="Nothing was planned yet">
          <p>
            Its work units appear with its first round: <code>wms2 show {name}</code>
          </p>
        </Empty>
      )}
      {id && !graph.data && !error && <Loading what={unit} />}
      {request.data && graph.data && <Shown request={request.data} graph={graph.data} />}
    </>
  );
}

function Shown({ request, graph }: { request: Answer<"requests.show">; graph: UnitGraph }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { request_name: name } = request;
  const { tone, text } = unitSentence(graph.nodes);
  return (
    <>
      <section className={`panel sentence live tone-${tone}`} aria-label="In one sentence">
        <b>{text}.</b>
      </section>
      <div className="actions" role="group" aria-label="Actions">
        <button type="button" onClick={() => setOpen(true)}>
          Resubmit …
        </button>
      </div>
      <div className="split">
        <Picture name={name} graph={graph} />
        <Jobs name={name} graph={graph} />
      </div>
      {isOpen && (
        <ActOnOne action="resubmit" name={name} more={{ units: [graph.unit] }} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function Picture({ name, graph }: { name: string; graph: UnitGraph }): ReactNode {
  const nodes = graph.nodes.map((node) => {
    const { state } = node;
    const { tone, letter } = JOB_STATE[state];
    const href = nodeHref(name, { unit: graph.unit, node: node.node });
    return { id: node.node, name: node.job ?? node.node, state, tone, letter, href };
  });
  return (
    <DrawingPanel>
      {nodes.length <= MOST_DRAWN ? (
        <Drawing label={`The jobs of ${graph.unit}, from top to bottom.`} nodes={nodes} edges={graph.edges} />
      ) : (
        <p className="quiet">
          {nodes.length.toLocaleString("en")} jobs cannot be read in a drawing; the list has them all.
        </p>
      )}
    </DrawingPanel>
  );
}
