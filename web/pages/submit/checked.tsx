import type { ReactNode } from "react";
import { Link } from "wouter";
import { type Answer, ApiProblem } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { requestHref } from "../../request-status.tsx";
import { Banner, Loading } from "../../ui/banner.tsx";
import { bytes, count } from "../../words.ts";
import { diffLines, folded } from "./diff.ts";
import { inOrder } from "./lines.ts";
import { specLines } from "./spec-lines.ts";

export type Checked = Extract<Answer<"requests.submit">, { readonly dry_run: true }>;

/** Everything that is wrong, each at its line; pressing one leads there. */
export function Problems({ error, onLine }: { error: Error; onLine: (line: number) => void }): ReactNode {
  const problems = error instanceof ApiProblem ? (error.view.problems ?? []) : [];
  if (problems.length === 0) return <Problem error={error} />;
  return (
    <section className="panel tone-failed" aria-label="Problems" id="submit-problems">
      <header>
        <h2>{count(problems.length, "problem")}</h2>
      </header>
      <ol className="groups">
        {inOrder(problems).map(({ line, path, message, allowed }) => (
          <li key={`${line} ${path} ${message}`}>
            <div>
              {line !== undefined && (
                <button type="button" onClick={() => onLine(line)}>
                  Line {line}
                </button>
              )}{" "}
              {path && <code>{path}</code>} {message}
            </div>
            {allowed && <p className="quiet">Allowed: {allowed}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What its first round would be, or why there would be none. */
export function Preview({ checked: { preview, warnings, work } }: { checked: Checked }): ReactNode {
  const plan = preview?.plan ?? null;
  const facts: readonly (readonly [string, string | null])[] = plan
    ? [
        ["Work", typeof work?.summary === "string" ? work.summary : null],
        ["Work units", plan.units.toLocaleString("en")],
        ["Jobs", `${plan.nodes.toLocaleString("en")} (${roles(plan.nodes_by_role)})`],
        ["Input files", plan.input_files > 0 ? plan.input_files.toLocaleString("en") : null],
        ["Events", Number(plan.events) > 0 ? Number(plan.events).toLocaleString("en") : null],
        ["At most", `${Math.ceil(plan.core_hours).toLocaleString("en")} core hours`],
        ["Output", plan.expected_bytes > 0 ? bytes(plan.expected_bytes) : null],
        ["Sites", Object.keys(plan.units_by_site).join(", ") || null],
      ]
    : [];
  return (
    <section className="panel" aria-label="What it would do">
      <header>
        <h2>What it would do</h2>
        <span className="quiet">its first round, as things are now</span>
      </header>
      <div className="body commands">
        {preview?.refusal && <Banner kind="warning">It would be held: {preview.refusal.message}</Banner>}
        {[...warnings, ...(plan?.warnings ?? [])].map((warning) => (
          <Banner key={warning} kind="warning">
            {warning}
          </Banner>
        ))}
        <dl className="facts">
          {facts
            .filter(([, value]) => value !== null)
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
      </div>
    </section>
  );
}

const roles = (counts: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(counts)
    .map(([role, number]) => `${(number ?? 0).toLocaleString("en")} ${role}`)
    .join(", ");

const SIGN = { same: " ", removed: "−", added: "+" } as const;

/** What is different from a request that is there: by meaning, not by the words it was written in. */
export function Difference({ checked, against }: { checked: Checked; against: string }): ReactNode {
  const before = useAnswer("requests.show", { name: against });
  if (before.error) return <Problem error={before.error} />;
  if (!before.data || !checked.spec || !checked.work) return <Loading what={against} />;
  const { work, spec } = before.data;
  const lines = diffLines(specLines({ work, spec }), specLines({ work: checked.work, spec: checked.spec }));
  const changed = lines.filter(({ kind }) => kind !== "same").length;
  return (
    <section className="panel" aria-label="What is different">
      <header>
        <h2>
          {changed === 0 ? "The same as" : `${count(changed, "line")} different from`}{" "}
          <Link href={requestHref(against)}>{against}</Link>
        </h2>
        <span className="quiet">as both are read</span>
      </header>
      {changed > 0 && (
        <div className="body diff mono">
          {folded(lines).map((line, at) =>
            typeof line === "number" ? (
              <div key={at} className="quiet">
                … {count(line, "similar line")}
              </div>
            ) : (
              <div key={at} className={line.kind}>
                <span aria-hidden="true">{SIGN[line.kind]}</span>
                {line.kind !== "same" && <span className="visually-hidden">{line.kind}: </span>}
                {line.text}
              </div>
            ),
          )}
        </div>
      )}
    </section>
  );
}
