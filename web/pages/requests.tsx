import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { ACTION, OPERATOR_ACTIONS, type OperatorAction } from "../../src/recovery/round/actions.ts";
import { ActOnMany, type BulkItem } from "../act/many.tsx";
import { useAnswer, useList } from "../api/queries.ts";
import { AsText } from "../as-text.tsx";
import { Problem } from "../problem.tsx";
import { requestHref } from "../request-status.tsx";
import { Empty, Loading } from "../ui/banner.tsx";
import { Command } from "../ui/copy-button.tsx";
import { Grid, type Selection } from "../ui/grid.tsx";
import { useNarrow } from "../ui/narrow.ts";
import { useUrlState } from "../url-state.ts";
import { count } from "../words.ts";
import { COLUMNS, NARROW, type RequestRow } from "./requests/columns.tsx";
import { cliFilter, cliList, type Filter, isFiltered, isLike, readFilter, readSort } from "./requests/filter.ts";
import { FilterBar } from "./requests/filter-bar.tsx";

/** What is where: the filter is the address, the bulk filter and the CLI line. */
export function RequestsPage(): ReactNode {
  const [, go] = useLocation();
  const url = useUrlState();
  const filter = readFilter(url);
  const sort = readSort(url);
  const isNarrow = useNarrow();
  const list = useList("requests.list", { ...filter, sort, limit: 200 });
  const counted = useAnswer("requests.list", { ...filter, limit: 1, facets: "true" }, { keep: true });
  const facets = counted.data?.facets ?? null;
  const total = facets?.requests ?? list.items.length;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setWhole] = useState(false);
  const { query } = list;
  const [typed, setTyped] = useState(filter.text ?? "");
  const isAhead = query.isPlaceholderData || typed.trim() !== (filter.text ?? "");
  const items = isAhead ? list.items.filter((row) => isLike(row, typed)) : list.items;
  const selection: Selection<RequestRow> = {
    has: ({ request_name }) => isWhole || selected.has(request_name),
    toggle: ({ request_name: name }) => {
      setWhole(false);
      setSelected(
        selected.has(name) ? new Set([...selected].filter((other) => other !== name)) : new Set([...selected, name]),
      );
    },
    toggleAll: () =>
      setSelected(selected.size === items.length ? new Set() : new Set(items.map((row) => row.request_name))),
    all: items.length > 0 && selected.size === items.length,
  };
  const more = () => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage();
  return (
    <>
      <div className="title">
        <h1>Requests</h1>
        <span className="quiet number live">
          {count(total, "request")}
          {facets &&
            facets.units.total > 0 &&
            ` · ${facets.units.done.toLocaleString("en")} of ${count(facets.units.total, "work unit")} done`}
        </span>
        <div className="end">
          <AsText cli={cliList(filter)} operation="requests.list" input={{ ...filter, sort }} />
        </div>
      </div>
      <FilterBar {...{ filter, facets, url, typed }} onType={setTyped} />
      {query.error && <Problem error={query.error} />}
      {query.isLoading || (isAhead && items.length === 0) ? (
        <Loading what="the requests" />
      ) : items.length === 0 ? (
        !query.error && <Nothing filter={filter} onClear={url.clear} />
      ) : (
        <Grid
          label="Requests"
          rows={items}
          total={total}
          columns={isNarrow ? NARROW : COLUMNS}
          idOf={({ request_name }) => request_name}
          onOpen={({ request_name }) => go(requestHref(request_name))}
          onNearEnd={more}
          selection={selection}
          leastWidth={isNarrow ? "0" : "60rem"}
          sort={{ by: sort, onSort: (by) => url.set("sort", by === sort ? null : by) }}
        />
      )}
      {(selected.size > 0 || isWhole) && (
        <BulkBar
          {...{ filter, isWhole, selected }}
          onWhole={() => setWhole(true)}
          onClear={() => {
            setSelected(new Set());
            setWhole(false);
          }}
          onDone={(done) => {
            setWhole(false);
            setSelected(
              new Set(
                done
                  .filter(({ outcome }) => outcome !== "done" && outcome !== "already")
                  .map((item) => item.request_name),
              ),
            );
          }}
        />
      )}
    </>
  );
}

interface BulkBarProps {
  readonly filter: Filter;
  readonly isWhole: boolean;
  readonly selected: ReadonlySet<string>;
  readonly onWhole: () => void;
  readonly onClear: () => void;
  readonly onDone: (items: readonly BulkItem[]) => void;
}

/** What may be done with those that are selected; every one is looked at first. */
function BulkBar({ filter, isWhole, selected, onWhole, onClear, onDone }: BulkBarProps): ReactNode {
  const [action, setAction] = useState<OperatorAction | null>(null);
  const names = [...selected];
  return (
    <section className="bulk" aria-label="Selected requests">
      <b className="number">{isWhole ? "All that match" : `${count(names.length, "request")} selected`}</b>
      {!isWhole && isFiltered(filter) && (
        <button type="button" className="plain" onClick={onWhole}>
          Select all that match the filter
        </button>
      )}
      <label className="inline">
        <span className="visually-hidden">Action</span>
        <select value="" onChange={({ target }) => setAction(target.value as OperatorAction)}>
          <option value="">Action …</option>
          {OPERATOR_ACTIONS.map((word) => (
            <option key={word} value={word}>
              {word}: {ACTION[word].meaning}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={onClear}>
        Clear
      </button>
      {action && (
        <ActOnMany
          action={action}
          target={isWhole ? { filter: filter } : { names }}
          cliFilter={cliFilter(filter)}
          onClose={() => setAction(null)}
          onDone={onDone}
        />
      )}
    </section>
  );
}

function Nothing({ filter, onClear }: { filter: Filter; onClear: () => void }): ReactNode {
  if (isFiltered(filter))
    return (
      <Empty title="No request matches">
        <button type="button" onClick={onClear}>
          Show all
        </button>
      </Empty>
    );
  return (
    <Empty title="There are no requests yet">
      <p>Submit one from a terminal; it shows up here by itself. The example takes less than a minute:</p>
      <Command text="wms2 submit examples/generate.yaml" />
      <p>
        What a request looks like: <Link href="/requests">examples/</Link> and <code>docs/requests.md</code> of the
        installation.
      </p>
    </Empty>
  );
}
