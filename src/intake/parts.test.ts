import { describe, expect, test } from "vitest";
import { roundHalfEven } from "../core/base/rounding.ts";
import { joinPatterns } from "../kinds/process/read-input.ts";
import { beforeFilter } from "../kinds/sizing.ts";
import { KINDS } from "../kinds/table.ts";
import { absolutePaths } from "./absolute-paths.ts";
import { neededFiles } from "./read-submission.ts";

test("several patterns become one, behind their common directory", () => {
  expect(joinPatterns(["/data/a.csv", "/data/b*.csv"])).toBe("/data/{a.csv,b*.csv}");
  expect(joinPatterns(["/data/x/a.csv", "/data/y/b.csv"])).toBe("/data/{x/a.csv,y/b.csv}");
  expect(joinPatterns(["/a.csv", "/b/c.csv"])).toBe("/{a.csv,b/c.csv}");
});

test("halves go to the even number; events before a filter", () => {
  expect([0.5, 1.5, 2.5, 43.2, 12.5].map(roundHalfEven)).toEqual([0, 2, 2, 43, 12]);
  expect(beforeFilter(10_000n, 0.5)).toBe(20_000n);
  expect(beforeFilter(100n, 0.3)).toBe(333n);
  expect(beforeFilter(2n ** 60n, 0.5)).toBe(2n ** 61n);
  expect(beforeFilter(10n, 5e-324)).toBe(10n ** 16n);
});

describe("what the CLI does", () => {
  const document = {
    input: { files: ["data/*.csv", "/abs/b.csv"] },
    steps: [{ run: "python3 ./select.py --x ./cuts.json" }, "./second.sh", { run: ["sh", "-c", "./no.sh | x"] }, 7],
    outputs: [{ merge: { run: "./merge.sh" } }, { merge: "none" }],
    recovery: { handlers: [{ rules: [{ script: "./fix.sh" }, { recovery_script: "./old.sh" }] }] },
    attach: ["tables/t.csv", "./select.py", "../escape", 5],
  };

  test("files that have to travel", () => {
    expect(neededFiles(document, KINDS).map(({ path }) => path)).toEqual([
      "select.py",
      "cuts.json",
      "second.sh",
      "merge.sh",
      "fix.sh",
      "old.sh",
      "tables/t.csv",
    ]);
    expect(neededFiles(null, KINDS)).toEqual([]);
    expect(neededFiles({ steps: "x", outputs: 3, recovery: [] }, KINDS)).toEqual([]);
  });

  test("input paths become absolute, nothing else changes", () => {
    const resolve = (path: string): string => `/home/me/${path}`;
    expect(absolutePaths(document, resolve)).toEqual({
      ...document,
      input: { files: ["/home/me/data/*.csv", "/abs/b.csv"] },
    });
    expect(absolutePaths({ input: { directory: "d", runs: [1] } }, resolve)).toEqual({
      input: { directory: "/home/me/d", runs: [1] },
    });
    expect(absolutePaths({ input: { list: "l.json" } }, resolve)).toEqual({ input: { list: "/home/me/l.json" } });
    for (const odd of [null, 3, [], { input: "x" }, {}]) expect(absolutePaths(odd, resolve)).toEqual(odd);
  });
});
