import type { ReactNode } from "react";
import { roundUse } from "../../../src/operations/round-use.ts";
import type { StepMetricsView } from "../../../src/operations/workflows.ts";
import { TableHead } from "../../ui/table-head.tsx";

const whole = (value: number | null, unit: string): string =>
  value === null ? "–" : `${Math.round(value).toLocaleString("en")} ${unit}`;
const tenths = (value: number | null): string => (value === null ? "–" : value.toFixed(1));

/** What each round asked for against what its jobs used. */
export function Rounds({ metrics }: { metrics: StepMetricsView }): ReactNode {
  const rounds = roundUse(metrics);
  const why = Object.entries(metrics.rounds.at(-1)?.requested?.why ?? {});
  return (
    <section className="panel">
      <header>
        <h2>Asked for and used, by round</h2>
        <span className="quiet">{metrics.jobs_sampled.toLocaleString("en")} jobs measured</span>
      </header>
      <div
        className="scroll"
        role="region"
        aria-label="Rounds"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
      >
        <table className="plain number">
          <TableHead
            columns={[
              "Round",
              { end: "Memory asked" },
              { end: "used (median)" },
              { end: "at most" },
              { end: "Cores asked" },
              { end: "busy" },
            ]}
          />
          <tbody>
            {rounds.map((use) => (
              <tr key={use.round}>
                <th scope="row">{use.round}</th>
                <td className="end">{whole(use.askedMb, "MB")}</td>
                <td className="end">{whole(use.usedMb, "MB")}</td>
                <td className="end">{whole(use.mostMb, "MB")}</td>
                <td className="end">{use.askedCores ?? "–"}</td>
                <td className="end">{tenths(use.busyCores)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {why.length > 0 && (
        <ul className="body quiet">
          {why.map(([what, reason]) => (
            <li key={what}>
              <code>{what}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
