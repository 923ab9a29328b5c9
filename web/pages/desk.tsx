import type { ReactNode } from "react";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { Loading } from "../ui/banner.tsx";
import { Time } from "../ui/time.tsx";
import { Activity } from "./desk/activity.tsx";
import { Alerts } from "./desk/alerts.tsx";
import { Causes } from "./desk/causes.tsx";
import { FirstSteps } from "./desk/first-steps.tsx";
import { Held } from "./desk/held.tsx";
import { deskSentence } from "./desk/sentence.ts";

/** What needs a person now: causes first, since requests are only their consequences. */
export function DeskPage(): ReactNode {
  const causes = useAnswer("desk.causes", {});
  const held = useAnswer("requests.list", { needs: "person", limit: 200, facets: "true", sort: "waiting" });
  const alerts = useAnswer("alerts.list", { limit: 100 });
  const status = useAnswer("system.status", {});
  const error = causes.error ?? held.error ?? alerts.error ?? status.error;
  const total = Object.values(status.data?.requests ?? {}).reduce((sum, number) => sum + number, 0);
  if (!causes.data || !held.data || !alerts.data || !status.data)
    return error ? <Problem error={error} /> : <Loading what="the desk" />;
  // What a held request is held for is said once, with the request.
  const others = alerts.data.items.filter(({ key }) => !key.startsWith("held:"));
  const unclassified = new Set(
    held.data.items.flatMap(({ hold, request_name: name }) => (hold?.code === "unclassified-failures" ? [name] : [])),
  );
  const story = deskSentence({
    held: held.data.facets?.requests ?? held.data.items.length,
    causes: causes.data.items.filter(({ failures }) => failures > 0).length,
    alerts: alerts.data.open - alerts.data.of_held,
    requests: status.data.requests,
  });
  return (
    <>
      <div className="title">
        <h1>Desk</h1>
        {causes.data.looked_at && (
          <span className="quiet">
            failures last read <Time at={causes.data.looked_at} />
          </span>
        )}
        <div className="end">
          <AsText cli="wms2 list --filter needs=person" operation="desk.causes" input={{}} />
        </div>
      </div>
      {error && <Problem error={error} />}
      <section className={`panel sentence live tone-${story.tone}`} aria-label="In one sentence">
        <b>{story.needs}</b> {story.rest}
      </section>
      {total === 0 ? (
        <FirstSteps />
      ) : (
        <div className="split">
          <div className="stack">
            <Causes causes={causes.data.items} unclassified={unclassified} />
            <Held holds={held.data.facets?.hold ?? {}} waits={held.data.facets?.wait ?? {}} items={held.data.items} />
          </div>
          <div className="stack">
            <Alerts alerts={others} open={alerts.data.open} ofHeld={alerts.data.of_held} />
            <Activity status={status.data} />
          </div>
        </div>
      )}
    </>
  );
}
