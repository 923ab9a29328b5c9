import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { HOLDS, isHoldCode } from "../../../src/domain/holds.ts";
import { OPERATOR_ACTIONS, type OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnMany } from "../../act/many.tsx";
import type { Answer } from "../../api/client.ts";
import { requestHref } from "../../request-status.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { cliFilter, requestsHref } from "../requests/filter.ts";

interface HeldProps {
  /** How many are held for each reason. */
  readonly facets: Readonly<Record<string, number>>;
  readonly items: Answer<"requests.list">["items"];
}
interface Asked {
  readonly code: string;
  readonly action: OperatorAction;
}

/** Requests that wait for a person, by what they are held for: one decision for all that are held for the same. */
export function Held({ facets, items }: HeldProps): ReactNode {
  const [asked, setAsked] = useState<Asked | null>(null);
  const codes = Object.entries(facets).toSorted(([, a], [, b]) => b - a);
  return (
    <section className="panel">
      <header>
        <h2>Held requests</h2>
        <span className="quiet">by reason, the longest wait first</span>
      </header>
      {codes.length === 0 && (
        <p className="body quiet">None. A request that needs a person is held, and says why here.</p>
      )}
      <ol className="groups">
        {codes.map(([code, number]) => (
          <li key={code}>
            <div className="title">
              <Letter tone="held" letter="H" />
              <h3>{code}</h3>
              <Link className="quiet number" href={requestsHref({ status: ["held"], hold: [code] })}>
                {number.toLocaleString("en")} held
              </Link>
              <span className="end">
                {code === "unclassified-failures" && <Classify items={items} />}
                {actionsFor(code).map((action) => (
                  <button key={action} type="button" onClick={() => setAsked({ code, action })}>
                    {action} {number > 1 ? `all ${number}` : ""} …
                  </button>
                ))}
              </span>
            </div>
            <p>{isHoldCode(code) ? HOLDS[code].meaning : ""}</p>
            <ul className="legend">
              {items
                .filter(({ hold }) => hold?.code === code)
                .slice(0, 6)
                .map(({ request_name: name, status_since }) => (
                  <li key={name}>
                    <Link href={requestHref(name)}>{name}</Link>{" "}
                    <span className="quiet">
                      for <Time at={status_since} as="span" />
                    </span>
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ol>
      {asked && (
        <ActOnMany
          action={asked.action}
          target={{ filter: { status: ["held"], hold: [asked.code] } }}
          cliFilter={cliFilter({ status: ["held"], hold: [asked.code] })}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}

/** What no rule knows is said of one request after the other; the failures alike of it go together. */
function Classify({ items }: Pick<HeldProps, "items">): ReactNode {
  const first = items.find(({ hold }) => hold?.code === "unclassified-failures");
  return first ? (
    <Link className="button primary" href={`${requestHref(first.request_name)}/failures`}>
      Classify …
    </Link>
  ) : null;
}

/** The two likeliest that can be done to many at once. */
function actionsFor(code: string): readonly OperatorAction[] {
  const words: readonly string[] = isHoldCode(code) ? HOLDS[code].actions : ["release"];
  return OPERATOR_ACTIONS.filter((action) => action !== "resubmit" && words.includes(action))
    .toSorted((a, b) => words.indexOf(a) - words.indexOf(b))
    .slice(0, 2);
}
