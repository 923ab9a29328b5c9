import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useKeys } from "./keys.tsx";

export interface Column<T> {
  readonly key: string;
  readonly title: ReactNode;
  /** As in grid-template-columns. */
  readonly width: string;
  readonly cell: (row: T) => ReactNode;
  readonly end?: boolean;
  /** Where the list can be sorted by it. */
  readonly sort?: string;
}

interface GridProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  /** All there are, those not read yet included. */
  readonly total: number;
  readonly columns: readonly Column<T>[];
  readonly idOf: (row: T) => string;
  readonly onOpen: (row: T) => void;
  /** Somebody scrolls towards the end of what was read. */
  readonly onNearEnd?: () => void;
  readonly selection?: Selection<T>;
  readonly sort?: { readonly by: string | null; readonly onSort: (by: string) => void };
  readonly leastWidth?: string;
}
export interface Selection<T> {
  readonly has: (row: T) => boolean;
  readonly toggle: (row: T) => void;
  readonly toggleAll: () => void;
  readonly all: boolean;
}

const ROW = 44;

/** Rows of one height, of which only those in sight exist; j and k move, x selects, Enter opens. */
export function Grid<T>(props: GridProps<T>): ReactNode {
  const { rows, columns, idOf, selection, onOpen, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ readonly id: string; readonly place: number } | null>(null);
  const wanted = useRef<string | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 20) onNearEnd?.();
  }, [last, rows.length, onNearEnd]);

  // The list may be read again in another order: the place is that of the row, as long as it is there.
  const found = at === null ? 0 : rows.findIndex((row) => idOf(row) === at.id);
  const place = found >= 0 ? found : Math.min(at!.place, rows.length - 1);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    const id = idOf(rows[next]!);
    setAt({ id, place: next });
    wanted.current = id;
    virtual.scrollToIndex(next);
  };
  // A row that was out of sight is made only after the list has scrolled.
  useEffect(() => {
    if (wanted.current === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(wanted.current)}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus();
  });
  const current = rows[place];
  const isMine = () => document.activeElement === document.body || scroller.current?.contains(document.activeElement);
  useKeys({
    j: ["next row", () => go(at === null ? 0 : place + 1)],
    k: ["row before", () => go(place - 1)],
    ...(selection && { x: ["select the row, or not", () => current && selection.toggle(current)] }),
    Enter: ["open the row", () => at !== null && current && isMine() && onOpen(current)],
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    go(to);
  };
  const widths = columns.map(({ width }) => width);
  const template = (selection ? ["40px", ...widths] : widths).join(" ");
  const style = {
    "--columns": template,
    "--least": props.leastWidth ?? "0",
    height: gridHeight(rows.length),
  } as object;
  return (
    <div
      className="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.total + 1}
      aria-multiselectable={selection !== undefined}
      ref={scroller}
      style={style}
      onKeyDown={onKeyDown}
    >
      <Head {...props} />
      <div className="rows" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <div
              key={idOf(row)}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selection?.has(row)}
              data-id={idOf(row)}
              tabIndex={index === place ? 0 : -1}
              style={{ transform: `translateY(${start}px)` }}
              onFocus={() => setAt({ id: idOf(row), place: index })}
              onDoubleClick={() => onOpen(row)}
            >
              {selection && (
                <span role="gridcell">
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={`select ${idOf(row)}`}
                    checked={selection.has(row)}
                    onChange={() => selection.toggle(row)}
                  />
                </span>
              )}
              {columns.map(({ key, cell, end }) => (
                <span key={key} role="gridcell" className={end ? "end number" : undefined}>
                  {cell(row)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** As high as its rows, and never higher than the screen leaves it. */
const gridHeight = (rows: number): string => `min(${rows * ROW + 34}px, max(320px, calc(100dvh - 17rem)))`;

function Head<T>({ columns, selection, sort }: GridProps<T>): ReactNode {
  return (
    <div role="rowgroup" className="head">
      <div role="row" aria-rowindex={1}>
        {selection && (
          <span role="columnheader">
            <input
              type="checkbox"
              aria-label="select all that are shown"
              checked={selection.all}
              onChange={selection.toggleAll}
            />
          </span>
        )}
        {columns.map(({ key, title, end, sort: by }) => (
          <span
            key={key}
            role="columnheader"
            className={end ? "end" : undefined}
            aria-sort={by && sort ? (sort.by === by ? "other" : "none") : undefined}
          >
            {by && sort ? (
              <button type="button" onClick={() => sort.onSort(by)}>
                {title} <span aria-hidden="true">{sort.by === by ? "▾" : ""}</span>
              </button>
            ) : (
              title
            )}
          </span>
        ))}
      </div>
    </div>
  );
}
