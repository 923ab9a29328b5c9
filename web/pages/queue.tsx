import type { ReactNode } from "react";
import { ApiProblem } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Command } from "../ui/copy-button.tsx";
import { useUrlState } from "../url-state.ts";
import { count } from "../words.ts";
import { readWhatIf, writeWhatIf } from "./queue/order.ts";
import { QueueTable } from "./queue/table.tsx";

/** Who starts when, and why not sooner; with other priorities, before they are set. */
export function QueuePage(): ReactNode {
  const url = useUrlState();
  const whatIf = readWhatIf(url.all("if"));
  const now = useAnswer("admission.queue", {});
  const input = whatIf.size > 0 ? { what_if: writeWhatIf(whatIf) } : {};
  const then = useAnswer("admission.queue", input, { keep: true });
  // One of them has started meanwhile: there is nothing more to ask about it.
  const isGone = then.error instanceof ApiProblem && then.error.status === 409;
  const data = isGone ? now.data : then.data;
  const error = now.error ?? (isGone ? null : then.error);
  if (!now.data || !data) return error ? <Problem error={error} /> : <Loading what="the queue" />;
  return (
    <>
      <div className="title">
        <h1>Queue</h1>
        <span className="quiet number live">
          {count(data.entries.length, "request waits", "requests wait")} · {data.active_dags} of {data.max_active_dags}{" "}
          slots taken
        </span>
        <div className="end">
          <AsText cli="wms2 queue" operation="admission.queue" input={input} />
        </div>
      </div>
      {error && <Problem error={error} />}
      {isGone && (
        <p className="banner warning" role="status">
          Not all of those you moved wait any more.
          <button type="button" onClick={() => url.set("if", null)}>
            Show the queue as it is
          </button>
        </p>
      )}
      {data.entries.length === 0 ? (
        <Empty title="The queue is empty">
          <p>What is submitted now starts with the next pass. Fewer at once:</p>
          <Command text="wms2 queue --max-active 5" />
        </Empty>
      ) : (
        <QueueTable now={now.data} then={data} whatIf={whatIf} onChange={(next) => url.set("if", writeWhatIf(next))} />
      )}
    </>
  );
}
