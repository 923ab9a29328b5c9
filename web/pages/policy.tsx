import type { FormEvent, ReactNode } from "react";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { Letter } from "../ui/badge.tsx";
import { Loading } from "../ui/banner.tsx";
import { useUrlState } from "../url-state.ts";
import { Replay } from "./policy/replay.tsx";
import { Remembered, Rows } from "./policy/rules.tsx";
import { type Asked, cliExplain, lookOf, readAsked } from "./policy/words.ts";

/** What would become of a failure, and by which rule; the rules in force; and what was decided once, decided again. */
export function PolicyPage(): ReactNode {
  const url = useUrlState();
  const asked = readAsked(url.get);
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    url.setAll(Object.fromEntries(FIELDS.map(([name]) => [name, String(form.get(name) ?? "").trim()])));
  };
  return (
    <>
      <div className="title">
        <h1>Retry policy</h1>
        <div className="end">
          {asked ? (
            <AsText cli={cliExplain(asked)} operation="policy.explain" input={asked} />
          ) : (
            <AsText cli="wms2 policy show" operation="policy.rows" input={{}} />
          )}
        </div>
      </div>
      <section className="panel">
        <header>
          <h2>Preview</h2>
          <span className="quiet">a job ends with this exit code; -9 or 137 is a signal</span>
        </header>
        <div className="body commands">
          <form className="toolbar" onSubmit={ask} key={FIELDS.map(([name]) => url.get(name)).join(" ")}>
            {FIELDS.map(([name, label, more]) => (
              <label key={name} className={more.className}>
                <span className="label">{label}</span>
                <input name={name} defaultValue={url.get(name) ?? ""} {...more.input} />
              </label>
            ))}
            <button type="submit" className="primary">
              Explain
            </button>
          </form>
          {asked ? <Explained asked={asked} /> : <Suggestions />}
        </div>
      </section>
      <Replay url={url} />
      <Remembered />
      <Rows request={asked?.request} rule={url.get("rule")} />
    </>
  );
}

const FIELDS: readonly (readonly [
  name: string,
  label: string,
  more: { readonly className?: string; readonly input: Readonly<Record<string, string | number | boolean>> },
])[] = [
  ["code", "Exit code", { input: { required: true, size: 7, inputMode: "numeric", pattern: "-?[0-9]{1,6}" } }],
  ["attempt", "Execution", { input: { type: "number", min: 1, max: 100, placeholder: "1" } }],
  ["site", "Site", { input: { size: 14, placeholder: "any" } }],
  ["request", "Request (for its handlers)", { input: { size: 18, placeholder: "none" } }],
  ["stderr", "The end of its log says", { className: "grow", input: { maxLength: 4000, placeholder: "nothing" } }],
];

const LIKELY = ["1", "8021", "8028", "60321", "137", "-9", "127"];

function Suggestions(): ReactNode {
  const url = useUrlState();
  return (
    <p className="chips">
      <span className="quiet">For example:</span>
      {LIKELY.map((code) => (
        <button key={code} type="button" onClick={() => url.set("code", code)}>
          {code}
        </button>
      ))}
    </p>
  );
}

function Explained({ asked }: { asked: Asked }): ReactNode {
  const { data, error } = useAnswer("policy.explain", asked);
  if (error) return <Problem error={error} />;
  if (!data) return <Loading what="the policy" />;
  const [tone, letter, words] = lookOf(data.decision);
  return (
    <section aria-label="Preview" aria-live="polite" className="commands">
      <p className="badge verdict">
        <Letter tone={tone} letter={letter} />
        <b>{words}:</b>
      </p>
      <p>{data.reason}</p>
      <p>
        {data.rule ? (
          <>
            By the row <b>{data.rule}</b> <span className="quiet">({data.rule_source})</span>
            {data.category && <>, of category {data.category}</>}.
          </>
        ) : (
          "No row is asked."
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre className="log" tabIndex={0}>
        {data.text.trimEnd()}
      </pre>
    </section>
  );
}
