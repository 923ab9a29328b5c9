import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { logHref, nodeHref } from "../../job-links.ts";
import { TableHead } from "../../ui/table-head.tsx";
import { Time } from "../../ui/time.tsx";

type Errors = Answer<"attempts.errors">;

interface CodesProps {
  readonly name: string;
  readonly title: string;
  readonly codes: Errors["codes"];
  readonly more: number;
}

/** What each code means, how often it came, and the end of the log of one that had it. */
export const Codes = ({ name, title, codes, more }: CodesProps): ReactNode => (
  <section className="panel">
    <header>
      <h2>{title}</h2>
      {more > 0 && <span className="quiet">and {more} other codes</span>}
    </header>
    <div className="scroll">
      <table className="plain">
        <TableHead columns={["Code", { end: "Failures" }, { end: "Units" }, "What it means"]} />
        <tbody>
          {codes.map((code) => (
            <tr key={`${code.exit_code} ${code.cause} ${code.rule}`}>
              <th scope="row" className="number">
                {code.name}
              </th>
              <td className="end number">{code.failures}</td>
              <td className="end number">{code.units}</td>
              <td>
                {code.meaning ?? "no rule knows it"} <span className="quiet">({code.category})</span>
                <details>
                  <summary>
                    {code.example.job ?? `${code.example.unit}/${code.example.node}`} at {code.example.site ?? "?"},{" "}
                    <Time at={code.example.at} />
                  </summary>
                  <p>
                    {code.example.reason} <Link href={nodeHref(name, code.example)}>What was tried</Link> ·{" "}
                    <Link href={logHref(name, { unit: code.example.unit, node: code.example.node })}>Log</Link>
                  </p>
                  {code.log_tail && <pre className="log">{code.log_tail}</pre>}
                </details>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

/** Where it failed: sites, hosts, input files. */
export const Places = ({ errors }: { errors: Errors }): ReactNode => (
  <div className="columns">
    <section className="panel">
      <header>
        <h2>By site</h2>
      </header>
      <div className="scroll">
        <table className="plain number">
          <TableHead columns={["Site", { end: "Nodes" }, { end: "Failed" }, { end: "Likely the site" }]} />
          <tbody>
            {errors.sites.map(({ site, nodes, failed, blamed }) => (
              <tr key={site}>
                <th scope="row">{site}</th>
                <td className="end">{nodes}</td>
                <td className="end">{failed}</td>
                <td className="end">{blamed}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
    {errors.files.length > 0 && (
      <section className="panel">
        <header>
          <h2>By input file</h2>
        </header>
        <div className="scroll">
          <table className="plain">
            <tbody>
              {errors.files.map(({ file, bad, failures, reason }) => (
                <tr key={file}>
                  <th scope="row" className="mono">
                    {file}
                  </th>
                  <td>{bad ? "bad, by proof" : "suspected"}</td>
                  <td className="end number">{failures}</td>
                  <td>{reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    )}
  </div>
);
