import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { NODE, run, TestUnit } from "../../../../tests/support/payload-scratch.ts";
import { parseMergeOutput } from "../../../catalogs/outputs/merge-output.ts";

/** The runs and lumis of a merged file: what the jobs reported, else what they were to do, joined. */

const units: TestUnit[] = [];
afterEach(() => {
  for (const unit of units.splice(0)) unit.remove();
});

type Node = typeof NODE & { lumis?: Record<string, [number, number][]> };
const OUTPUT = { name: "reco", file: "reco.root" };

async function mergedLumis(
  nodes: Record<string, Node>,
  script = "echo x >reco.root",
  merge: "concat" | "none" = "concat",
) {
  const unit = new TestUnit([{ name: "RECO", argv: ["sh", "-c", script] }], [{ ...OUTPUT, merge }], nodes);
  units.push(unit);
  for (const node of Object.keys(nodes)) expect((await unit.work("processing", node)).code).toBe(0);
  const { dir, code } = await unit.work("merge", "merge");
  expect(code).toBe(0);
  const look = ["awk", "-v", "site=null", "-f", unit.path("bin/outputs.awk"), "manifest.json", "merge_output.json"];
  expect(await run(look, dir)).toMatchObject({ code: 0 });
  const read = parseMergeOutput(readFileSync(join(dir, "merge_output.json"), "utf8"), "mg_000000");
  if (!read.ok) throw new Error(read.error);
  return read.value.outputs.map(({ runLumis }) => runLumis);
}

const node = (planned: Partial<Node>): Node => ({ ...NODE, ...planned });
const two = (a: Partial<Node>, b: Partial<Node>) => ({ proc_000000: node(a), proc_000001: node(b) });

test.each([
  [
    "generated: the planned lumis, of run 1",
    two({ firstLumi: 1, lastLumi: 5 }, { firstLumi: 6, lastLumi: 9 }),
    { "1": [[1, 9]] },
  ],
  [
    "masked: the masks, in order",
    two(
      { runLumis: { "9": [[7, 8]], "11": [[1, 1]] } },
      {
        runLumis: {
          "9": [
            [1, 3],
            [9, 9],
          ],
        },
      },
    ),
    {
      "9": [
        [1, 3],
        [7, 9],
      ],
      "11": [[1, 1]],
    },
  ],
  [
    "whole files: what is known of the inputs",
    two({ lumis: { "5": [[2, 4]] } }, { lumis: { "5": [[4, 6]] } }),
    { "5": [[2, 6]] },
  ],
  ["unknown of one: unknown of all", two({ lumis: { "5": [[2, 4]] } }, {}), undefined],
] as const)("%s", async (_what, nodes, lumis) => {
  expect(await mergedLumis(nodes as unknown as Record<string, Node>)).toEqual([lumis]);
});

const FILE = (runs: string, name = "reco.root") =>
  `<File><PFN> ${name} </PFN><ModuleLabel>o</ModuleLabel><TotalEvents>3</TotalEvents>${runs}</File>`;
const report = (...files: string[]) =>
  `echo x >reco.root; echo '<FrameworkJobReport>${files.join("")}</FrameworkJobReport>' >FrameworkJobReport.xml`;
const lumi = (...ids: number[]) => ids.map((id) => `<LumiSection ID="${id}" NEvents="1"/>`).join("");

test("the framework's own report says better what is in the file, and only of that file", async () => {
  const runs = `<Runs><Run ID="3">${lumi(4, 2, 3, 9)}</Run><Run ID="7">${lumi(1)}</Run></Runs>`;
  const script = report(
    `<InputFile><InputType>primaryFiles</InputType><Runs><Run ID="1">${lumi(99)}</Run></Runs></InputFile>`,
    FILE(`<Runs><Run ID="8">${lumi(8)}</Run></Runs>`, "other.root"),
    FILE(runs),
  );
  expect(await mergedLumis(two({ runLumis: { "1": [[1, 99]] } }, {}), script)).toEqual([
    {
      "3": [
        [2, 4],
        [9, 9],
      ],
      "7": [[1, 1]],
    },
  ]);
});

test("a report that names no lumis, or strange ones, leaves what was planned", async () => {
  const script = report(FILE('<Runs><Run ID="x"><LumiSection ID="1"/></Run><Run ID="1"><LumiSection/></Run></Runs>'));
  expect(await mergedLumis({ proc_000000: node({ firstLumi: 4, lastLumi: 4 }) }, script)).toEqual([{ "1": [[4, 4]] }]);
});

test("with a file per job, each has its own", async () => {
  const nodes = two({ firstLumi: 1, lastLumi: 5 }, {});
  expect(await mergedLumis(nodes, undefined, "none")).toEqual([{ "1": [[1, 5]] }, undefined]);
});
