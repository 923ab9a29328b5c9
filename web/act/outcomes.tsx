import type { ReactNode } from "react";
import { describeEffects } from "../../src/recovery/round/effect.ts";
import { Letter, type Tone } from "../ui/badge.tsx";
import { count } from "../words.ts";
import type { BulkItem } from "./many.tsx";

const LOOK: Readonly<Record<BulkItem["outcome"], readonly [Tone, string, string]>> = {
  done: ["done", "✓", "done"],
  would: ["running", "→", "would be done"],
  already: ["waiting", "=", "so already"],
  refused: ["failed", "✕", "refused"],
  stale: ["held", "!", "moved on meanwhile"],
  unknown: ["failed", "?", "unknown"],
};
const MOST = 200;

/** What becomes of each request: how many of each outcome, then one by one, the refused first. */
export function Outcomes({ items, isDone }: { items: readonly BulkItem[]; isDone: boolean }): ReactNode {
  const counts = Map.groupBy(items, ({ outcome }) => outcome);
  const order = Object.keys(LOOK);
  const rank = ({ outcome }: BulkItem) =>
    (outcome === "done" || outcome === "would" ? 1 : 0) + order.indexOf(outcome) / 10;
  const effects = items.flatMap(({ effect }) => effect ?? []);
  const sorted = items.toSorted((a, b) => rank(a) - rank(b));
  return (
    <section aria-label={isDone ? "What happened" : "Preview"} aria-live="polite">
      <p>
        <b>{isDone ? "What happened" : "Preview"}:</b>{" "}
        {[...counts].map(([outcome, of]) => `${of.length} ${LOOK[outcome][2]}`).join(", ") || "no request matches"}
      </p>
      {effects.length > 1 && <p>Together: {describeEffects(effects)}</p>}
      <div className="scroll">
        <table className="plain">
          <tbody>
            {sorted.slice(0, MOST).map((item) => (
              <tr key={item.request_name}>
                <td>
                  <Letter tone={LOOK[item.outcome][0]} letter={LOOK[item.outcome][1]} />
                  <span className="visually-hidden">{LOOK[item.outcome][2]}</span>
                </td>
                <th scope="row">{item.request_name}</th>
                <td>
                  {[item.message, ...item.warnings.map((warning) => `warning: ${warning}`)].filter(Boolean).join("; ")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > MOST && <p className="quiet">and {count(sorted.length - MOST, "other")}</p>}
    </section>
  );
}
