import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { HOLDS, isHoldCode } from "../../../src/core/holds.ts";
import { OPERATOR_ACTIONS, type OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnMany } from "../../act/many.tsx";
import type { Answer } from "../../api/client.ts";
import { requestHref } from "../../request-status.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { cliFilter, requestsHref } from "../requests/filter.ts";

interface HeldProps {
  /** How many are held for each reason. */
  readonly holds: Readonly<Record<string, number>>;
  /** How many wait for each thing that only a person ends; person: those that are held. */
  readonly waits: Readonly<Record<string, number>>;
  readonly items: Answer<"requests.list">["items"];
}
interface Asked {
  readonly code: string;
  readonly action: OperatorAction;
}

/** Requests that wait for a person, by what they are held for: one decision for all that are held for the same. */
export function Held({ holds, waits, items }: HeldProps): ReactNode {
  const [asked, setAsked] = useState<Asked | null>(null);
  const codes = Object.entries(holds).toSorted(([, a], [, b]) => b - a);
  const others = Object.entries(waits).filter(([code]) => code !== "person");
  return (
    <section className="panel">
      <header>
        <h2>Requests that wait for a person</h2>
        <span className="quiet">by reason, the longest wait first</span>
      </header>
      {codes.length + others.length === 0 && (
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
            <Names items={items.filter(({ hold }) => hold?.code === code)} />
          </li>
        ))}
        {others.map(([code, number]) => (
          <li key={`wait ${code}`}>
            <div className="title">
              <Letter tone="held" letter="H" />
              <h3>{code}</h3>
              <Link className="quiet number" href={requestsHref({ wait: [code] })}>
                {number.toLocaleString("en")} waiting
              </Link>
            </div>
            <p>{items.find(({ waiting }) => waiting?.code === code)?.reason}</p>
            <Names items={items.filter(({ status, waiting }) => status !== "held" && waiting?.code === code)} />
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

function Names({ items }: Pick<HeldProps, "items">): ReactNode {
  return (
    <ul className="legend">
      {items.slice(0, 6).map(({ request_name: name, status_since }) => (
        <li key={name}>
          <Link href={requestHref(name)}>{name}</Link>{" "}
          <span className="quiet">
            for <Time at={status_since} as="span" />
          </span>
        </li>
      ))}
    </ul>
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
