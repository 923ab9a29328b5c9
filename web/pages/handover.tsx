import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAnswer, useText } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Time } from "../ui/time.tsx";
import { useUrlState } from "../url-state.ts";
import { count, quoted } from "../words.ts";
import { HandoverFilter } from "./handover/filter.tsx";
import { More, OneGroup, OpenMatters } from "./handover/parts.tsx";
import { type Handover, KINDS, sectionsOf } from "./handover/sections.ts";

/** What happened since I left: what is open, what was done, what went by itself; the same as text to pass on. */
export function HandoverPage(): ReactNode {
  const url = useUrlState();
  const since = url.get("since") ?? "8h";
  const subject = url.get("subject");
  const kind = KINDS.map(([word]) => word).filter((word) => url.all("kind").includes(word));
  const input = { since, ...(subject && { subject }), ...(kind.length > 0 && { kind }) };
  const { data, error } = useAnswer("desk.handover", input, { keep: true });
  return (
    <>
      <div className="title">
        <h1>Hand-over</h1>
        {data && (
          <span className="quiet">
            since <Time at={data.since} as="both" />, {count(data.entries, "entry", "entries")}
          </span>
        )}
        <Link href="/audit">Audit</Link>
        <div className="end">
          <AsText
            cli={`wms2 handover --since ${quoted(since)}${subject ? ` --subject ${quoted(subject)}` : ""}`}
            operation="desk.handover"
            input={input}
          />
        </div>
      </div>
      <HandoverFilter since={since} kinds={kind} url={url} />
      {error && <Problem error={error} />}
      {!data && !error && <Loading what="what happened" />}
      {data && <Report data={data} input={input} />}
    </>
  );
}

interface ReportProps {
  readonly data: Handover;
  readonly input: Parameters<typeof useText<"desk.handover">>[1];
}

function Report({ data, input }: ReportProps): ReactNode {
  const text = useText("desk.handover", input);
  const sections = sectionsOf(data.groups);
  return (
    <>
      <section className="panel sentence live" aria-label="In one sentence">
        {data.sentence}
      </section>
      <div className="split">
        <div className="stack">
          <OpenMatters open={data.open} more={data.more} />
          {sections.length === 0 && (
            <Empty title="Nothing happened">
              <p>Nothing happened in this time. Choose a longer one.</p>
            </Empty>
          )}
          {sections.map(({ kind, title, groups }) => (
            <section key={kind} className="panel" aria-label={title}>
              <header>
                <h2>{title}</h2>
              </header>
              <ol className="body timeline live">
                {groups.map((group) => (
                  <OneGroup key={`${group.what} ${group.actor} ${group.text}`} group={group} />
                ))}
                <More more={data.more} kinds={[kind]} />
              </ol>
            </section>
          ))}
        </div>
        <section className="panel" aria-label="Shift report">
          <header>
            <h2>Shift report</h2>
            <span className="quiet">as text, for a log book or a chat</span>
            <span className="end">{text.data && <CopyButton text={text.data} label="Copy report" />}</span>
          </header>
          <div className="body">
            {text.error && <Problem error={text.error} />}
            {text.data && <pre className="report">{text.data}</pre>}
          </div>
        </section>
      </div>
    </>
  );
}
