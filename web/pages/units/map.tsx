import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type Layout, layOut, unitAt, unitsWithin } from "./layout.ts";
import { isDarkPixel, paintCells, pixel } from "./paint.ts";

interface MapProps {
  readonly label: string;
  readonly colours: Uint32Array;
  /** Drawn where a cell has room for it. */
  readonly signOf: (unit: number) => string;
  readonly chosen: ReadonlySet<number>;
  readonly onChoose: (units: readonly number[], how: "only" | "toggle") => void;
  readonly onOpen: (unit: number) => void;
  /** What is told of the unit under the pointer or the cursor. */
  readonly tell: (unit: number) => string;
}

/** Every unit of a round as a cell of one picture: no layout to compute, no element for each, no GPU. */
export function UnitMap({ label, colours, signOf, chosen, onChoose, onOpen, tell }: MapProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  const from = useRef<{ x: number; y: number } | null>(null);
  const count = colours.length;
  const layout = layOut(count, Math.max(width, 100), 560);
  const height = layout.rows * layout.pitch;

  useLayoutEffect(() => {
    const parent = canvas.current?.parentElement;
    if (!parent) return;
    const watch = new ResizeObserver(() => setWidth(Math.floor(parent.clientWidth)));
    watch.observe(parent);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || width === 0) return;
    const frame = pixel(matchesDark() ? "#ffffff" : "#000000");
    const image = context.createImageData(width, height);
    paintCells(new Uint32Array(image.data.buffer), width, layout, colours, chosen, frame);
    context.putImageData(image, 0, 0);
    if (layout.cell >= ROOM_PX) drawSigns(context, layout, colours, signOf);
  });

  const place = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const onPointerUp = (event: PointerEvent) => {
    const [start, end] = [from.current, place(event)];
    from.current = null;
    if (!start) return;
    const how = event.shiftKey || event.ctrlKey || event.metaKey ? "toggle" : "only";
    onChoose(unitsWithin(layout, count, start, end), how);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = at ?? -1;
    const to = {
      ArrowRight: now + 1,
      ArrowLeft: now - 1,
      ArrowDown: now + layout.columns,
      ArrowUp: now - layout.columns,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) setAt(Math.max(0, Math.min(count - 1, to)));
    else if (event.key === " " && at !== null) onChoose([at], "toggle");
    else if (event.key === "Enter" && at !== null) onOpen(at);
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <div
        className="map-frame"
        role="application"
        aria-label={`${label} Arrow keys move, space selects, Enter opens.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: role application takes the keys itself
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <canvas
          ref={canvas}
          className="map live"
          width={Math.max(1, width)}
          height={Math.max(1, height)}
          onPointerDown={(event) => {
            from.current = place(event);
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            const { x, y } = place(event);
            setAt(unitAt(layout, count, x, y));
          }}
          onPointerUp={onPointerUp}
          onDoubleClick={() => at !== null && onOpen(at)}
        />
      </div>
      <p className="quiet number told" aria-live="polite">
        {at === null || at >= count
          ? "Point at a unit, press twice to open it, or draw a rectangle to select some."
          : tell(at)}
      </p>
    </div>
  );
}

/** Cells from here on have a letter beside their colour; there are a few thousand of them at most. */
const ROOM_PX = 16;

function drawSigns(
  context: CanvasRenderingContext2D,
  { columns, pitch, cell }: Layout,
  colours: Uint32Array,
  signOf: (unit: number) => string,
): void {
  context.font = `600 ${Math.floor(cell * 0.55)}px ui-monospace, monospace`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [unit, colour] of colours.entries()) {
    context.fillStyle = isDarkPixel(colour) ? "#ffffff" : "#17191a";
    const [x, y] = [(unit % columns) * pitch + cell / 2, Math.floor(unit / columns) * pitch + cell / 2 + 1];
    context.fillText(signOf(unit), x, y);
  }
}

const matchesDark = (): boolean =>
  getComputedStyle(document.documentElement).colorScheme === "dark" ||
  (document.documentElement.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
