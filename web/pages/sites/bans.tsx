import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Problem } from "../../problem.tsx";
import { Time, Until } from "../../ui/time.tsx";
import { useUrlState } from "../../url-state.ts";
import { ForWhom } from "./for-whom.tsx";

type Ban = Answer<"sites.bans">["items"][number];

/** Until when, for whom, by whom and why; past ones when asked for. */
export function Bans({ name, onLift }: { name: string; onLift: () => void }): ReactNode {
  const url = useUrlState();
  const past = url.get("past") !== undefined;
  const { data, error } = useAnswer("sites.bans", { name, past }, { keep: true });
  const items = data?.items ?? [];
  return (
    <section className="panel">
      <header>
        <h2>Bans</h2>
        <label className="inline end">
          <input
            type="checkbox"
            checked={past}
            onChange={({ target }) => url.set("past", target.checked ? "1" : null)}
          />
          past ones, too
        </label>
      </header>
      {error && <Problem error={error} />}
      {data && items.length === 0 && (
        <p className="body quiet">{past ? "It was never banned." : "It is not banned."}</p>
      )}
      <ol className="groups">
        {items.map((ban) => (
          <li key={ban.id}>
            <OneBan ban={ban} onLift={onLift} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function OneBan({ ban, onLift }: { ban: Ban; onLift: () => void }): ReactNode {
  const isOver = ban.removed_at !== null || new Date(ban.expires_at) <= new Date();
  return (
    <>
      <div className="title">
        <h3>
          For <ForWhom workflow={ban.workflow_id} />
        </h3>
        <span className="quiet">
          {ban.removed_at ? (
            <>
              lifted <Time at={ban.removed_at} as="both" />
              {ban.removed_by && ` by ${ban.removed_by}`}
            </>
          ) : isOver ? (
            <>
              ended <Time at={ban.expires_at} as="both" />
            </>
          ) : (
            <Until at={ban.expires_at} />
          )}
        </span>
        {!isOver && (
          <span className="end">
            <button type="button" onClick={onLift}>
              Lift …
            </button>
          </span>
        )}
      </div>
      <p>{ban.reason}</p>
      <p className="quiet">
        by {ban.created_by ?? "the program"}, <Time at={ban.created_at} as="both" />
      </p>
    </>
  );
}
