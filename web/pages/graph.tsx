import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { useNames, useUrlState } from "../url-state.ts";
import { quoted } from "../words.ts";
import { JobDrawing } from "./graph/drawing.tsx";
import { JobList } from "./graph/list.tsx";

const VIEWS = [
  ["list", "List"],
  ["time", "Timeline"],
  ["drawing", "Drawing"],
] as const;
type View = (typeof VIEWS)[number][0];

/** The jobs of a graph: as a list, along the time, and drawn while they can be read. */
export function GraphPage(): ReactNode {
  const { name = "" } = useNames();
  const url = useUrlState();
  const view = VIEWS.find(([key]) => key === url.get("as"))?.[0] ?? "list";
  const { data, error } = useAnswer("results.graph", { name });
  return (
    <>
      <div className="title">
        <h1>
          Jobs of <Link href={requestHref(name)}>{name}</Link>
        </h1>
        <Link href={`${requestHref(name)}/failures`}>Failures</Link>
        <div className="end">
          <AsText cli={`wms2 results ${quoted(name)}`} operation="results.list" input={{ name }} />
        </div>
      </div>
      {error && <Problem error={error} />}
      {!data && !error && <Loading what="the graph" />}
      {data && data.graph === null && (
        <Empty title="Its kind has no graph of jobs">
          <p>
            What depends on what is within each of its work units:{" "}
            <Link href={`${requestHref(name)}/units`}>the map</Link>
          </p>
        </Empty>
      )}
      {data?.graph && (
        <>
          <Tabs<View>
            label="Show as"
            value={view}
            options={VIEWS}
            onChange={(next) => url.set("as", next === "list" ? null : next)}
          />
          {view === "drawing" ? (
            <JobDrawing name={name} graph={data.graph} />
          ) : (
            <JobList name={name} isAlongTime={view === "time"} />
          )}
        </>
      )}
    </>
  );
}
