import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { TestUnit } from "../../../../tests/support/payload-scratch.ts";
import { folderStamps } from "../../disk/folder-stamps.ts";

const NODE = "job_000007";
const sh = (script: string, ...args: string[]) => ["sh", "-c", script, "sh", ...args];
/** A series is a line per time level. */
const LEVELS = [["sh", "-c", 'wc -l <"$1" | tr -d " "', "sh", "{output}"]];

/** One product: what is in `history/1`, two levels of it. */
const product = (change: object = {}) => ({
  id: "atmos/ts/0001",
  argv: sh('cat "$1" >"$2"', "history/1", "out/.wms2-made.a.csv"),
  history: ["history/1"],
  reads: [],
  makes: ["out/a.csv"],
  aside: ["out/.wms2-made.a.csv"],
  least: [1],
  levels: LEVELS,
  expected: [2],
  keep: false,
  partialSuffix: ".gcp",
  codes: { "6": 50118, "7": 50120 },
  ...change,
});

class Experiment extends TestUnit {
  readonly run = this.path("model run");
  constructor(products: readonly object[]) {
    super([], [], {});
    mkdirSync(join(this.run, "history"), { recursive: true });
    writeFileSync(this.in("history/1"), "1\n2\n");
    const head = { version: 1, request: "req", round: 0, block: 0, sites: [], directory: this.run };
    const lines = Object.entries(head).map(([key, value]) => `"${key}":${JSON.stringify(value)},\n`);
    const node = { name: "atmos/0001", argv: [], env: {}, reads: [], makes: [], handlers: [], digest: "d", seed: 1 };
    this.manifest = `{\n${lines.join("")}"nodes":{\n"${NODE}":${JSON.stringify({ ...node, products })}\n}\n}\n`;
  }
  in(path: string): string {
    return join(this.run, path);
  }
}
const made: Experiment[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.remove();
});
function experiment(...products: object[]): Experiment {
  const one = new Experiment(products);
  made.push(one);
  return one;
}
const work = (one: Experiment) => one.work("job", NODE);

describe("a product", () => {
  test("is made aside, verified, renamed, and told with what it was made of", async () => {
    const e = experiment(product());
    const { code, report } = await work(e);
    expect(code).toBe(0);
    expect(readdirSync(e.in("out"))).toEqual(["a.csv"]);
    expect(report).toMatchObject({
      exitCode: 0,
      products: [
        {
          id: "atmos/ts/0001",
          history: [{ path: "history/1", sizeBytes: 4, mtime: expect.any(Number) }],
          reads: [],
          makes: [{ path: "out/a.csv", sizeBytes: 4, checksum: expect.stringMatching(/^cksum:\d+$/) }],
        },
      ],
      makes: [{ path: "out/a.csv" }],
    });
    expect(report.products).not.toMatchObject([{ history: [{ checksum: expect.anything() }] }]);
  });

  test("that is a folder is made aside, verified, and takes the place of the old one as a whole", async () => {
    const folder = (script: string, change: object = {}) =>
      product({
        argv: sh(script, "out/.wms2-made.0001"),
        ...{ makes: ["out/0001/"], aside: ["out/.wms2-made.0001"], files: [2], least: [5] },
        levels: [["sh", "-c", 'cat "$1"/*.nc | wc -l | tr -d " "', "sh", "{output}"]],
        ...change,
      });
    const two = 'printf "11\\n" >"$1/u.nc"; mkdir "$1/deep"; printf "22\\n" >"$1/deep/v.nc"; echo >"$1/w.nc"';
    const e = experiment(folder(two));
    mkdirSync(e.in("out/0001"), { recursive: true });
    writeFileSync(e.in("out/0001/old.nc"), "old");
    const { code, report } = await work(e);
    expect(report.error).toBe(null);
    expect([code, readdirSync(e.in("out")), readdirSync(e.in("out/0001"))]).toEqual([
      0,
      ["0001"],
      ["deep", "u.nc", "w.nc"],
    ]);
    const [{ makes }] = report.products as { makes: object[] }[] & [{ makes: object[] }];
    const [stamp] = makes;
    const question = { directory: e.run, folders: ["out/0001/"], without: new Set<string>(), byContents: true };
    const { sizeBytes: _, mtime: __, ...seen } = (await folderStamps(question)).get("out/0001/")!;
    expect(stamp).toMatchObject({ ...seen, path: "out/0001/", files: 3 });
    for (const [script, why] of [
      ['echo 1 >"$1/u.nc"', "0001 has 1 files, less than 2"],
      ['echo 1 >"$1/u.nc"; : >"$1/v.nc"', "v.nc is empty"],
      ['echo 1 >"$1/u.nc"; echo 2 >"$1/v.nc"', "0001 has 4 bytes, less than 5"],
      ['echo 123 >"$1/u.nc"; echo 2 >"$1/deep"', "has 1 time levels, and should have 2"],
      ['rmdir "$1"', "did not make"],
    ]) {
      const failing = experiment(folder(script!));
      const answer = await work(failing);
      expect(answer.report.error).toContain(why);
      expect(existsSync(failing.in("out/0001"))).toBe(false);
    }
  });

  test("made of chunks runs after them in one job, and a later one that fails leaves the earlier ones done", async () => {
    const second = { id: "atmos/ta/0001", makes: ["out/b.csv"], aside: ["out/.wms2-made.b.csv"], history: [] };
    const e = experiment(product(), product({ ...second, reads: ["out/a.csv"], argv: sh("exit 3") }), product());
    const { report } = await work(e);
    expect(report).toMatchObject({ exitCode: 3, error: expect.stringMatching(/^atmos\/ta\/0001: .*exit 3/) });
    expect(report.products).toMatchObject([
      { id: "atmos/ts/0001", makes: [{}] },
      { id: "atmos/ta/0001", exitCode: 3 },
    ]);
    expect(readdirSync(e.in("out"))).toEqual(["a.csv"]);
  });

  test("that is there and passes its check is kept, unless it is to be made again", async () => {
    const e = experiment(product({ keep: true }), product({ id: "again" }));
    mkdirSync(e.in("out"));
    writeFileSync(e.in("out/a.csv"), "3\n4\n");
    const { report, stderr } = await work(e);
    expect(stderr).toContain("atmos/ts/0001 is there and passes its check");
    const [kept, again] = report.products as { makes: { checksum: string }[] }[];
    expect(kept!.makes[0]!.checksum).not.toBe(again!.makes[0]!.checksum);
    expect(readFileSync(e.in("out/a.csv"), "utf8")).toBe("1\n2\n");
    const short = experiment(product({ keep: true }));
    mkdirSync(short.in("out"));
    writeFileSync(short.in("out/a.csv"), "3\n");
    expect((await work(short)).report.exitCode).toBe(0);
    expect(readFileSync(short.in("out/a.csv"), "utf8")).toBe("1\n2\n");
  });

  test("that its command gives its name itself is verified all the same", async () => {
    const transfer = { aside: [], levels: [null], expected: [null], history: [], codes: { other: 50120 } };
    const arrived = experiment(product({ ...transfer, argv: sh('echo x >"$1"', "out/a.csv") }));
    expect((await work(arrived)).report.exitCode).toBe(0);
    const failed = await work(experiment(product({ ...transfer, argv: sh("exit 4") })));
    expect(failed.report).toMatchObject({ exitCode: 50120, error: expect.stringMatching(/exit 4/) });
  });
});

