import { type PointerEvent, useState } from "react";

interface Drag {
  readonly id: string;
  /** The row under the pointer. */
  readonly over: string | null;
}

/** Rows that are moved by a handle: `data-id` says which row is which. What is over is told while the pointer moves. */
export function useDrag(onDrop: (id: string, over: string) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const rowAt = ({ clientX, clientY }: PointerEvent): string | null =>
    document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-id]")?.dataset.id ?? null;
  const handleOf = (id: string) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ id, over: id });
    },
    onPointerMove: (event: PointerEvent) => drag && setDrag({ ...drag, over: rowAt(event) }),
    onPointerUp: (event: PointerEvent) => {
      const over = drag && rowAt(event);
      setDrag(null);
      if (drag && over !== null && over !== drag.id) onDrop(drag.id, over);
    },
    onPointerCancel: () => setDrag(null),
  });
  return { drag, handleOf };
}
