import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type UIEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type Block, blocksWithin, type Layout, moveFrom } from "./layout.ts";
import { CELL_TONE, letterOf, wordsOf } from "./words.ts";

const ROW = 32;
/** Of what is beside the part in sight, so much is drawn as well. */
const BESIDE = 400;

interface FillGridProps {
  readonly label: string;
  readonly layout: Layout;
  readonly chosen: string | null;
  readonly onChoose: (node: string) => void;
  /** How many pixels there are for the time. */
  readonly onRoom: (room: number) => void;
}

/** A line for each product, a block for each chunk, as long as the time it covers. Only what is in sight exists. */
export function FillGrid({ label, layout, chosen, onChoose, onRoom }: FillGridProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [isMoving, setMoving] = useState(false);
  const { sight, onScroll } = useSight(scroller, onRoom);
  const { lines, width, ticks } = layout;
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const reached = chosen ?? lines.find(({ blocks }) => blocks.length > 0)?.blocks[0]?.node ?? null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const next = moveFrom(lines, reached, event.key);
    if (next === null) return;
    setMoving(true);
    virtual.scrollToIndex(lines.findIndex(({ blocks }) => blocks.some(({ node }) => node === next)));
    onChoose(next);
  };
  // A block that was out of sight is there only after the list has scrolled.
  useEffect(() => {
    const block = isMoving ? scroller.current?.querySelector<HTMLElement>("[aria-current=true]") : null;
    if (!block) return;
    block.focus();
    setMoving(false);
  });
  const style = { "--time": `${width}px`, height: `min(${lines.length * ROW + 40}px, max(280px, 100dvh - 24rem))` };
  return (
    <div
      className="fill-grid"
      role="grid"
      aria-label={label}
      aria-rowcount={lines.length + 1}
      ref={scroller}
      style={style as object}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <Times ticks={ticks} />
      <div className="lines" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <Row key={index} index={index} top={start} line={lines[index]!} {...{ sight, chosen, reached, onChoose }} />
        ))}
      </div>
    </div>
  );
}

interface Sight {
  readonly left: number;
  readonly width: number;
}

/** Which part of the time is in sight, and how much room there is for it. */
function useSight(scroller: RefObject<HTMLDivElement | null>, onRoom: (room: number) => void) {
  const [sight, setSight] = useState<Sight>({ left: 0, width: 1200 });
  useLayoutEffect(() => {
    const box = scroller.current!;
    const measure = () => {
      onRoom(box.clientWidth - box.querySelector<HTMLElement>(".name")!.offsetWidth - 2);
      setSight({ left: box.scrollLeft, width: box.clientWidth });
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, [scroller, onRoom]);
  const onScroll = ({ currentTarget: { scrollLeft, clientWidth } }: UIEvent<HTMLDivElement>) => {
    if (Math.abs(scrollLeft - sight.left) > BESIDE / 2) setSight({ left: scrollLeft, width: clientWidth });
  };
  return { sight, onScroll };
}

const Times = ({ ticks }: Pick<Layout, "ticks">): ReactNode => (
  <div className="times" role="row" aria-rowindex={1}>
    <div className="name" role="columnheader">
      Product
    </div>
    <div role="columnheader" aria-label="Time">
      {ticks.map(({ left, text }) => (
        <span key={text} className="tick number" style={{ left }}>
          {text}
        </span>
      ))}
    </div>
  </div>
);

interface RowProps extends Pick<FillGridProps, "chosen" | "onChoose"> {
  readonly index: number;
  readonly top: number;
  readonly line: Layout["lines"][number];
  readonly sight: Sight;
  /** The one that the tab key reaches. */
  readonly reached: string | null;
}

const Row = ({ index, top, line, sight, chosen, reached, onChoose }: RowProps): ReactNode => (
  <div role="row" aria-rowindex={index + 2} className="line" style={{ transform: `translateY(${top}px)` }}>
    <div className="name" role="rowheader" title={`${line.component} ${line.product}`}>
      <b>{line.component}</b> <span>{line.product}</span>
    </div>
    {blocksWithin(line, sight.left - BESIDE, sight.left + sight.width + BESIDE).map((block) => (
      <Cell
        key={block.node}
        block={block}
        isChosen={block.node === chosen}
        isReached={block.node === reached}
        onChoose={onChoose}
      />
    ))}
  </div>
);

interface CellProps {
  readonly block: Block;
  readonly isChosen: boolean;
  readonly isReached: boolean;
  readonly onChoose: (node: string) => void;
}

const Cell = ({ block: { node, state, left, width }, isChosen, isReached, onChoose }: CellProps): ReactNode => (
  <button
    type="button"
    role="gridcell"
    className={`cell tone-${CELL_TONE[state]}`}
    style={{ left: `calc(var(--name) + ${left}px)`, width }}
    aria-label={`${node}: ${wordsOf(state)}`}
    aria-current={isChosen}
    title={`${node}: ${wordsOf(state)}`}
    tabIndex={isReached ? 0 : -1}
    onClick={() => onChoose(node)}
  >
    <span aria-hidden="true">{letterOf(state)}</span>
  </button>
);
