import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksWithin, type CellState, layOut, moveFrom } from "./layout.ts";

const row = (component: string, length: number, begin: number, count: number, state: CellState = "done") => ({
  component,
  product: `ts-${length}`,
  length_months: length,
  cells: Array.from({ length: count }, (_, at) => ({
    node: `${component}/${length}/${at}`,
    due: begin + (at + 1) * length,
    state,
  })),
});
const rows = fc.array(fc.record({ length: fc.integer({ min: 1, max: 240 }), count: fc.integer({ min: 0, max: 40 }) }), {
  minLength: 1,
  maxLength: 6,
});

test("blocks do not overlap, are wide enough to be pressed, and stay within the grid", () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 100, max: 3000 }), (shapes, room) => {
      const made = shapes.map(({ length, count }, at) => row(`c${at}`, length, 12, count));
      const to = Math.max(24, ...made.flatMap(({ cells }) => cells.map(({ due }) => due)));
      const { lines, width } = layOut({ rows: made, range: { from: 12, to } }, room);
      expect(width).toBeGreaterThanOrEqual(room - 0.001);
      for (const { blocks } of lines)
        for (const [at, block] of blocks.entries()) {
          expect(block.width).toBeGreaterThanOrEqual(23.999);
          expect(block.left + block.width).toBeLessThanOrEqual(width + 0.001);
          if (at > 0) expect(block.left).toBeCloseTo(blocks[at - 1]!.left + blocks[at - 1]!.width, 3);
        }
    }),
  );
});

test("a short last chunk begins where the one before it ends", () => {
  const cut = row("a", 60, 12, 2);
  const tail = { ...cut, cells: [...cut.cells, { node: "tail", due: 156, state: "missing" as const }] };
  const { lines } = layOut({ rows: [tail], range: { from: 12, to: 156 } }, 1440);
  expect(lines[0]!.blocks.at(-1)).toMatchObject({ node: "tail", from: 132, to: 156, left: 1200, width: 240 });
});

test("two hundred years of fifty components: what is in sight is little", () => {
  const many = Array.from({ length: 50 }, (_, at) => [row(`c${at}`, 12, 12, 200), row(`c${at}`, 60, 12, 40)]).flat();
  const layout = layOut({ rows: many, range: { from: 12, to: 2412 } }, 1000);
  expect(layout.width).toBe(4800);
  expect(layout.ticks.slice(0, 3).map(({ text }) => text)).toEqual(["0001", "0006", "0011"]);
  expect(blocksWithin(layout.lines[0]!, 0, 1000)).toHaveLength(42);
});

test.each([
  [null, "ArrowDown", "a/12/0"],
  ["a/12/0", "ArrowLeft", "a/12/0"],
  ["a/12/0", "ArrowRight", "a/12/1"],
  ["a/12/1", "End", "a/12/9"],
  ["a/12/6", "ArrowDown", "b/60/1"],
  ["b/60/1", "ArrowUp", "a/12/7"],
  ["b/60/1", "ArrowDown", "b/60/1"],
])("from %s, %s leads to %s", (node, key, next) => {
  const { lines } = layOut(
    { rows: [row("a", 12, 12, 10), row("none", 12, 12, 0), row("b", 60, 12, 2)], range: { from: 12, to: 132 } },
    500,
  );
  expect(moveFrom(lines, node, key)).toBe(next);
});
