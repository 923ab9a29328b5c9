import type { ReactNode } from "react";
import type { FillPlanView } from "../../../src/operations/fill.ts";
import { count } from "../../words.ts";
import type { CellState } from "./layout.ts";
import { CELL_TONE, letterOf, sectionsOf, storyOf, wordsOf } from "./words.ts";

/** Only what stands in the grid, with how many of it there are. */
export function CellLegend({ plan }: { plan: FillPlanView }): ReactNode {
  const counts = new Map<CellState, number>();
  for (const { cells } of plan.rows) for (const { state } of cells) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <ul className="legend live" aria-label="What the letters mean">
      {[...counts].map(([state, number]) => (
        <li key={state} className="badge">
          <span className={`letter tone-${CELL_TONE[state]}`} aria-hidden="true">
            {letterOf(state)}
          </span>
          <span>
            <b className="number">{number.toLocaleString("en")}</b> {wordsOf(state)}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ChosenProps {
  readonly plan: FillPlanView;
  readonly node: string;
  readonly onRelease: () => void;
}

/** Everything the plan says of one chunk. */
export function Chosen({ plan, node, onRelease }: ChosenProps): ReactNode {
  const cell = plan.rows.flatMap(({ cells }) => cells).find((one) => one.node === node);
  const story = storyOf(plan, node);
  return (
    <section className="panel" aria-label="The chunk that is chosen" aria-live="polite">
      <header>
        <h2>{node}</h2>
        {cell && (
          <span className="badge">
            <span className={`letter tone-${CELL_TONE[cell.state]}`} aria-hidden="true">
              {letterOf(cell.state)}
            </span>
            {wordsOf(cell.state)}
          </span>
        )}
        {cell?.state === "held" && (
          <span className="end">
            <button type="button" onClick={onRelease}>
              Release …
            </button>
          </span>
        )}
      </header>
      <div className="body">
        {!cell && <p className="quiet">It is not part of the selection above.</p>}
        {cell && story.length === 0 && <p className="quiet">Nothing is to be done about it.</p>}
        <ul>
          {story.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** What will be done and what will not, a reason each. */
export const Reasons = ({ plan }: { plan: FillPlanView }): ReactNode => (
  <div className="columns">
    {sectionsOf(plan).map(({ title, lines, more }) => (
      <section key={title} className="panel">
        <header>
          <h2>{title}</h2>
        </header>
        <ul className="body mono reasons">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
          {more > 0 && <li className="quiet">and {count(more, "more line")}; the JSON has all</li>}
        </ul>
      </section>
    ))}
  </div>
);
