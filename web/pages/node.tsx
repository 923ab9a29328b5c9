import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import type { AttemptView } from "../../src/operations/attempts.ts";
import { ActOnOne } from "../act/one.tsx";
import type { Answer } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { graphHref, logHref, type NodePlace, placeName, placeOf, unitHref } from "../job-links.ts";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { useKeys } from "../ui/keys.tsx";
import { useNames } from "../url-state.ts";
import { quoted } from "../words.ts";
import { Attempt } from "./node/attempt.tsx";
import { Beside } from "./node/beside.tsx";
import { Budget } from "./node/budget.tsx";
import { People } from "./node/people.tsx";
import { DECISION_LOOK, storySentence } from "./node/story.ts";

/** What was tried with one job, who decided what, by which rule, and what is left to try. */
export function NodePage(): ReactNode {
  const { name = "", node: text = "" } = useNames();
  const place = placeOf(text);
  const input = { name, node: placeName(place), limit: 1000 };
  const { data, error } = useAnswer("attempts.list", input);
  const job = data?.items.find((attempt) => attempt.job)?.job;
  const isGraph = place.unit === place.node;
  return (
    <>
      <div className="title">
        <h1>
          {job ?? placeName(place)} of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        {isGraph ? (
          <Link href={graphHref(name)}>Graph</Link>
        ) : (
          <Link href={unitHref(name, place.unit)}>Unit {place.unit}</Link>
        )}
        <div className="end">
          <AsText
            cli={`wms2 attempts ${quoted(name)} --node ${quoted(placeName(place))}`}
            operation="attempts.list"
            input={input}
          />
        </div>
      </div>
      {error && <Problem error={error} />}
      {!data && !error && <Loading what="its attempts" />}
      {data && data.items.length === 0 && (
        <Empty title="It was not tried yet">
          <p>
            An attempt appears here when it has ended. Whether it waits or runs: <code>wms2 nodes {name}</code>
          </p>
        </Empty>
      )}
      {data && data.items.length > 0 && <Shown name={name} place={place} story={data} />}
    </>
  );
}

interface ShownProps {
  readonly name: string;
  readonly place: NodePlace;
  readonly story: Answer<"attempts.list">;
}

function Shown({ name, place, story }: ShownProps): ReactNode {
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const request = useAnswer("requests.show", { name });
  const attempts = story.items.toSorted((a, b) => a.round - b.round || a.at.localeCompare(b.at));
  const last = attempts.at(-1)!;
  const newest = last.round;
  const log = (attempt: AttemptView, file?: "out") =>
    attempt.round === newest && attempt.cluster !== null
      ? logHref(name, { ...place, cluster: attempt.cluster, ...(file && { file }) })
      : null;
  const href = log(last);
  useKeys({ l: ["log of the last attempt", () => href && go(href)] });
  return (
    <>
      <section className={`panel sentence live tone-${DECISION_LOOK[last.decision][0]}`} aria-label="In one sentence">
        <b>{storySentence(attempts)}.</b>
      </section>
      <div className="actions" role="group" aria-label="Actions">
        {href && (
          <Link href={href} className="button primary">
            Log of the last attempt <kbd className="hide-narrow">l</kbd>
          </Link>
        )}
        <button type="button" onClick={() => setOpen(true)}>
          Resubmit …
        </button>
      </div>
      <div className="split">
        <ol className="stack" aria-label="Attempts, oldest first">
          {attempts.map((attempt, index) => (
            <Attempt
              key={`${attempt.round} ${attempt.cluster} ${attempt.at}`}
              number={index + 1}
              attempt={attempt}
              errors={log(attempt)}
              output={log(attempt, "out")}
            />
          ))}
        </ol>
        <div className="stack">
          {last.cause !== null && <Budget name={name} last={last} />}
          <People story={story} />
        </div>
      </div>
      {last.cause !== null && <Beside name={name} bad={last} own={attempts} />}
      {isOpen && request.data && (
        <ActOnOne
          action="resubmit"
          name={name}
          more={place.unit === place.node ? { units: [place.unit] } : { nodes: [placeName(place)] }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
