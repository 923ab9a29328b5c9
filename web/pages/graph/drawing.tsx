import type { ReactNode } from "react";
import { Link } from "wouter";
import { jobName } from "../../../src/domain/names.ts";
import type { OutlineView } from "../../../src/operations/results.ts";
import { useAnswer } from "../../api/queries.ts";
import { DrawingPanel } from "../../drawing-panel.tsx";
import { graphHref, nodeHref } from "../../job-links.ts";
import { Problem } from "../../problem.tsx";
import { Empty, Loading } from "../../ui/banner.tsx";
import { Drawing, MOST_DRAWN } from "../../ui/drawing.tsx";
import { PART_LOOK } from "../../words.ts";

/** What waits for what, while it can be read. */
export function JobDrawing({ name, graph }: { name: string; graph: OutlineView }): ReactNode {
  const isReadable = graph.of === "jobs" && graph.groups.length <= MOST_DRAWN;
  const { data, error } = useAnswer("results.list", { name, limit: MOST_DRAWN }, { enabled: isReadable, keep: true });
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
    const [tone, letter] = PART_LOOK[state];
    return { id, name: group.name, state, tone, letter, href: nodeHref(name, { unit: id, node: id }) };
  });
  const edges = graph.edges.map(({ from, to }) => ({ from: from.map(unitOf), to: to.map(unitOf) }));
  return (
    <DrawingPanel>
      <Drawing label={`The jobs of ${name}, from top to bottom.`} nodes={nodes} edges={edges} />
    </DrawingPanel>
  );
}
