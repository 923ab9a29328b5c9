import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Answer } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Time } from "../ui/time.tsx";
import { useNames } from "../url-state.ts";
import { count, quoted } from "../words.ts";
import { Groups } from "./failures/groups.tsx";
import { Suggestion } from "./failures/suggestion.tsx";
import { Codes, Places } from "./failures/tables.tsx";

/** What failed first, what fails most, what they have in common, and what they mean. */
export function FailuresPage(): ReactNode {
  const { name = "" } = useNames();
  const { data, error } = useAnswer("attempts.errors", { name });
  return (
    <>
      <div className="title">
        <h1>
          Failures of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        <div className="end">
          <AsText cli={`wms2 errors ${quoted(name)}`} operation="attempts.errors" input={{ name }} />
        </div>
      </div>
      {error && <Problem error={error} />}
      {!data && !error && <Loading what="the failures" />}
      {data && (data.codes.length + data.retrying.length === 0 ? <None errors={data} /> : <Shown errors={data} />)}
    </>
  );
}

function Shown({ errors }: { errors: Answer<"attempts.errors"> }): ReactNode {
  const { first, units_failed, units_total, unit_word, nodes_retrying, nodes_recovered, request_name: name } = errors;
  const [most] = errors.codes;
  return (
    <>
      <section className="panel sentence live tone-failed" aria-label="In one sentence">
        <b>
          {units_failed.toLocaleString("en")} of {count(units_total, unit_word === "unit" ? "work unit" : unit_word)}{" "}
          failed
        </b>
        {nodes_retrying > 0 && `, ${count(nodes_retrying, "job")} to be retried`}
        {nodes_recovered > 0 && `, ${count(nodes_recovered, "job")} failed and got through`}.
        {first && (
          <>
            {" "}
            <b>First:</b> {first.job ?? `${first.unit}/${first.node}`} at {first.site ?? "an unknown site"},{" "}
            <Time at={first.at} as="both" />.
          </>
        )}
        {most && (
          <>
            {" "}
            <b>Most:</b> {most.name}
            {most.meaning && `: ${most.meaning}`} ({most.failures} of {errors.nodes_failed}).
          </>
        )}
        {errors.common.length > 0 && (
          <>
            {" "}
            <b>Common:</b> {errors.common.join("; ")}.
          </>
        )}
      </section>
      <Suggestion name={name} suggestion={errors.suggestion} />
      <Groups name={name} />
      <Codes name={name} title="By code" codes={errors.codes} more={errors.more.codes} />
      {errors.retrying.length > 0 && (
        <Codes name={name} title="Failed, and to be retried" codes={errors.retrying} more={errors.more.retrying} />
      )}
      <Places errors={errors} />
    </>
  );
}

const None = ({ errors }: { errors: Answer<"attempts.errors"> }): ReactNode => (
  <Empty title="Nothing failed in the present round">
    <p>
      {errors.units_done.toLocaleString("en")} of {count(errors.units_total, "work unit")} are done
      {errors.nodes_recovered > 0 && `; ${count(errors.nodes_recovered, "job")} failed at first and got through`}.
    </p>
    <p>
      Attempts of earlier rounds: <code>wms2 attempts {errors.request_name}</code>
    </p>
  </Empty>
);
