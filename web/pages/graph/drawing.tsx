import type { ReactNode } from "react";
import { Link } from "wouter";
import { JOB_STATE } from "../../../src/core/job-state.ts";
import { jobName } from "../../../src/core/names.ts";
import type { OutlineView } from "../../../src/operations/results.ts";
import { useAnswer } from "../../api/queries.ts";
import { DrawingPanel } from "../../drawing-panel.tsx";
import { graphHref, nodeHref } from "../../job-links.ts";
import { Problem } from "../../problem.tsx";
import { Empty, Loading } from "../../ui/banner.tsx";
import { Drawing, MOST_DRAWN } from "../../ui/drawing.tsx";

import { groupState } from "./group-states.ts";

/** What waits for what, while it can be read. */
export function JobDrawing({ name, graph }: { name: string; graph: OutlineView }): ReactNode {
  const isReadable = graph.of === "jobs" && graph.groups.length <= MOST_DRAWN;
  const { data, error } = useAnswer("results.list", { name, limit: MOST_DRAWN }, { enabled: isReadable, keep: true });
  if (!isReadable && graph.groups.length <= MOST_DRAWN) return <GroupDrawing name={name} graph={graph} />;
  if (!isReadable)
    return (
      <Empty title={`${graph.jobs.toLocaleString("en")} jobs cannot be read in a drawing`}>
        <p>
          At most {MOST_DRAWN} are drawn. <Link href={graphHref(name)}>The list</Link> has them all, and can be filtered
          by state and by name.
        </p>
      </Empty>
    );
  if (error) return <Problem error={error} />;
  if (!data) return <Loading what="the jobs" />;
  const states = new Map(data.items.map(({ unit, state }) => [unit, state]));
  const unitOf = (place: number) => jobName(graph.groups[place]?.ranges[0]?.[0] ?? place) as string;
  const nodes = graph.groups.map((group, place) => {
    const id = unitOf(place);
    const state = states.get(id) ?? "waiting";
    const { tone, letter } = JOB_STATE[state];
    return { id, name: group.name, state, tone, letter, href: nodeHref(name, { unit: id, node: id }) };
  });
  const edges = graph.edges.map(({ from, to }) => ({ from: from.map(unitOf), to: to.map(unitOf) }));
  return (
    <DrawingPanel>
      <Drawing label={`The jobs of ${name}, from top to bottom.`} nodes={nodes} edges={edges} />
    </DrawingPanel>
  );
}

/** Many jobs: what waits for what between groups of them, each with how far it is. */
function GroupDrawing({ name, graph }: { name: string; graph: OutlineView }): ReactNode {
  const request = useAnswer("requests.show", { name });
  const id = request.data?.workflow?.dag_id ?? null;
  const map = useAnswer("dags.map", { id: id ?? "", as: "states" }, { enabled: id !== null, keep: true });
  const error = request.error ?? map.error;
  if (error) return <Problem error={error} />;
  if (!request.data || (id !== null && !map.data)) return <Loading what="the jobs" />;
  const told = map.data ?? { runs: [], states: "" };
  const nodes = graph.groups.map((group, place) => {
    const { state, text } = map.data ? groupState(group, told) : { state: "waiting" as const, text: "not planned yet" };
    const { tone, letter } = JOB_STATE[state];
    // A template's name up to its first parameter is in the names of all its jobs.
    const [stem] = group.name.split("{");
    const href =
      graph.of === "templates" && stem ? `${graphHref(name)}?text=${encodeURIComponent(stem)}` : graphHref(name);
    return {
      id: String(place),
      name: `${group.name} (${group.jobs.toLocaleString("en")})`,
      state: text,
      tone,
      letter,
      href,
    };
  });
  const edges = graph.edges.map(({ from, to }) => ({ from: from.map(String), to: to.map(String) }));
  return (
    <>
      <p className="quiet">
        {graph.jobs.toLocaleString("en")} jobs, drawn by {graph.of === "templates" ? "their templates" : "layers"}: a
        box is a group of jobs, and opens the list of them.
      </p>
      <DrawingPanel>
        <Drawing label={`The jobs of ${name} by groups, from top to bottom.`} nodes={nodes} edges={edges} />
      </DrawingPanel>
    </>
  );
}
