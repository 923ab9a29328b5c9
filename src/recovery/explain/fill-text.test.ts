import { expect, test } from "vitest";
import {
  due,
  fillFacts,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
  years,
} from "../../../tests/support/sample-segments.ts";
import { toEnd } from "../../core/base/slices.ts";
import { monthOf } from "../../core/calendar.ts";
import { planFill } from "../../kinds/segments/plan-fill.ts";
import { fillGrid, gridLegend } from "./fill-grid.ts";
import { fillText } from "./fill-text.ts";

test("the grid and the list of a plan, as people see them", () => {
  const work = sampleSegments({
    components: [
      sampleComponent("atmos", sampleFamily(years(5, 10))),
      sampleComponent("ocean", sampleFamily(years(5))),
    ],
  });
  const ocean = (year: number) => due(year, 5, "ocean");
  const rows = [
    ...[due(5), due(10, 5), due(10), ocean(5)].map((id) => sampleRow(id, "done")),
    sampleRow(due(15), "failed", { executions: 1, reason: "exit code 3" }),
    sampleRow(ocean(10), "held", { reason: "exit code 3, twice" }),
    sampleRow(ocean(15), "submitted"),
  ];
  const plan = toEnd(
    planFill(fillFacts({ work, rows, without: { "0018": "absent" }, live: new Map([[ocean(15), "running"]]) })),
  );
  expect(fillText(plan)).toMatchInlineSnapshot(`
    "exp=CM5  0001-0020  mode=failed

                          0001   0006   0011   0016
    atmos ts-monthly-5y   ....o  ....o  ....F  ....n
    atmos ts-monthly-10y  .....  ....o  .....  ....w
    ocean ts-monthly-5y   ....o  ....H  ....r  ....n

    o done   F failed, will be tried again   r running   w waits for others
    n history missing   H held: needs a release   . nothing due

    1 to do:
      atmos/ts-monthly-5y/0011-0015  retry: exit code 3; execution 2 of 2
    1 held:
      ocean/ts-monthly-5y/0006-0010  exit code 3, twice; to try it again: wms2 release cm5 --product ocean/ts-monthly-5y/0006-0010 --reason …
    2 without history:
      atmos/ts-monthly-5y/0016-0020  history: history/00180101.nc.tar is not there
      ocean/ts-monthly-5y/0016-0020  history: history/00180101.nc.tar is not there
    1 blocked:
      atmos/ts-monthly-10y/0011-0020  blocked by history/0018: history/00180101.nc.tar is not there
    1 running:
      ocean/ts-monthly-5y/0011-0015  is running
    4 done, 6 holes
    "
  `);
});

test("half years: a column each", () => {
  const work = sampleSegments({
    segmentMonths: 6,
    end: monthOf(4),
    components: [sampleComponent("atmos", sampleFamily([6, 18]))],
  });
  const [page] = fillGrid(toEnd(planFill(fillFacts({ work }))));
  expect(page!.header).toMatch(/ 0001$/);
  expect(page!.lines.map(({ spans }) => spans.map(({ text }) => text).join(""))).toEqual(["------", "..w..w"]);
});

test("two hundred years of fifty components: pages of 80 columns, with only what is not done", () => {
  const products = sampleFamily(years(1, 5, 10, 20));
  const components = Array.from({ length: 50 }, (_, index) => sampleComponent(`component${index}`, products));
  const work = sampleSegments({ end: monthOf(201), components });
  const all = toEnd(planFill(fillFacts({ work })));
  const rows = all.rows.flatMap(({ cells }) => cells.map(({ node }) => sampleRow(node, "done")));
  const holes = new Map(rows.map((row) => [row.id, row]));
  for (const year of ["0042", "0043", "0199"]) holes.delete(`component7/ts-monthly-1y/${year}`);
  const plan = toEnd(planFill(fillFacts({ work, rows: [...holes.values()] })));
  const pages = fillGrid(plan);
  expect(pages.map(({ lines, folded }) => [lines.length, folded])).toEqual([
    [0, 200],
    [1, 199],
    [0, 200],
    [0, 200],
    [1, 199],
  ]);
  const text = fillText(plan);
  expect(text.split("\n").every((line) => line.length <= 80 || line.includes("/"))).toBe(true);
  expect(text).toContain(
    "component7  ts-monthly-1y   o--ooooooo oooooooooo oooooooooo oooooooooo\nand 199 lines, all done\n\n0081-0120: 200",
  );
  expect(fillText(all)).toContain("component0/ts-monthly-1y/0001 … 0200 (200)  make: was never made");
  expect(gridLegend(plan).map(({ state }) => state)).toEqual(["done", "missing", "none"]);
});
