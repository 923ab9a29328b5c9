import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { OPERATOR_ACTIONS, type OperatorAction } from "../../../src/recovery/round/actions.ts";
import { ActOnMany } from "../../act/many.tsx";
import type { Answer } from "../../api/client.ts";
import { requestHref } from "../../request-status.tsx";
import { Letter } from "../../ui/badge.tsx";
import { Command } from "../../ui/copy-button.tsx";
import { Time } from "../../ui/time.tsx";
import { count } from "../../words.ts";
import { cliFilter, type Filter, requestsHref } from "../requests/filter.ts";
import { ActOnSite } from "../sites/act.tsx";

type Cause = Answer<"desk.causes">["items"][number];

interface CausesProps {
  readonly causes: readonly Cause[];
  /** Requests that wait for somebody to say what their failures mean. */
  readonly unclassified: ReadonlySet<string>;
}

/** What fails, over all requests: one decision for each, shown before it is made, for every request behind it. */
export function Causes({ causes, unclassified }: CausesProps): ReactNode {
  const [asked, setAsked] = useState<Cause | null>(null);
  const [banned, setBanned] = useState<string | null>(null);
  const decision = asked && decisionOf(asked);
  return (
    <section className="panel">
      <header>
        <h2>Causes</h2>
        <span className="quiet">what fails, over all requests</span>
      </header>
      {causes.length === 0 && <p className="body quiet">No failures were found in what was read.</p>}
      <ol className="groups">
        {causes.map((cause) => (
          <li key={cause.key}>
            <OneCause
              cause={cause}
              example={cause.request_names.find((name) => unclassified.has(name)) ?? cause.example.request_name}
              onDecide={() => setAsked(cause)}
              onBan={setBanned}
            />
          </li>
        ))}
      </ol>
      {banned !== null && <ActOnSite verb="ban" name={banned} onClose={() => setBanned(null)} />}
      {asked && decision && (
        <ActOnMany
          action={decision.action}
          more={decision.more}
          target={{ filter: asked.filter }}
          cliFilter={cliFilter(asked.filter as Filter)}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}

/** The suggestion as one action for many requests; null: it is none. */
function decisionOf({ suggestion }: Cause): { action: OperatorAction; more: Record<string, unknown> } | null {
  const { action, ...more } = suggestion.body ?? {};
  const known = OPERATOR_ACTIONS.find((word) => word === action);
  return known ? { action: known, more } : null;
}

interface OneCauseProps {
  readonly cause: Cause;
  /** The request to look at. */
  readonly example: string;
  readonly onDecide: () => void;
  /** For everybody, until the ban ends. */
  readonly onBan: (site: string) => void;
}

function OneCause({ cause, example, onDecide, onBan }: OneCauseProps): ReactNode {
  const { name, meaning, site, file, failures, requests, held, retrying, last_at, suggestion } = cause;
  const isForEverybody = suggestion.everybody_command !== null && site !== null;
  const failuresHref = `${requestHref(example)}/failures`;
  return (
    <>
      <div className="title">
        {failures > 0 ? <Letter tone="failed" letter="F" /> : <Letter tone="retrying" letter="↻" />}
        <h3>
          {/^\d/.test(name) ? `Exit ${name}` : name}
          {site && ` at ${site}`}
        </h3>
        <span className="quiet number live">
          {failures > 0 && `${count(failures, "failure")} in `}
          <Link href={requestsHref(cause.filter)}>{count(requests, "request")}</Link>
          {held > 0 && `, ${held} held`}
          {retrying > 0 && `, ${retrying} to be retried`}
          {last_at && (
            <>
              {" "}
              · last <Time at={last_at} />
            </>
          )}
        </span>
      </div>
      <p>
        {meaning ?? cause.example.reason}
        {file && (
          <>
            {" "}
            · <code>{file}</code>
          </>
        )}
      </p>
      <div className="advice">
        <span>
          <b>{suggestion.action}:</b> {suggestion.reason}
        </span>
        <span className="end">
          {decisionOf(cause) && (
            <button type="button" className="primary" onClick={onDecide}>
              Decide for {isForEverybody ? "these " : ""}
              {count(held, "request")} …
            </button>
          )}
          {isForEverybody && (
            <button type="button" onClick={() => onBan(site)}>
              Ban {site} for everybody …
            </button>
          )}
          <Link className="button" href={failuresHref}>
            {suggestion.action === "classify" ? "Classify …" : "Look at one"}
          </Link>
        </span>
      </div>
      {suggestion.command && !decisionOf(cause) && suggestion.action !== "classify" && (
        <Command text={suggestion.command} />
      )}
    </>
  );
}
