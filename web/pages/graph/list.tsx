import { type ReactNode, useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { useList } from "../../api/queries.ts";
import { nodeHref } from "../../job-links.ts";
import { Problem } from "../../problem.tsx";
import { Empty, Loading } from "../../ui/banner.tsx";
import { Grid } from "../../ui/grid.tsx";
import { useNarrow } from "../../ui/narrow.ts";
import { useUrlState } from "../../url-state.ts";
import { count } from "../../words.ts";
import { listColumns, timeColumns } from "./columns.tsx";
import { Filter, isState } from "./filter.tsx";
import { axisOf, byBeginning } from "./timeline.ts";

/** Along the time all of it is wanted at once, so that the axis stays. */
const [A_PAGE, A_LONG_PAGE] = [500, 5000];

/** Jobs as rows, chosen by state and name: with what each used, or along one time. */
export function JobList({ name, isAlongTime }: { name: string; isAlongTime: boolean }): ReactNode {
  const url = useUrlState();
  const states = url.all("state").filter(isState);
  const text = url.get("text") ?? "";
  const filter = { ...(states.length > 0 && { state: states }), ...(text && { text }) };
  const list = useList("results.list", { name, limit: isAlongTime ? A_LONG_PAGE : A_PAGE, ...filter });
  const { first, query } = list;
  return (
    <>
      <Filter />
      {query.error && <Problem error={query.error} />}
      {!first && !query.error && <Loading what="the jobs" />}
      {first?.round === null && (
        <Empty title="Nothing was planned yet">
          <p>
            Its jobs appear with its first round: <code>wms2 show {name}</code>
          </p>
        </Empty>
      )}
      {first?.gone && (
        <Empty title="Its submit directory was removed">
          <p>The results of its jobs were removed with it.</p>
        </Empty>
      )}
      {first && first.round !== null && !first.gone && list.items.length === 0 && !query.hasNextPage && (
        <Empty title="No job matches">
          <button type="button" onClick={url.clear}>
            Show all
          </button>
        </Empty>
      )}
      {list.items.length > 0 && <Rows name={name} list={list} isAlongTime={isAlongTime} />}
    </>
  );
}

interface RowsProps {
  readonly name: string;
  readonly list: ReturnType<typeof useList<"results.list">>;
  readonly isAlongTime: boolean;
}

function Rows({ name, list, isAlongTime }: RowsProps): ReactNode {
  const [, go] = useLocation();
  const isNarrow = useNarrow();
  const { items, query, first } = list;
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const rows = useMemo(() => (isAlongTime ? byBeginning(items) : items), [items, isAlongTime]);
  const axis = useMemo(() => (isAlongTime ? axisOf(items) : null), [items, isAlongTime]);
  const columns = isAlongTime ? timeColumns(name, axis, isNarrow) : listColumns(name, isNarrow);
  const more = hasNextPage ? " read so far" : "";
  const credited = first?.credited ? `, ${count(first.credited, "job")} done by an earlier version` : "";
  const open = isAlongTime ? items.filter(({ ended_at }) => ended_at === null).length : 0;
  return (
    <>
      <p className="quiet number live">
        {count(items.length, "job")}
        {more}
        {credited}
        {open > 0 && `; ${open.toLocaleString("en")} without a bar, as no attempt has ended`}
      </p>
      <Grid
        label="Jobs"
        rows={rows}
        total={items.length}
        columns={columns}
        idOf={({ unit, node }) => `${unit}/${node}`}
        onOpen={(row) => go(nodeHref(name, row))}
        onNearEnd={onNearEnd}
        {...(!isNarrow && { leastWidth: isAlongTime ? "44rem" : "59rem" })}
      />
    </>
  );
}
