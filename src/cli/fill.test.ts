import { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";
import {
  due,
  fillFacts,
  sampleComponent,
  sampleFamily,
  sampleRow,
  sampleSegments,
  years,
} from "../../tests/support/sample-segments.ts";
import { toEnd } from "../core/base/slices.ts";
import { planFill } from "../kinds/segments/plan-fill.ts";
import type { FillPlanView } from "../operations/fill.ts";
import { addFill, addVerify, exitOf } from "./fill.ts";
import { ACTIONS } from "./operate.ts";

const obstacle = (kind: "held" | "unknown") => ({ node: "a/ts/1", kind, reason: "", causes: [], until: null });

test.each([
  ["nothing is missing", 0, [], undefined],
  ["there are holes", 2, [obstacle("held")], 10],
  ["nobody can tell about one of them (case 18)", 2, [obstacle("held"), obstacle("unknown")], 1],
] as const)("%s: exit %o", (_story, holes, obstacles, exit) => {
  expect(exitOf({ holes, obstacles: [...obstacles] }).exit).toBe(exit);
});

/** Twenty years of atmos and ocean on a bad day, as the API tells it. */
function badDay(): FillPlanView {
  const work = sampleSegments({
    components: ["atmos", "ocean"].map((name) => sampleComponent(name, sampleFamily(years(5, 10)))),
  });
  const rows = [
    ...[due(5), due(10, 5), due(10), due(5, 5, "ocean")].map((id) => sampleRow(id, "done")),
    sampleRow(due(15), "failed", { executions: 1, reason: "exit 1 in pp.sh: no space left on device" }),
    sampleRow(due(10, 5, "ocean"), "held", { reason: "ended in error 2 times: exit 3" }),
    sampleRow(due(15, 5, "ocean"), "submitted", { unit: "job_000012" }),
  ];
  const live = new Map([[due(15, 5, "ocean"), "running" as const]]);
  const plan = toEnd(planFill(fillFacts({ work, rows, live, without: { "0018": "absent" } })));
  return JSON.parse(
    JSON.stringify({
      ...plan,
      rows: plan.rows.map(({ lengthMonths, ...row }) => ({ ...row, length_months: lengthMonths })),
    }),
  );
}

const plan = badDay();
const parts = [
  {
    nodes: [{ id: due(5), outcome: "demoted", reason: "pp/atmos/ts-monthly-5y/0001-0005.nc is not there" }],
    next: due(10),
    looked: 100,
  },
  { nodes: [{ id: due(20), outcome: "promoted", reason: null }], next: null, looked: 130 },
];
const asked: object[] = [];
vi.mock("./reach.ts", () => ({
  clientFor: () => ({
    requests: { show: async () => ({ superseded_by: null }) },
    fill: {
      plan: async () => ({ ...plan, message: "1 product to be made now", may_be_made: true }),
      apply: async () => ({ plan, message: "1 product to be made now", already: false }),
      verify: async (input: { after?: string }) => {
        asked.push(input);
        const part = parts[input.after === undefined ? 0 : 1]!;
        return {
          ...part,
          of: 130,
          plan,
          message: `looked at ${part.looked} of 130 products: 1 row put right, 9 holes`,
        };
      },
      release: async ({ nodes }: { nodes: string[] }) => ({
        nodes,
        moved: [],
        dry_run: false,
        already: false,
        message: "1 product tried again in a new epoch",
      }),
    },
  }),
}));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** What a person sees: stdout, then what is said beside it, then the exit code. */
async function typed(...words: string[]): Promise<string> {
  const said = { out: "", err: "" };
  for (const name of ["out", "err"] as const)
    vi.spyOn(process[`std${name}`], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  const program = new Command("wms2").option("--data-dir <dir>");
  for (const add of [addFill, addVerify, ...ACTIONS]) add(program);
  await program.parseAsync(["node", "wms2", ...words]);
  vi.restoreAllMocks();
  return `$ wms2 ${words.join(" ")}\n${said.out}${said.err}exit ${process.exitCode ?? 0}\n`;
}

test.each([
  [
    "fill",
    [
      ["fill", "cm5"],
      ["fill", "cm5", "--yes"],
    ],
  ],
  [
    "verify",
    [
      ["verify", "cm5"],
      ["verify", "cm5", "--yes"],
    ],
  ],
  ["release-product", [["release", "cm5", "--product", due(10, 5, "ocean"), "--reason", "fixed"]]],
])("%s as people see it", async (name, calls) => {
  const pages: string[] = [];
  for (const words of calls) {
    pages.push(await typed(...words));
    process.exitCode = undefined;
  }
  await expect(pages.join("\n")).toMatchFileSnapshot(`../../tests/golden/cli/${name}.txt`);
});

test("verify goes on where the server ran out of time, until all are looked at", async () => {
  asked.length = 0;
  await typed("verify", "cm5", "--json");
  expect(asked).toEqual([
    { name: "cm5", dry_run: true },
    { name: "cm5", dry_run: true, after: due(10) },
  ]);
});

test("the former option does what it did, and says the new word", async () => {
  const [now, before] = [await typed("fill", "cm5", "--yes"), await typed("fill", "cm5", "--apply")];
  const said = "--apply is now called --yes\n";
  expect(before).toContain(said);
  expect(before.replace(said, "").replace("--apply", "--yes")).toBe(now);
});
