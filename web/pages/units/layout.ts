/** Where each unit of a round stands on a map: cells of one size, row by row, all of them in sight. */
export interface Layout {
  readonly columns: number;
  readonly rows: number;
  /** From one cell to the next, in pixels. */
  readonly pitch: number;
  /** What is coloured of it. */
  readonly cell: number;
}

const LARGEST = 30;
const LEAST = 2;

export function layOut(count: number, width: number, height: number): Layout {
  let pitch = LARGEST;
  while (pitch > LEAST && Math.ceil(count / Math.max(1, Math.floor(width / pitch))) * pitch > height) pitch--;
  const columns = Math.max(1, Math.min(count, Math.floor(width / pitch)));
  const gap = pitch >= 10 ? 2 : pitch >= 4 ? 1 : 0;
  return { columns, rows: Math.ceil(count / columns), pitch, cell: pitch - gap };
}

/** The unit at a point; null: there is none. */
export function unitAt({ columns, rows, pitch }: Layout, count: number, x: number, y: number): number | null {
  const [column, row] = [Math.floor(x / pitch), Math.floor(y / pitch)];
  const index = row * columns + column;
  return column >= 0 && column < columns && row >= 0 && row < rows && index < count ? index : null;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The units that a rectangle touches. */
export function unitsWithin({ columns, rows, pitch }: Layout, count: number, a: Point, b: Point): number[] {
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, Math.floor(value / pitch)));
  const [left, right] = [clamp(Math.min(a.x, b.x), columns - 1), clamp(Math.max(a.x, b.x), columns - 1)];
  const [top, bottom] = [clamp(Math.min(a.y, b.y), rows - 1), clamp(Math.max(a.y, b.y), rows - 1)];
  const found: number[] = [];
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++)
      if (row * columns + column < count) found.push(row * columns + column);
  return found;
}
