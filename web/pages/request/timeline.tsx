import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Letter, type Tone } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { STATUS_LOOK } from "../../words.ts";

interface Moment {
  readonly at: string;
  readonly look: readonly [Tone, string];
  readonly what: string;
  readonly reason: string;
  readonly actor: string;
}

/** Every decision about it, of the program and of people, newest first. */
export function Timeline({ request }: { request: Answer<"requests.show"> }): ReactNode {
  const { data } = useAnswer("requests.audit", { name: request.request_name, limit: 100 });
  const moves = request.status_transitions.map(
    ({ to, from, reason, actor, at }): Moment => ({
      at,
      look: STATUS_LOOK[to],
      what: from ? `${from} → ${to}` : to,
      reason,
      actor,
    }),
  );
  const actions = (data?.items ?? []).map(
    ({ at, action, reason, actor, outcome }): Moment => ({
      at,
      look: ["waiting", "⚑"],
      what: outcome === "done" ? action : `${action} (${outcome})`,
      reason,
      actor,
    }),
  );
  const all = [...moves, ...actions].toSorted((a, b) => b.at.localeCompare(a.at));
  return (
    <section className="panel">
      <header>
        <h2>What was decided</h2>
        <span className="quiet">newest first</span>
      </header>
      <ol className="body timeline">
        {all.map(({ at, look, what, reason, actor }) => (
          <li key={`${at} ${what}`}>
            <Letter tone={look[0]} letter={look[1]} />
            <div>
              <b>{what}</b> <span className="quiet">by {actor} · </span>
              <span className="quiet">
                <Time at={at} as="both" />
              </span>
              <div>{reason}</div>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