test.each([
  ["history is not there", { history: ["history/1", "history/2", "history/3"] }, 50118, /history\/2 and 1 more/],
  ["its command says so by its code", { argv: sh("exit 6") }, 50118, /exit 6/],
  ["data could not be copied", { argv: sh("exit 7") }, 50120, /exit 7/],
  ["a chunk is not there", { reads: ["out/none.csv"] }, 50121, /a chunk it is made of is not there: out\/none\.csv/],
  ["nothing was made", { argv: ["true"] }, 60302, /did not make/],
  ["it is too small", { least: [5] }, 50119, /4 bytes, less than 5/],
  ["it has too few time levels", { expected: [12] }, 50119, /has 2 time levels, and should have 12/],
  ["time levels cannot be counted", { levels: [["false"]] }, 50119, /cannot be counted/],
  ["the command is not there", { argv: ["./none"] }, 127, /none/],
])("a product fails where %s, and nothing has its name", async (_, change, code, error) => {
  const e = experiment(product(change));
  const { report } = await work(e);
  expect(report).toMatchObject({ exitCode: code, error: expect.stringMatching(error) });
  expect(report.products).toMatchObject([{ id: "atmos/ts/0001", history: [{ path: "history/1" }], exitCode: code }]);
  expect(existsSync(e.in("out/a.csv"))).toBe(false);
});

test("a chunk that is not there: the ones that are, are told", async () => {
  const e = experiment(product({ reads: ["out/one.csv", "out/two.csv"] }));
  mkdirSync(e.in("out"));
  writeFileSync(e.in("out/one.csv"), "1\n");
  expect((await work(e)).report.products).toMatchObject([{ exitCode: 50121, reads: [{ path: "out/one.csv" }] }]);
});

test("a transfer that frepp's stager has begun meanwhile is left to it", async () => {
  const e = experiment();
  const stager = { directory: e.in("its args"), date: "00130101" };
  const transfer = { aside: [], levels: [null], expected: [null], history: [], stager, argv: ["touch", "out/a.csv"] };
  const fetch = experiment(product({ ...transfer, least: [0] }));
  mkdirSync(e.in("its args"));
  writeFileSync(join(e.in("its args"), "CM5.o1.output.stager.00130101.R.args.lock"), "");
  writeFileSync(join(e.in("its args"), "CM5.o1.output.stager.00130101.H.args.lock"), "");
  expect((await work(fetch)).report).toMatchObject({
    exitCode: 50122,
    error: expect.stringMatching(/stager has it: .*H\.args\.lock/),
  });
  expect(existsSync(fetch.in("out/a.csv"))).toBe(false);
  rmSync(join(e.in("its args"), "CM5.o1.output.stager.00130101.H.args.lock"));
  expect((await work(fetch)).report.exitCode).toBe(0);
});

test("history that still arrives is not there", async () => {
  const e = experiment(product());
  writeFileSync(e.in("history/1.gcp"), "");
  expect((await work(e)).report).toMatchObject({ exitCode: 50118, error: expect.stringMatching(/1\.gcp is there/) });
});
