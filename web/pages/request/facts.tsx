import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { requestHref } from "../../request-status.tsx";
import { Facts as List } from "../../ui/facts.tsx";
import { Time } from "../../ui/time.tsx";
import { percent } from "../../words.ts";

/** What was asked for. */
export function Facts({ request }: { request: Answer<"requests.show"> }): ReactNode {
  const work = typeof request.work.summary === "string" ? request.work.summary : request.kind;
  const previous = request.previous_version_request;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Work", work],
    ["Input", request.input_dataset],
    ["Requestor", request.requestor],
    ["Campaign", request.campaign],
    ["Priority", `${request.priority.toLocaleString("en")}${request.urgent ? ", urgent" : ""}`],
    ["Memory of a job", `${request.memory_mb.toLocaleString("en")} MB`],
    ["Sites", request.site_whitelist.join(", ") || "all"],
    ["Not at", request.site_blacklist.join(", ")],
    ["Version", request.processing_version],
    ["Version before", previous && <Link href={requestHref(previous)}>{previous}</Link>],
    ["Submitted", <Time key="at" at={request.created_at} as="both" />],
    ["Rescues of this round", request.rescues_used || null],
  ];
  return (
    <section className="panel">
      <header>
        <h2>What was asked for</h2>
      </header>
      <div className="body commands">
        <List facts={facts} />
        <ProductionSteps steps={request.production_steps} priority={request.priority} />
      </div>
    </section>
  );
}

type Steps = Answer<"requests.show">["production_steps"];

/** How its priority changes as it gets on. */
function ProductionSteps({ steps, priority }: { steps: Steps; priority: number }): ReactNode {
  if (steps.length === 0) return null;
  return (
    <div>
      <h3>Production steps</h3>
      <ol className="legend number">
        {steps.map(({ fraction, priority: then }) => (
          <li key={fraction}>
            from {percent(fraction * 100)}: priority {then.toLocaleString("en")}
            {then === priority ? " (now)" : ""}
          </li>
        ))}
      </ol>
    </div>
  );
}
