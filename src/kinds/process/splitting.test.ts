import { describe, expect, it } from "vitest";
import { inputFile, lumis } from "../../../tests/support/sample-facts.ts";
import { roundHalfEven } from "../../core/base/rounding.ts";
import type { SplitSpec } from "../../core/work.ts";
import type { InputFile } from "../../core/workflow.ts";
import type { Piece } from "../../planning/piece.ts";
import { compileMask } from "./mask.ts";
import { isTooBig } from "./selection.ts";
import { splitByEvents } from "./split.ts";
import { splitByFiles } from "./split-files.ts";
import { splitByLumis } from "./split-lumis.ts";

// Row by row, as WMCore splits. A job is written `files | run:[first,last]…`.
const show = (pieces: Iterable<Piece>): string[] => [...pieces].map(showPiece);
function showPiece({ files, runLumis }: Piece): string {
  const names = files.map(({ lfn }) => lfn).join(" ");
  if (!runLumis) return names;
  const runs = Object.entries(runLumis).map(
    ([run, ranges]) => `${run}:${ranges.map(([first, last]) => `[${first},${last}]`).join(",")}`,
  );
  return `${names} | ${runs.join(" ")}`;
}
const file = (lfn: string, events: number, ...runs: InputFile["lumis"][number][]): InputFile =>
  inputFile(lfn, { events, lumis: runs });
const plain = (count: number, prefix = "f"): InputFile[] =>
  Array.from({ length: count }, (_, index) => inputFile(`${prefix}${index}`));
const all = compileMask(null);
const masked = (ranges: Record<string, [number, number][]>) => compileMask({ runs: [], lumis: ranges });

describe("rounding", () => {
  it.each([
    [2.5, 2],
    [12.5, 12],
    [3.5, 4],
    [0.5, 0],
    [1.49, 1],
    [1.51, 2],
  ])("%d rounds to %d", (value, rounded) => expect(roundHalfEven(value)).toBe(rounded));
});

describe("FileBased", () => {
  const split = (files: InputFile[], filesPerJob: number, mask = all) => show(splitByFiles(files, filesPerJob, mask));

  it("fills jobs in the order of the LFNs", () => {
    expect(split(plain(5).reverse(), 2)).toEqual(["f0 f1", "f2 f3", "f4"]);
    expect(split(plain(10), 2)).toHaveLength(5);
    expect(split(plain(10), 3).map((job) => job.split(" ").length)).toEqual([3, 3, 3, 1]);
    expect(split(plain(1), 10)).toHaveLength(1);
    expect(split(plain(12), 10).map((job) => job.split(" ").length)).toEqual([10, 2]);
  });

  it("lists the selected ranges and drops files without any", () => {
    const first = [file("f1", 50, lumis(1, "1-5")), file("f3", 20, lumis(1, "6-7"))];
    expect(
      split(
        first,
        2,
        masked({
          1: [
            [2, 3],
            [5, 6],
          ],
        }),
      ),
    ).toEqual(["f1 f3 | 1:[2,3],[5,5],[6,6]"]);
    const second = ["1-2", "3-4", "5-6"].map((text, index) => file(`f${index + 1}`, 20, lumis(1, text)));
    expect(split(second, 2, masked({ 1: [[1, 6]] }))).toEqual(["f1 f2 | 1:[1,2],[3,4]", "f3 | 1:[5,6]"]);
  });
});

describe("EventBased over files", () => {
  const ranges = (files: InputFile[], eventsPerJob: number) =>
    [...splitByEvents(files, eventsPerJob)].map(({ firstEvent, lastEvent }) => `${firstEvent}–${lastEvent}`);

  it.each([
    [250, 100, ["0–99", "100–199", "200–249"]],
    [100, 100, ["0–99"]],
    [100, 1000, ["0–99"]],
    [100, 50, ["0–49", "50–99"]],
    [100, 99, ["0–98", "99–99"]],
    [0, 100, ["0–null"]],
  ])("%d events, %d per job", (events, perJob, expected) =>
    expect(ranges([file("a", events)], perJob)).toEqual(expected),
  );

  it("never combines files", () => {
    const ten = plain(10).map((each) => ({ ...each, events: 100 }));
    expect(ranges(ten, 100)).toHaveLength(10);
    expect(ranges(ten, 50)).toHaveLength(20);
    expect(ranges(ten, 150)).toEqual(Array(10).fill("0–99"));
  });

  it("reads a file whose events nobody counted in one job", () => {
    expect(ranges([inputFile("a", { events: null })], 10)).toEqual(["0–null"]);
  });
});

