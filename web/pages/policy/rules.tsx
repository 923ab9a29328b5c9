import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Confirm } from "../../act/confirm.tsx";
import { type Answer, call } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { requestHref } from "../../request-status.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Loading } from "../../ui/banner.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { Time } from "../../ui/time.tsx";
import { count } from "../../words.ts";

type Rule = Answer<"recovery.rules">["items"][number];

/** What people said failures mean, for the runs to come: who, why, and where it was seen. */
export function Remembered(): ReactNode {
  const { data, error } = useAnswer("recovery.rules", {});
  const [rule, setRule] = useState<Rule | null>(null);
  return (
    <section className="panel" aria-label="Rules that people added">
      <header>
        <h2>Rules that people added</h2>
        <span className="quiet">{data ? count(data.items.length, "rule") : ""}</span>
      </header>
      {error && <Problem error={error} />}
      {data?.items.length === 0 && (
        <p className="body quiet">
          None. Whoever classifies a failure may have it remembered: <code>wms2 classify NAME --remember</code>.
        </p>
      )}
      <ol className="groups">
        {(data?.items ?? []).map((one) => (
          <li key={one.id}>
            <div className="title">
              <Letter
                tone={one.action === "retry" ? "retrying" : "failed"}
                letter={one.action === "retry" ? "↻" : "F"}
              />
              <h3>
                {one.action} exit {one.exit_code}
              </h3>
              <span className="quiet">
                by {one.actor}, <Time at={one.created_at} as="both" />
              </span>
              <span className="end">
                <button type="button" onClick={() => setRule(one)}>
                  Withdraw …
                </button>
              </span>
            </div>
            <p>
              {one.reason} <span className="quiet">seen in</span>{" "}
              <Link href={requestHref(one.request_name)}>{one.request_name}</Link>
            </p>
            <pre>{one.lines.join("\n")}</pre>
          </li>
        ))}
      </ol>
      {rule && <Forget rule={rule} onClose={() => setRule(null)} />}
    </section>
  );
}

const Forget = ({ rule, onClose }: { rule: Rule; onClose: () => void }): ReactNode => (
  <Confirm
    title={`Withdraw the rule ${rule.id}`}
    verb="Withdraw"
    about="Runs that are planned or rescued from now on do not use it any more."
    asked={rule.id}
    foretell={async () => {
      const { action, stderr } = await call("recovery.forget", { id: rule.id, dry_run: true });
      return {
        message: `failures like it would not be ${action === "retry" ? "retried" : "given up"} by this rule`,
        lines: [stderr],
        nothing: null,
      };
    }}
    act={() => call("recovery.forget", { id: rule.id })}
    cli={() => `wms2 policy forget ${rule.id}`}
    onClose={onClose}
  />
);

const LAYERS = {
  request: "From the request",
  remembered: "Remembered",
  installation: "From the installation",
  "built-in": "Built in",
} as const;

/** Every row in force, those that win over others first. */
export function Rows({ request, rule }: { request?: string | undefined; rule?: string | undefined }): ReactNode {
  const { data, error } = useAnswer("policy.rows", request ? { request } : {});
  const layers = Object.entries(Object.groupBy(data?.items ?? [], ({ layer }) => layer));
  return (
    <section className="panel" aria-label="Rows in force">
      <header>
        <h2>Rows in force</h2>
        <span className="quiet">
          {data ? count(data.items.length, "row") : ""}; of each layer the one that fits best proposes, and the first
          layer decides
        </span>
      </header>
      {error && <Problem error={error} />}
      {!data && !error && <Loading what="the rows" />}
      {layers.map(([layer, rows]) => (
        <details key={layer} open={layer !== "built-in" || rows.some(({ id }) => id === rule)}>
          <summary className="body">
            {LAYERS[layer as keyof typeof LAYERS]}: {count(rows.length, "row")}
          </summary>
          <div
            className="scroll"
            role="region"
            aria-label={`Rows: ${LAYERS[layer as keyof typeof LAYERS]}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
            tabIndex={0}
          >
            <table className="plain">
              <TableHead
                columns={[
                  "Row",
                  "For",
                  "Does",
                  "Category",
                  "Meaning",
                  ...(layer === "built-in" ? [] : ["Where it stands"]),
                ]}
              />
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <th scope="row">{row.id}</th>
                    <td className="mono">{row.match}</td>
                    <td>{row.does}</td>
                    <td>{row.category}</td>
                    <td>{row.meaning}</td>
                    {layer !== "built-in" && <td>{row.source}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      ))}
    </section>
  );
}
