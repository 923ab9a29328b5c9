import type { ReactNode } from "react";
import { Link } from "wouter";
import { requestHref, siteHref } from "../../request-status.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { count } from "../../words.ts";
import { type Group, type Handover, KIND_LOOK } from "./sections.ts";

const OPEN_LOOK = { held: ["held", "H"], alert: ["failed", "!"], site: ["waiting", "S"] } as const;

/** What is not over: the first thing the next shift needs to know. */
export function OpenMatters({ open }: { open: Handover["open"] }): ReactNode {
  return (
    <section className="panel" aria-label="Open now">
      <header>
        <h2>Open now</h2>
        <span className="quiet number">{open.length}</span>
      </header>
      {open.length === 0 && <p className="body quiet">Nothing needs a person.</p>}
      <ol className="body timeline live">
        {open.map(({ kind, subject, since, text, actor }) => (
          <li key={`${kind} ${subject} ${text}`}>
            <Letter tone={OPEN_LOOK[kind][0]} letter={OPEN_LOOK[kind][1]} />
            <div>
              <b>
                {kind === "held" && <Link href={requestHref(subject)}>{subject}</Link>}
                {kind === "site" && <Link href={siteHref(subject)}>{subject}</Link>}
                {kind === "alert" && subject}
              </b>{" "}
              <span className="quiet">
                {kind}, since <Time at={since} as="both" />
                {actor && ` · ${actor} takes care of it`}
              </span>
              <div>{text}</div>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const SHOWN = 12;

/** The same thing, once or many times. A subject leads to what else happened to it. */
export function OneGroup({ group }: { group: Group }): ReactNode {
  const { kind, what, actor, text, subjects, last_at } = group;
  return (
    <li>
      <Letter tone={KIND_LOOK[kind][0]} letter={KIND_LOOK[kind][1]} />
      <div>
        <b>{what}</b>{" "}
        {subjects.slice(0, SHOWN).map((subject, index) => (
          <span key={subject}>
            {index > 0 && ", "}
            <Link href={`/handover?subject=${encodeURIComponent(subject)}`}>{subject}</Link>
          </span>
        ))}
        {subjects.length > SHOWN && ` and ${count(subjects.length - SHOWN, "other")}`}{" "}
        <span className="quiet">
          {group.count > subjects.length && `${group.count} × · `}
          {actor && `by ${actor} · `}
          <Time at={last_at} as="both" />
        </span>
        {text && <div>{text}</div>}
      </div>
    </li>
  );
}
