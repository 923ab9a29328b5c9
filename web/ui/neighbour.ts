import type { Layers } from "./layers.ts";

/** Where an arrow key leads; null: it is none, or there is nothing there. */
export function neighbour({ rows, places }: Layers, id: string, key: string): string | null {
  const place = places.get(id);
  const row = place && rows[place.row];
  if (!place || !row) return rows[0]?.[0] ?? null;
  const nearest = (others: readonly string[] = []) =>
    others.toSorted(
      (a, b) => Math.abs(places.get(a)!.column - place.column) - Math.abs(places.get(b)!.column - place.column),
    )[0];
  const to = {
    ArrowLeft: row[row.indexOf(id) - 1],
    ArrowRight: row[row.indexOf(id) + 1],
    ArrowUp: nearest(rows[place.row - 1]),
    ArrowDown: nearest(rows[place.row + 1]),
    Home: rows[0]?.[0],
    End: rows.at(-1)?.at(-1),
  }[key];
  return to ?? null;
}
