import { Fragment, type ReactNode, useRef, useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { nodeHref, placeOf } from "../../job-links.ts";
import { Problem } from "../../problem.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import { Loading } from "../../ui/banner.tsx";
import { useKeys } from "../../ui/keys.tsx";
import { count } from "../../words.ts";
import { Classify, type Meaning } from "./classify.tsx";

export type Group = Answer<"recovery.groups">["groups"][number];

/** Failures whose logs say the same are one decision: j and k move, r and g say what they mean. */
export function Groups({ name }: { name: string }): ReactNode {
  const { data, error } = useAnswer("recovery.groups", { name });
  const [at, setAt] = useState(0);
  const [asked, setAsked] = useState<Meaning | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const groups = data?.groups ?? [];
  const place = Math.min(at, groups.length - 1);
  const current = groups[place];
  const go = (to: number) => {
    const next = Math.max(0, Math.min(groups.length - 1, to));
    setAt(next);
    list.current?.querySelectorAll<HTMLElement>(":scope > li")[next]?.focus();
  };
  const ask = (action: Meaning["action"]) =>
    current && current.why_not === null && setAsked({ group: current, action });
  useKeys({
    j: ["next group of failures", () => go(list.current?.contains(document.activeElement) ? place + 1 : 0)],
    k: ["group before", () => go(place - 1)],
    r: ["these may be retried (preview first)", () => ask("retry")],
    g: ["mark these failures as final (preview first)", () => ask("fail")],
  });
  const open = groups.filter(({ unclassified }) => unclassified > 0).length;
  return (
    <section className="panel">
      <header>
        <h2>Similar failures, by what their logs say</h2>
        <span className="quiet">
          {open > 0 ? `${count(open, "decision")} to make` : "none waits for a decision"}
          {data && data.not_read > 0 && ` · ${count(data.not_read, "log")} not read`}
        </span>
        <span className="quiet end hide-narrow">
          <kbd>j</kbd> <kbd>k</kbd> move · <kbd>r</kbd> retry · <kbd>g</kbd> fail
        </span>
      </header>
      {error && <Problem error={error} />}
      {!data && !error && <Loading what="the logs" />}
      <ol ref={list} className="groups">
        {groups.map((group, index) => (
          <li
            key={group.key}
            tabIndex={index === place ? 0 : -1}
            onFocus={() => setAt(index)}
            aria-label={lineOf(group)}
          >
            <div className="title">
              <b className="number live">{group.failures.toLocaleString("en")} ×</b>
              <span>exit {group.exit_code}</span>
              <span className="quiet">
                {group.unclassified > 0
                  ? `${count(group.unclassified, "waits", "wait")} for a decision`
                  : group.why_not}
              </span>
              <span className="end">
                <ActionButton whyNot={group.why_not} onPress={() => setAsked({ group, action: "retry" })}>
                  Retry
                </ActionButton>
                <ActionButton whyNot={group.why_not} onPress={() => setAsked({ group, action: "fail" })}>
                  Fail
                </ActionButton>
              </span>
            </div>
            <pre>{group.lines.join("\n") || group.example.reason}</pre>
            <p className="quiet">
              <Nodes name={name} nodes={group.nodes.slice(0, 4)} />
              {group.failures > 4 && ` and ${group.failures - 4} more`}
            </p>
          </li>
        ))}
      </ol>
      {asked && <Classify name={name} meaning={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

const lineOf = ({ failures, exit_code, lines }: Group): string =>
  `${count(failures, "failure")}, exit ${exit_code}: ${lines[0] ?? ""}`;

const Nodes = ({ name, nodes }: { name: string; nodes: readonly string[] }): ReactNode =>
  nodes.map((node, index) => (
    <Fragment key={node}>
      {index > 0 && ", "}
      <Link href={nodeHref(name, placeOf(node))}>{node}</Link>
    </Fragment>
  ));
