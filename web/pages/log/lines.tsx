import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { type Line, pieces } from "./window.ts";

interface LinesProps {
  readonly label: string;
  readonly lines: readonly Line[];
  /** The place of the line that the address names; -1: none. */
  readonly chosen: number;
  readonly wanted: string;
  /** Whether the end is to be seen first. */
  readonly isAtEnd: boolean;
  readonly hrefOf: (from: number) => string;
}

const ROW = 24;

/** Lines of one height, of which only those in sight exist. Arrow keys move, Enter chooses a line: its address is a link. */
export function Lines({ label, lines, chosen, wanted, isAtEnd, hrefOf }: LinesProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const focus = useRef<number | null>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  // Where to look first: at the line that was chosen, else at the end of the log, else at the top.
  useEffect(() => {
    if (chosen >= 0) virtual.scrollToIndex(chosen, { align: "center" });
    else virtual.scrollToIndex(isAtEnd ? lines.length - 1 : 0);
  }, [lines[0]?.from, lines.length, chosen, isAtEnd]);
  // A line that was out of sight is made only after the window has scrolled.
  useEffect(() => {
    if (focus.current === null) return;
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${focus.current}"] a`);
    if (!link) return;
    focus.current = null;
    link.focus();
  });
  const place = Math.min(at ?? Math.max(0, chosen), lines.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: lines.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(lines.length - 1, to));
    setAt(next);
    focus.current = next;
    virtual.scrollToIndex(next);
  };
  return (
    <div
      ref={scroller}
      className="log-lines"
      role="region"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      style={{ height: `min(${lines.length * ROW + 18}px, max(320px, calc(100dvh - 24rem)))` }}
      onKeyDown={onKeyDown}
    >
      <ol style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <li
            key={lines[index]!.from}
            data-index={index}
            aria-current={index === chosen ? "location" : undefined}
            style={{ transform: `translateY(${start}px)` }}
            onFocus={() => setAt(index)}
          >
            <Row line={lines[index]!} wanted={wanted} href={hrefOf(lines[index]!.from)} isNext={index === place} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface RowProps {
  readonly line: Line;
  readonly wanted: string;
  readonly href: string;
  /** Whether the tab key leads to it. */
  readonly isNext: boolean;
}

const Row = ({ line: { from, number, text }, wanted, href, isNext }: RowProps): ReactNode => (
  <>
    <Link
      href={href}
      tabIndex={isNext ? 0 : -1}
      aria-label={number === null ? `Link to byte ${from}` : `Link to line ${number}`}
    >
      {(number ?? from).toLocaleString("en")}
    </Link>
    <code>{pieces(text, wanted).map((piece, part) => (part % 2 === 1 ? <mark key={part}>{piece}</mark> : piece))}</code>
  </>
);
