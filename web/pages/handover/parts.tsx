import type { ReactNode } from "react";
import { Link } from "wouter";
import { requestHref, siteHref } from "../../request-status.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { count } from "../../words.ts";
import { requestsHref } from "../requests/filter.ts";
import { type Group, type Handover, KIND_LOOK } from "./sections.ts";

const OPEN_LOOK = {
  held: ["held", "H"],
  wait: ["held", "H"],
  cause: ["failed", "F"],
  alert: ["failed", "!"],
  site: ["waiting", "S"],
} as const;
type Matter = Handover["open"][number];

/** Where all of them are listed; null: nowhere. */
function openHref({ kind, code }: Matter): string | null {
  if (kind === "held") return requestsHref({ status: ["held"], hold: [code] });
  if (kind === "wait") return requestsHref({ wait: [code] });
  if (kind === "alert") return "/alerts";
  return kind === "site" ? siteHref(code) : "/";
}

/** What is not over: the first thing the next shift needs to know. */
export function OpenMatters({ open, more }: Pick<Handover, "open" | "more">): ReactNode {
  return (
    <section className="panel" aria-label="Open now">
      <header>
        <h2>Open now</h2>
      </header>
      {open.length === 0 && <p className="body quiet">Nothing needs a person.</p>}
      <ol className="body timeline live">
        {open.map((matter) => (
          <li key={`${matter.kind} ${matter.code} ${matter.actor} ${matter.text}`}>
            <Letter tone={OPEN_LOOK[matter.kind][0]} letter={OPEN_LOOK[matter.kind][1]} />
            <OneMatter matter={matter} />
          </li>
        ))}
        <More more={more} kinds={["held", "cause", "open-alert", "site"]} />
      </ol>
    </section>
  );
}

function OneMatter({ matter }: { matter: Matter }): ReactNode {
  const { kind, code, count: number, since, text, subjects, actor } = matter;
  const isOfRequests = kind === "held" || kind === "wait" || kind === "cause";
  return (
    <div>
      <b>
        <Link href={openHref(matter) ?? "/"}>
          {code}
          {number > 1 && ` (${number.toLocaleString("en")})`}
        </Link>
      </b>{" "}
      {isOfRequests &&
        subjects.slice(0, OPEN_SHOWN).map((subject, index) => (
          <span key={subject}>
            {index > 0 && ", "}
            <Link href={requestHref(subject)}>{subject}</Link>
          </span>
        ))}
      {kind === "alert" && subjects.slice(0, OPEN_SHOWN).join(", ")}
      {kind !== "site" && number > OPEN_SHOWN && ` and ${count(number - OPEN_SHOWN, "other")}`}{" "}
      <span className="quiet">
        {kind}
        {since && (
          <>
            , since <Time at={since} as="both" />
          </>
        )}
        {actor && ` · ${actor} takes care of it`}
      </span>
      <div>{text}</div>
    </div>
  );
}
const OPEN_SHOWN = 5;

/** What there is beyond the lines that are shown. */
export function More({ more, kinds }: Pick<Handover, "more"> & { kinds: readonly string[] }): ReactNode {
  return more
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, lines, count: number, command }) => (
      <li key={`more ${kind}`} className="quiet">
        <span />
        <div>
          and {count(lines, "other line")} ({number.toLocaleString("en")} in all): <code>{command}</code>
        </div>
      </li>
    ));
}

/** The same thing, once or many times. A subject leads to what else happened to it. */
export function OneGroup({ group }: { group: Group }): ReactNode {
  const { kind, what, actor, text, texts, subjects, subjects_total: total, last_at } = group;
  return (
    <li>
      <Letter tone={KIND_LOOK[kind][0]} letter={KIND_LOOK[kind][1]} />
      <div>
        <b>
          {what}
          {total > 1 && ` (${total.toLocaleString("en")})`}
        </b>{" "}
        {subjects.map((subject, index) => (
          <span key={subject}>
            {index > 0 && ", "}
            <Link href={`/handover?subject=${encodeURIComponent(subject)}`}>{subject}</Link>
          </span>
        ))}
        {total > subjects.length && ` and ${count(total - subjects.length, "other")}`}{" "}
        <span className="quiet">
          {group.count > total && `${group.count} × · `}
          {actor && `by ${actor} · `}
          <Time at={last_at} as="both" />
        </span>
        {text && (
          <div>
            {texts > 1 && "for example: "}
            {text}
          </div>
        )}
      </div>
    </li>
  );
}
