import type { ReactNode } from "react";
import { Link } from "wouter";
import { JOB_STATE } from "../../../src/core/job-state.ts";
import type { AttemptView } from "../../../src/operations/attempts.ts";
import { useAnswer } from "../../api/queries.ts";
import { logHref, nodeHref } from "../../job-links.ts";
import { Badge } from "../../ui/badge.tsx";
import { TableHead } from "../../ui/table-head.tsx";

import type { UnitGraph } from "./states.ts";

/** The jobs of a unit with how each ended last, and the ways to its story and its log. */
export function Jobs({ name, graph }: { name: string; graph: UnitGraph }): ReactNode {
  const { unit, nodes } = graph;
  const { data } = useAnswer("attempts.list", { name, unit, limit: 1000 }, { keep: true });
  const newest = data?.items[0]?.round;
  const attempts = (data?.items ?? []).filter(({ round }) => round === newest);
  return (
    <section className="panel">
      <header>
        <h2>Its jobs</h2>
      </header>
      <div className="scroll">
        <table className="plain">
          <TableHead columns={["Job", "State", "Last attempt", { hidden: "Log" }]} />
          <tbody>
            {nodes.map((node) => (
              <Job
                key={node.node}
                name={name}
                unit={unit}
                node={node}
                attempts={attempts.filter((attempt) => attempt.node === node.node)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface JobProps {
  readonly name: string;
  readonly unit: string;
  readonly node: UnitGraph["nodes"][number];
  readonly attempts: readonly AttemptView[];
}

function Job({ name, unit, node, attempts }: JobProps): ReactNode {
  const { state } = node;
  const last = attempts.at(-1);
  const place = { unit, node: node.node };
  const title = node.job ?? node.node;
  return (
    <tr>
      <th scope="row" className="number">
        <Link href={nodeHref(name, place)}>{title}</Link>
      </th>
      <td>
        <Badge tone={JOB_STATE[state].tone} letter={JOB_STATE[state].letter}>
          {state}
        </Badge>
      </td>
      <td>
        {last ? (
          <>
            {attempts.length > 1 && `${attempts.length} attempts, the last `}
            {last.cause === null ? "done" : `exit ${last.exit_code}`} at {last.site ?? "an unknown site"}
          </>
        ) : (
          <span className="quiet">none yet</span>
        )}
      </td>
      <td className="end">
        {last?.cluster != null && (
          <Link href={logHref(name, place)} aria-label={`Log of ${title}`}>
            Log
          </Link>
        )}
      </td>
    </tr>
  );
}
