import { type KeyboardEvent, type ReactNode, useDeferredValue, useState } from "react";
import { useLocation } from "wouter";
import type { Answer } from "./api/client.ts";
import { useAnswer } from "./api/queries.ts";
import { nodeHref, placeOf } from "./job-links.ts";
import { Problem } from "./problem.tsx";
import { requestHref, siteHref } from "./request-status.tsx";
import { PAGES } from "./routes.tsx";
import { Dialog } from "./ui/dialog.tsx";

interface Found {
  readonly href: string;
  readonly text: string;
  readonly kind: string;
}

/** Where something that was found can be looked at; null: it has no page. */
function hrefOf({ kind, name, request_name }: Answer<"desk.search">["items"][number]): string | null {
  if (kind === "request") return requestHref(name);
  if (kind === "site") return siteHref(name);
  if (request_name === null) return null;
  return kind === "node" ? nodeHref(request_name, placeOf(name)) : requestHref(request_name);
}

/** Finds requests and sites by a part of their name, runs and jobs by the engine's id, and pages. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(text.trim());
  const { data, isPlaceholderData, isFetching, failureReason } = useAnswer(
    "desk.search",
    { q: wanted, limit: 10 },
    { keep: true, enabled: wanted !== "" },
  );
  const isPart = (title: string) => title.toLowerCase().includes(wanted.toLowerCase());
  const pages = PAGES.filter(({ menu, title }) => menu !== null && isPart(title));
  const found: Found[] = [
    ...(wanted ? (data?.items ?? []) : []).flatMap((item) => {
      // Of what was found for less of the word, only what still fits: Enter may come before the answer.
      const href = isPlaceholderData && !isPart(item.name) ? null : hrefOf(item);
      return href === null ? [] : [{ href, text: item.name, kind: item.text || item.kind }];
    }),
    ...pages.map(({ path, title }) => ({ href: path, text: title, kind: "page" })),
  ];
  const open = (item: Found | undefined) => {
    if (!item) return;
    onClose();
    go(item.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") open(found[at]);
    // Else a browser takes the first one to empty the field.
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find" onClose={onClose} className="palette">
      <input
        type="search"
        role="combobox"
        aria-label="A part of a name, or an id"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found[at] ? `found-${at}` : undefined}
        placeholder="A request, a site, a job id, a page …"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="found" role="listbox" aria-label="Found">
        {found.map((item, index) => (
          <div
            key={`${item.href} ${item.text}`}
            id={`found-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onClick={() => open(item)}
            onKeyDown={onKeyDown}
          >
            <span>{item.text}</span>
            <span className="quiet">{item.kind}</span>
          </div>
        ))}
      </div>
      {failureReason && <Problem error={failureReason} />}
      {data?.note && <p className="quiet">{data.note}</p>}
      {found.length === 0 && !failureReason && (
        <p className="quiet">{isFetching ? "Looking …" : `Nothing is called “${wanted}”.`}</p>
      )}
    </Dialog>
  );
}