describe("LumiBased", () => {
  type Options = Partial<SplitSpec> & { mask?: ReturnType<typeof compileMask> };
  const split = (files: InputFile[], lumisPerJob: number, { mask = all, ...rules }: Options = {}) =>
    show(splitByLumis(files, { algorithm: "LumiBased", filesPerJob: 1, eventsPerJob: 1, lumisPerJob, ...rules }, mask));
  const abc = [file("a", 30, lumis(1, "1-3")), file("b", 20, lumis(1, "4-5")), file("c", 20, lumis(2, "1-2"))];
  const twoRuns = [file("a", 80, lumis(1, "1-3"), lumis(2, "1-5"))];
  const ten = [file("a", 100, lumis(1, "1-10"))];

  it.each<[string, InputFile[], number, Options, string[]]>([
    ["gaps close a range", [file("a", 70, lumis(1, "1-3,7-10"))], 4, {}, ["a | 1:[1,3],[7,7]", "a | 1:[8,10]"]],
    ["across files", abc, 4, {}, ["a b | 1:[1,3],[4,4]", "b | 1:[5,5]", "c | 2:[1,2]"]],
    ["across runs", abc, 4, { splitOnRun: false }, ["a b | 1:[1,3],[4,4]", "b c | 1:[5,5] 2:[1,2]"]],
    ["halt", abc.slice(0, 2), 4, { haltOnFileBoundaries: true }, ["a | 1:[1,3]", "b | 1:[4,5]"]],
    ["runs of a file", twoRuns, 4, {}, ["a | 1:[1,3]", "a | 2:[1,4]", "a | 2:[5,5]"]],
    ["runs of a file together", twoRuns, 4, { splitOnRun: false }, ["a | 1:[1,3] 2:[1,1]", "a | 2:[2,5]"]],
    [
      "mask, 3 per job",
      ten,
      3,
      {
        mask: masked({
          1: [
            [2, 4],
            [7, 9],
          ],
        }),
      },
      ["a | 1:[2,4]", "a | 1:[7,9]"],
    ],
    [
      "mask, 4 per job",
      ten,
      4,
      {
        mask: masked({
          1: [
            [2, 4],
            [7, 9],
          ],
        }),
      },
      ["a | 1:[2,4],[7,7]", "a | 1:[8,9]"],
    ],
    [
      "run whitelist",
      [file("a", 50, lumis(1, "1-2"), lumis(2, "1-2"), lumis(3, "1"))],
      2,
      { mask: compileMask({ runs: [2, 3], lumis: null }) },
      ["a | 2:[1,2]", "a | 3:[1,1]"],
    ],
    ["whitelist of nothing", ten, 2, { mask: compileMask({ runs: [9], lumis: null }) }, []],
    [
      "order",
      [file("x", 1, lumis(5, "2")), file("z", 1, lumis(5, "1")), file("y", 1, lumis(2, "1"))],
      1,
      {},
      ["y | 2:[1,1]", "z | 5:[1,1]", "x | 5:[2,2]"],
    ],
    ["files without lumis", [inputFile("n"), ...ten], 10, {}, ["a | 1:[1,10]"]],
    ["lumi 0 and a gap", [file("a", 3, lumis(1, "0,5-6"))], 5, {}, ["a | 1:[0,0],[5,6]"]],
  ])("%s", (_name, files, lumisPerJob, options, expected) =>
    expect(split(files, lumisPerJob, options)).toEqual(expected),
  );

  it("counts as the reference does", () => {
    const own = (count: number, each: number) =>
      Array.from({ length: count }, (_, index) => file(`f${index}`, 10, lumis(index + 1, `1-${each}`)));
    expect(split(own(10, 1), 3, { haltOnFileBoundaries: true })).toHaveLength(10);
    expect(split(own(5, 2), 1)).toHaveLength(10);
    expect(split(own(5, 3), 2)).toHaveLength(10);
    expect(split(own(5, 5), 3, { splitOnRun: false })).toHaveLength(9);
    expect(split(own(5, 5), 3, { haltOnFileBoundaries: true })).toHaveLength(10);
  });

  const shared = [file("a", 20, lumis(1, "1-2")), file("b", 20, lumis(1, "2-3"))];
  it("processes a lumi of two files twice, once in each", () => {
    expect(split(shared, 2)).toEqual(["a | 1:[1,2]", "b | 1:[2,3]"]);
  });

  it("gives no file's lumi to two jobs when files share lumis", () => {
    const inside = [file("a", 100, lumis(1, "1-10")), file("b", 10, lumis(1, "5"))];
    expect(split(inside, 4)).toEqual(["a | 1:[1,4]", "a | 1:[5,8]", "a | 1:[9,10]", "b | 1:[5,5]"]);
    const twins = [file("a", 20, lumis(1, "1,5")), file("b", 20, lumis(1, "1,5"))];
    expect(split(twins, 3)).toEqual(["a b | 1:[1,1],[5,5],[1,1]"]);
  });
});

