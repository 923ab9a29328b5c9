import { type ReactNode, useEffect } from "react";
import { REQUEST_STATUS, REQUEST_STATUSES } from "../../../src/core/request-status.ts";
import type { Answer } from "../../api/client.ts";
import { Letter } from "../../ui/badge.tsx";
import type { useUrlState } from "../../url-state.ts";
import { STATUS_LOOK } from "../../words.ts";
import { type Filter, isFiltered } from "./filter.ts";

type Url = ReturnType<typeof useUrlState>;
type Facets = NonNullable<Answer<"requests.list">["facets"]>;

interface FilterBarProps {
  readonly filter: Filter;
  readonly facets: Facets | null;
  readonly url: Url;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

/** Every value is offered with its number; a text applies while somebody types. */
export function FilterBar({ filter, facets, url, typed, onType }: FilterBarProps): ReactNode {
  const chosen = filter.status ?? [];
  const shown = REQUEST_STATUSES.filter((status) => (facets?.status[status] ?? 0) > 0 || chosen.includes(status));
  return (
    <>
      <div className="chips" role="group" aria-label="Status">
        {shown.map((status) => {
          const isOn = chosen.includes(status);
          const next = isOn ? chosen.filter((other) => other !== status) : [...chosen, status];
          return (
            <button
              key={status}
              type="button"
              aria-pressed={isOn}
              title={REQUEST_STATUS[status].meaning}
              onClick={() => url.set("status", next)}
            >
              <Letter tone={STATUS_LOOK[status][0]} letter={STATUS_LOOK[status][1]} /> {status}
              <span className="number live">{(facets?.status[status] ?? 0).toLocaleString("en")}</span>
            </button>
          );
        })}
      </div>
      <div className="toolbar" role="search">
        <Text value={filter.text} {...{ url, typed, onType }} />
        <Choice name="campaign" label="Campaign" value={filter.campaign} counts={facets?.campaign} url={url} />
        <Choice name="requestor" label="Requestor" value={filter.requestor} counts={facets?.requestor} url={url} />
        <Choice name="hold" label="Held for" value={filter.hold?.[0]} counts={facets?.hold} url={url} />
        <Choice name="site" label="Site" value={filter.site} counts={facets?.site} url={url} />
        {isFiltered(filter) && (
          <button type="button" onClick={url.clear}>
            Show all
          </button>
        )}
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly counts: Readonly<Record<string, number>> | undefined;
  readonly url: Url;
}

function Choice({ name, label, value = "", counts = {}, url }: ChoiceProps): ReactNode {
  const words = Object.keys(counts).filter(Boolean);
  if (words.length === 0 && !value) return null;
  const all = value && !words.includes(value) ? [value, ...words] : words;
  return (
    <label className="choice">
      <span className="label">{label}</span>
      <select value={value} onChange={({ target }) => url.set(name, target.value)}>
        <option value="">all</option>
        {all.map((word) => (
          <option key={word} value={word}>
            {word} ({counts[word] ?? 0})
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is typed is applied at once to the rows that are here, and asked for when the typing pauses. */
function Text({
  value = "",
  url,
  typed,
  onType,
}: Omit<FilterBarProps, "filter" | "facets"> & { value: string | undefined }): ReactNode {
  useEffect(() => onType(value), [value, onType]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => url.set("text", typed.trim(), { replace: true }), 120);
    return () => clearTimeout(timer);
  }, [typed, value, url.set]);
  return (
    <label className="grow">
      <span className="label">
        Find in names, people, campaigns and reasons <kbd className="hide-narrow">/</kbd>
      </span>
      <input type="search" value={typed} onChange={({ target }) => onType(target.value)} />
    </label>
  );
}
