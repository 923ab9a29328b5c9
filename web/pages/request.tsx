import type { ReactNode } from "react";
import { Link } from "wouter";
import { type Answer, ApiProblem } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref, Status } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Time } from "../ui/time.tsx";
import { useNames } from "../url-state.ts";
import { quoted, STATUS_LOOK } from "../words.ts";
import { componentsIn } from "./fill/components.ts";
import { Actions } from "./request/actions.tsx";
import { Facts } from "./request/facts.tsx";
import { Outputs } from "./request/outputs.tsx";
import { Progress } from "./request/progress.tsx";
import { Rounds } from "./request/rounds.tsx";
import { sentenceOf } from "./request/sentence.ts";
import { Timeline } from "./request/timeline.tsx";

/** How far it is, why not further, and what may be done. */
export function RequestPage(): ReactNode {
  const { name = "" } = useNames();
  const { data, error } = useAnswer("requests.show", { name });
  if (error instanceof ApiProblem && error.status === 404)
    return (
      <Empty title={`There is no request ${name}`}>
        <p>
          It may be on another server, or the name is cut. <Link href="/requests">All requests</Link>
        </p>
      </Empty>
    );
  if (!data) return error ? <Problem error={error} /> : <Loading what={name} />;
  return <Shown request={data} error={error} />;
}

function Shown({ request, error }: { request: Answer<"requests.show">; error: Error | null }): ReactNode {
  const { workflow, request_name: name } = request;
  const status = useAnswer("workflows.status", { id: workflow?.id ?? "" }, { enabled: workflow !== null });
  return (
    <>
      <div className="title">
        <h1>{name}</h1>
        <Status status={request.status} />
        <span className="quiet">
          for <Time at={request.status_since} as="span" />
        </span>
        <div className="end">
          {componentsIn(request.work).length > 0 && (
            <Link className="button" href={`${requestHref(name)}/fill`}>
              Grid of products
            </Link>
          )}
          <AsText cli={`wms2 show ${quoted(name)}`} operation="requests.show" input={{ name }} />
        </div>
      </div>
      {error && <Problem error={error} />}
      <Story request={request} status={status.data ?? null} />
      <Actions request={request} />
      <div className="split">
        <div className="stack">
          {workflow && status.data && <Progress status={status.data} eventsDone={workflow.events_done} />}
          {workflow?.step_metrics && workflow.step_metrics.jobs_sampled > 0 && (
            <Rounds metrics={workflow.step_metrics} />
          )}
          <Outputs name={name} />
        </div>
        <div className="stack">
          <Timeline request={request} />
          <Facts request={request} />
        </div>
      </div>
    </>
  );
}

interface StoryProps {
  readonly request: Answer<"requests.show">;
  readonly status: Answer<"workflows.status"> | null;
}

/** Status, because, next, when: before anything else. */
function Story({ request, status }: StoryProps): ReactNode {
  const { is, because, next, when } = sentenceOf(request, status);
  const [tone] = STATUS_LOOK[request.status];
  return (
    <section className={`panel sentence live tone-${tone}`} aria-label="In one sentence">
      <b>{is}</b>
      {because && <>, because {because}</>}.
      {next && (
        <>
          {" "}
          <b>Next:</b> {next}.
        </>
      )}
      {when && (
        <>
          {" "}
          <b>When:</b> {typeof when === "string" ? when : <Time {...when} as="both" />}.
        </>
      )}
      {request.error && <div className="quiet">Try: {request.error.hint}</div>}
    </section>
  );
}
