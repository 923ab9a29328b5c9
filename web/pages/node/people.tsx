import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { Time } from "../../ui/time.tsx";

/** What people did about it: fresh budgets, and what they said its failures mean. */
export function People({ story }: { story: Answer<"attempts.list"> }): ReactNode {
  const deeds = [
    ...story.epochs.map(({ at, by, reason, epoch }) => ({ at, by, reason, what: `gave it budget ${epoch + 1}` })),
    ...story.said,
  ].toSorted((a, b) => a.at.localeCompare(b.at));
  if (deeds.length === 0) return null;
  return (
    <section className="panel">
      <header>
        <h2>What people did</h2>
      </header>
      <ul className="body commands">
        {deeds.map(({ at, by, what, reason }) => (
          <li key={`${at} ${what}`}>
            <b>{by}</b> {what}, <Time at={at} />: {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}
