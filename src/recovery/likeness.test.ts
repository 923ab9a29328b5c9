import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFound, patternProblem } from "../core/stderr-pattern.ts";
import { likenessOf, normaliseLine, patternOf } from "./likeness.ts";

const EXIT_1 = { cause: "exit", exitCode: 1 };
const linesOf = (log: string) => likenessOf(log, EXIT_1).lines;

describe("a line without what differs from job to job", () => {
  test.each([
    ["ValueError: could not convert string to float: 'n/a'", "ValueError: could not convert string to float: <text>"],
    ['  File "/home/ada/run_17/fit.py", line 112, in main', "File <text>, line <n>, in main"],
    ["open /data/run12/f003.root failed: No such file or directory", "open <path> failed: No such file or directory"],
    ["root://eos.cern.ch//store/a.root: [3011] no such file", "<path> [<n>] no such file"],
    [
      "At line 12 of file fit.f90 (unit = 10, file = 'x.dat')",
      "At line <n> of file fit.f<n> (unit = <n>, file = <text>)",
    ],
    ["*** glibc detected *** double free: 0x00007f3a1c ***", "*** glibc detected *** double free: <hex> ***"],
    ["2026-11-16T12:03:44.123Z ERROR token 8f14e45fceea167a expired", "<time> ERROR token <hex> expired"],
    ["16-Nov-2026 12:03:44 CET Fatal Exception", "<time> CET Fatal Exception"],
    ["Nov 16 12:03:44 host17 kernel: oom-kill", "<time> host<n> kernel: oom-kill"],
    ["job 3fa85f64-5717-4562-b3fc-2c963f66afa6 was refused", "job <id> was refused"],
    ["can't open 17 files", "can't open <n> files"],
    ["\u001b[31mError:\u001b[0m bad   thing\t3.5e-7", "Error: bad thing <n>"],
    ["C:\\data\\x.csv is missing", "<path> is missing"],
  ])("%j", (line, normal) => {
    expect(normaliseLine(line)).toBe(normal);
  });

  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(..."'\"`<>a1f0-/: \\.=x,e\u00e9Z(n)".split("")), maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 1500 }),
  );

  test("is the same when it is normalised again, and is bounded", () => {
    fc.assert(
      fc.property(text, (line) => {
        const normal = normaliseLine(line);
        expect(normaliseLine(normal)).toBe(normal);
        expect(normal.length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 2000 },
    );
  });

  test("is found by its own pattern, which is one we can use", () => {
    const printable = fc.string({ unit: "grapheme-ascii", maxLength: 400 });
    fc.assert(
      fc.property(printable, fc.string({ maxLength: 40 }), (line, before) => {
        const pattern = patternOf([normaliseLine(line)]);
        if (pattern === null) return;
        expect(patternProblem(pattern)).toBeNull();
        expect(isFound(pattern, `${before}\n${line}\nbye`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("takes time that grows with the text, whatever is in it", () => {
    const nasty = [
      "a".repeat(65_536),
      "'".repeat(65_536),
      "f0".repeat(32_768),
      "1:".repeat(32_768),
      "\\".repeat(65_536),
    ];
    for (const log of [
      ...nasty,
      nasty
        .map((one) => one.slice(0, 900))
        .join("\n")
        .repeat(14),
    ]) {
      const began = performance.now();
      likenessOf(log, EXIT_1);
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});

describe("what a log says", () => {
  const python = (number: number) => `step ${number} of 900
Traceback (most recent call last):
  File "/scratch/job${number}/fit.py", line 10, in <module>
    main()
  File "/scratch/job${number}/fit.py", line ${number}, in main
    raise ValueError("no muons in event %d" % event)
ValueError: no muons in event ${number * 31}
cleaning up /tmp/${number}
`;

  test("of 400 failures of three kinds, there are three", () => {
    const kinds = [
      python,
      (number: number) => `terminate called after throwing an instance of 'std::runtime_error'
  what():  cannot read /store/f${number}.root
Aborted (core dumped)
`,
      (number: number) => `./run.sh: line ${number}: cmsRun${number}: command not found\n`,
    ];
    const keys = Array.from({ length: 400 }, (_, at) => likenessOf(kinds[at % 3]!(at), EXIT_1).key);
    expect(new Set(keys).size).toBe(3);
  });

  test("differs by cause and by code", () => {
    const log = python(3);
    const keys = [EXIT_1, { cause: "exit", exitCode: 2 }, { cause: "signal", exitCode: 1 }].map(
      (what) => likenessOf(log, what).key,
    );
    expect(new Set(keys).size).toBe(3);
  });

  test.each([
    ["a Python traceback", python(7), ["raise ValueError(<text> % event)", "ValueError: no muons in event <n>"]],
    [
      "Fortran",
      "At line 3 of file a.f90\nFortran runtime error: End of file\n",
      ["Fortran runtime error: End of file"],
    ],
    ["a core dump", "info\nSegmentation fault (core dumped)\n", ["Segmentation fault (core dumped)"]],
    ["no word of an error: its last lines", "one 1\ntwo 2\nthree 3\nfour 4\n", ["two <n>", "three <n>", "four <n>"]],
    ["our own last word is left out", "no muons\nwms2: failed with 3: exit 3 in step work\n", ["no muons"]],
    ["nothing but numbers", "1\n2 3\n---\n", []],
    ["nothing", "", []],
  ])("%s", (_, log, lines) => {
    expect(linesOf(log)).toEqual(lines);
  });

  test("becomes a pattern that knows the next one alike, and no other", () => {
    const pattern = patternOf(linesOf(python(7))) ?? "";
    expect(pattern).toBe("raise\\s+ValueError\\(.*\\s+%\\s+event\\)[\\s\\S]*ValueError:\\s+no\\s+muons\\s+in\\s+event");
    expect(isFound(pattern, python(88))).toBe(true);
    expect(isFound(pattern, python(88).replaceAll("muons", "taus"))).toBe(false);
    expect(patternOf([])).toBeNull();
    expect(patternOf(["<path> <n>"])).toBeNull();
  });
});
