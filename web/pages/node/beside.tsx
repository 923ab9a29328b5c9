import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { AttemptView } from "../../../src/operations/attempts.ts";
import { useAnswer } from "../../api/queries.ts";
import { logHref, nodeHref } from "../../job-links.ts";
import { compared, nearestGood } from "./story.ts";
import { TwoLogs } from "./two-logs.tsx";

/** So many attempts of the request are looked through for a good one. */
const LOOKED_AT = 500;

/** The last failure beside the nearest attempt that went well: what differs is where to look. */
export function Beside({ name, bad, own }: { name: string; bad: AttemptView; own: readonly AttemptView[] }): ReactNode {
  const { data } = useAnswer("attempts.list", { name, limit: LOOKED_AT }, { keep: true });
  const [isOpen, setOpen] = useState(false);
  if (!data) return null;
  const good = nearestGood(bad, [...own, ...data.items]);
  const logOf = ({ unit, node, cluster }: AttemptView, text: string) =>
    cluster !== null && <Link href={logHref(name, { unit, node, cluster })}>{text}</Link>;
  return (
    <section className="panel" aria-label="Compare with a successful attempt">
      <header>
        <h2>Compare with a successful attempt</h2>
        {good && (
          <button type="button" className="end" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Logs side by side
          </button>
        )}
      </header>
      {good && isOpen && <TwoLogs name={name} bad={bad} good={good} />}
      {good ? (
        <div className="scroll">
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">
                  <span className="visually-hidden">Fact</span>
                </th>
                <th scope="col">This one</th>
                <th scope="col" className="number">
                  <Link href={nodeHref(name, good)}>{good.job ?? `${good.unit}/${good.node}`}</Link>
                </th>
              </tr>
            </thead>
            <tbody>
              {compared(bad, good).map((row) => (
                <tr key={row.what}>
                  <th scope="row" className="number">
                    {row.what}
                  </th>
                  <td className="number">{row.differs ? <b>{row.bad}</b> : row.bad}</td>
                  <td className="number">{row.differs ? <b>{row.good}</b> : row.good}</td>
                </tr>
              ))}
              <tr>
                <th scope="row">Log</th>
                <td>{logOf(bad, "Errors")}</td>
                <td>{good.round === bad.round && logOf(good, "Errors")}</td>
              </tr>
            </tbody>
          </table>
        </div>
      ) : (
        <p className="body quiet">
          No successful attempt of a similar job among the first {LOOKED_AT} attempts of this request.
        </p>
      )}
    </section>
  );
}