describe("EventAwareLumiBased", () => {
  const split = (files: InputFile[], eventsPerJob: number, rules: Partial<SplitSpec> = {}, mask = all) => {
    const split = { algorithm: "EventAwareLumiBased", filesPerJob: 1, eventsPerJob, lumisPerJob: 1, ...rules } as const;
    return show(splitByLumis(files, split, mask));
  };
  const halt = { haltOnFileBoundaries: true };
  const ab = [file("a", 300, lumis(1, "1-3")), file("b", 300, lumis(1, "4-6"))];
  const thousand = [file("a", 1000, lumis(1, "1-10"))];

  it("counts lumis by the average", () => {
    expect(split(thousand, 250)).toEqual(["1,2", "3,4", "5,6", "7,8", "9,10"].map((range) => `a | 1:[${range}]`));
    expect(split(ab, 400)).toEqual(["a b | 1:[1,3],[4,4]", "b | 1:[5,6]"]);
    expect(split(ab, 400, halt)).toEqual(["a | 1:[1,3]", "b | 1:[4,6]"]);
    expect(split([file("a", 0, lumis(1, "1-7")), file("b", 200, lumis(1, "8-9"))], 100)).toEqual([
      "a b | 1:[1,7],[8,8]",
      "b | 1:[9,9]",
    ]);
  });

  it("rounds halves to even", () => {
    expect(split([file("a", 5, lumis(1, "1-2"))], 5)).toHaveLength(1);
    expect(split([file("a", 7, lumis(1, "1-2"))], 7)).toHaveLength(2);
    expect(split([file("a", 4, lumis(1, "1-10"))], 2)).toHaveLength(1);
  });

  it("calls a single lumi too big by time, and only a single one", () => {
    const lumi = (events: number) => file("a", events, lumis(1, "1"));
    expect(isTooBig(lumi(14_401), 12, 172_800)).toBe(true);
    expect(isTooBig(lumi(14_400), 12, 172_800)).toBe(false);
    expect(isTooBig(file("a", 99_999, lumis(1, "1-2")), 12, 172_800)).toBe(false);
  });

  it("the mixed row: six jobs, one of them of a file that is too big", () => {
    const files = [
      file("f1", 1000, lumis(0, "0-4")),
      file("f2", 1000, lumis(1, "1")),
      file("f3", 1000, lumis(2, "4-5")),
    ];
    expect(split(files, 550, halt)).toHaveLength(6);
    expect(files.filter((each) => isTooBig(each, 12, 9600)).map(({ lfn }) => lfn)).toEqual(["f2"]);
  });

  it("counts as the reference does", () => {
    const own = (count: number, each: number, perLumi: number) =>
      Array.from({ length: count }, (_, index) => file(`f${index}`, each * perLumi, lumis(index + 1, `1-${each}`)));
    expect(split(own(5, 7, 100), 360, halt)).toHaveLength(15);
    expect(split(own(5, 7, 100), 200, halt)).toHaveLength(20);
    expect(split(own(5, 5, 10_000), 5000, halt)).toHaveLength(25);
    expect(split(own(5, 100, 0), 100, halt)).toHaveLength(5);
    expect(split(own(100, 100, 0), 100, { splitOnRun: false })).toHaveLength(1);
  });

  it("carries over from file to file", () => {
    const seven = [
      file("f1", 250, lumis(0, "0-4")),
      file("f2", 600, lumis(1, "1")),
      file("f3", 1200, lumis(2, "4-5")),
      file("f4", 100, lumis(3, "3")),
      file("f5", 30, lumis(4, "4")),
      file("f6", 10, lumis(5, "5")),
      file("f7", 151, lumis(6, "18-20")),
    ];
    expect(split(seven, 150, { splitOnRun: false })).toEqual([
      "f1 | 0:[0,2]",
      "f1 | 0:[3,4]",
      "f2 | 1:[1,1]",
      "f3 | 2:[4,4]",
      "f3 | 2:[5,5]",
      "f4 f5 f6 | 3:[3,3] 4:[4,4] 5:[5,5]",
      "f7 | 6:[18,20]",
    ]);
    const threeRuns = file("A", 2400, lumis(1, "1-8"), lumis(2, "1-8"), lumis(3, "1-8"));
    expect(split([threeRuns, file("B", 200, lumis(3, "15-19"))], 700)).toEqual([
      "A | 1:[1,7]",
      "A | 1:[8,8]",
      "A | 2:[1,7]",
      "A | 2:[8,8]",
      "A | 3:[1,7]",
      "A B | 3:[8,8],[15,19]",
    ]);
  });

  it("counts events of masked files by the average over all their lumis", () => {
    const files = [
      file("A", 800, lumis(1, "10-17")),
      file("B", 400, lumis(2, "20-21"), lumis(3, "30-31")),
      file("C", 500, lumis(4, "40-44")),
    ];
    const mask = masked({ 1: [[10, 14]], 2: [[20, 21]], 4: [[40, 41]] });
    expect(split(files, 850, { splitOnRun: false }, mask)).toEqual([
      "A B C | 1:[10,14] 2:[20,21] 4:[40,40]",
      "C | 4:[41,41]",
    ]);
  });
});

it("runs that are left out stay out, whatever else is chosen", () => {
  const mask = compileMask({ runs: [1, 2], withoutRuns: [2], lumis: { "1": [[1, 5]], "2": [[1, 5]] } });
  expect([mask.all, mask.accepts(1, 5), mask.accepts(1, 6), mask.acceptsRun(2), mask.acceptsRun(3)]).toEqual([
    ...[false, true, false, false, false],
  ]);
  expect(compileMask({ runs: [], withoutRuns: [7], lumis: null }).acceptsRun(8)).toBe(true);
});
