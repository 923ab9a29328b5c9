import fc from "fast-check";
import { expect, test } from "vitest";
import { type Edges, inLayers } from "./layers.ts";
import { neighbour } from "./neighbour.ts";

/** Any graph without circles: whoever waits comes later. */
const graphs = fc
  .integer({ min: 1, max: 40 })
  .chain((size) =>
    fc
      .array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 80 })
      .map((pairs): { ids: string[]; edges: Edges[] } => ({
        ids: Array.from({ length: size }, (_, at) => `n${at}`),
        edges: pairs
          .filter(([a, b]) => a !== b)
          .map(([a, b]) => ({ from: [`n${Math.min(a, b)}`], to: [`n${Math.max(a, b)}`] })),
      })),
  );
const across = fc.integer({ min: 1, max: 12 });

test("every line goes down, no two nodes stand in one place, and no row is wider than the room", () => {
  fc.assert(
    fc.property(graphs, across, ({ ids, edges }, room) => {
      const { places, rows, columns, lines, frames } = inLayers(ids, edges, room);
      const frame = (id: string) => frames.find((each) => each.id === id);
      for (const [from, to] of lines)
        expect(frame(from)?.last ?? places.get(from)!.row).toBeLessThan(frame(to)?.first ?? places.get(to)!.row);
      for (const { members, first, last } of frames)
        expect(
          rows
            .slice(first, last + 1)
            .flat()
            .toSorted(),
        ).toEqual([...members].toSorted());
      expect(new Set([...places.values()].map(({ row, column }) => `${row} ${column}`)).size).toBe(ids.length);
      expect(columns).toBeLessThanOrEqual(room);
      expect(rows.every((row) => row.length > 0)).toBe(true);
    }),
  );
});

test("arrow keys lead from any node to any other", () => {
  fc.assert(
    fc.property(graphs, across, ({ ids, edges }, room) => {
      const layers = inLayers(ids, edges, room);
      const seen = new Set([ids.at(-1)!]);
      for (const id of seen)
        for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
          const next = neighbour(layers, id, key);
          if (next) seen.add(next);
        }
      expect(seen.size).toBe(ids.length);
    }),
    { numRuns: 40 },
  );
});

test("a unit as it is drawn: landing, its jobs, merge, cleanup", () => {
  const layers = inLayers(
    ["cleanup", "landing", "merge", "p0", "p1", "p2"],
    [
      { from: ["landing"], to: ["p0", "p1", "p2"] },
      { from: ["p0", "p1", "p2"], to: ["merge"] },
      { from: ["merge"], to: ["cleanup"] },
    ],
    2,
  );
  expect(layers.rows).toEqual([["landing"], ["p0", "p1"], ["p2"], ["merge"], ["cleanup"]]);
  expect(layers.lines).toEqual([
    ["landing", "frame 0"],
    ["frame 0", "merge"],
    ["merge", "cleanup"],
  ]);
  expect(layers.places.get("landing")).toEqual({ row: 0, column: 0.5 });
  expect(neighbour(layers, "landing", "ArrowDown")).toBe("p0");
  expect(neighbour(layers, "landing", "ArrowUp")).toBeNull();
  expect(neighbour(layers, "gone", "ArrowDown")).toBe("landing");
});

test("lines that would cross do not: each stands below the one it waits for", () => {
  const edges = [
    { from: ["a"], to: ["y"] },
    { from: ["b"], to: ["x"] },
  ];
  expect(inLayers(["a", "b", "x", "y"], edges, 9).rows).toEqual([
    ["a", "b"],
    ["y", "x"],
  ]);
});

test("a circle is drawn all the same", () => {
  const edges = [
    { from: ["a"], to: ["b"] },
    { from: ["b"], to: ["a"] },
  ];
  expect(inLayers(["a", "b"], edges, 9).rows).toEqual([["a", "b"]]);
});
