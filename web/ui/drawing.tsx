import { type KeyboardEvent, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { Letter, type Tone } from "./badge.tsx";
import { type Edges, inLayers, type Layers } from "./layers.ts";
import { neighbour } from "./neighbour.ts";

interface DrawnNode {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly tone: Tone;
  readonly letter: string;
  readonly href: string;
}
interface DrawingProps {
  readonly label: string;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly Edges[];
}

/** More cannot be read. */
export const MOST_DRAWN = 100;
const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [156, 42, 14, 34];
const [STEP_X, STEP_Y] = [WIDTH + GAP_X, HEIGHT + GAP_Y];
/** From the nodes to the frame around them. */
const AROUND = 8;

/** What waits for what, from top to bottom. Arrow keys move between the nodes, Enter opens one. */
export function Drawing({ label, nodes, edges }: DrawingProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  const [at, setAt] = useState<string | null>(null);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setRoom(Math.floor(entry!.contentRect.width)));
    watch.observe(frame.current!);
    return () => watch.disconnect();
  }, []);
  const across = Math.max(1, Math.floor((room + GAP_X) / (WIDTH + GAP_X)));
  const layers = useMemo(
    () =>
      inLayers(
        nodes.map(({ id }) => id),
        edges,
        across,
      ),
    [nodes, edges, across],
  );
  const first = layers.rows[0]?.[0];
  const current = at !== null && layers.places.has(at) ? at : first;
  const [width, height] = [layers.columns * STEP_X - GAP_X, layers.rows.length * STEP_Y - GAP_Y];
  const onKeyDown = (event: KeyboardEvent) => {
    const to = current === undefined ? null : neighbour(layers, current, event.key);
    if (to === null) return;
    event.preventDefault();
    setAt(to);
    frame.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(to)}"]`)?.focus();
  };
  return (
    <div
      ref={frame}
      className="drawing live"
      role="group"
      aria-label={`${label} Arrow keys move.`}
      onKeyDown={onKeyDown}
    >
      <div className="sheet" style={{ width, height }}>
        <Lines layers={layers} width={width} height={height} at={at} />
        {nodes.map(({ id, name, state, tone, letter, href }) => (
          <Link
            key={id}
            href={href}
            data-id={id}
            className={`node tone-${tone}`}
            style={{ ...placeOf(layers, id), width: WIDTH, height: HEIGHT }}
            tabIndex={id === current ? 0 : -1}
            aria-label={`${name}: ${state}`}
            title={`${name}: ${state}`}
            onFocus={() => setAt(id)}
          >
            <Letter tone={tone} letter={letter} />
            <span className="name">{name}</span>
          </Link>
        ))}
      </div>
    </div>
  );
}

const placeOf = ({ places }: Layers, id: string) => ({
  left: places.get(id)!.column * STEP_X,
  top: places.get(id)!.row * STEP_Y,
});

interface LinesProps {
  readonly layers: Layers;
  readonly width: number;
  readonly height: number;
  readonly at: string | null;
}

/** What waits for what, and frames around those that wait for the same. */
function Lines({ layers, width, height, at }: LinesProps): ReactNode {
  const frameOf = (id: string) => layers.frames.find((frame) => frame.id === id);
  const isNear = (id: string) => at !== null && (id === at || frameOf(id)?.members.has(at));
  const end = (id: string, side: "from" | "to"): readonly [x: number, y: number] => {
    const frame = frameOf(id);
    if (frame && side === "from") return [width / 2, frame.last * STEP_Y + HEIGHT + AROUND];
    if (frame) return [width / 2, frame.first * STEP_Y - AROUND];
    const { left, top } = placeOf(layers, id);
    return [left + WIDTH / 2, side === "from" ? top + HEIGHT : top];
  };
  return (
    <svg width={width} height={height} aria-hidden="true">
      {layers.frames.map(({ id, first, last }) => (
        <rect
          key={id}
          x={-AROUND}
          y={first * STEP_Y - AROUND}
          width={width + 2 * AROUND}
          height={(last - first) * STEP_Y + HEIGHT + 2 * AROUND}
          rx={8}
        />
      ))}
      {layers.lines.map(([from, to]) => (
        <path
          key={`${from} ${to}`}
          className={isNear(from) || isNear(to) ? "near" : undefined}
          d={curve(...end(from, "from"), ...end(to, "to"))}
        />
      ))}
    </svg>
  );
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}
