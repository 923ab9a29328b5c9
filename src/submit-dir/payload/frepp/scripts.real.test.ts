import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { wms2 } from "../../../../tests/support/cli.ts";
import { tempDir } from "../../../../tests/support/temp-dir.ts";

/**
 * The scripts that an import lays beside a request, with real tars, and programs in the place of NCO's that put lines together: a
 * line is a time level. What they are called with is kept in `calls`.
 */
let dir: string;
const inDir = (path: string): string => join(dir, path);
beforeEach(() => {
  dir = tempDir("frepp scripts");
  mkdirSync(inDir("bin"));
  mkdirSync(inDir("history"));
  const tool = (name: string, body: string): void => {
    writeFileSync(inDir(`bin/${name}`), `#!/bin/sh\necho "${name} $*" >>${JSON.stringify(inDir("calls"))}\n${body}\n`);
    chmodSync(inDir(`bin/${name}`), 0o755);
  };
  const cat =
    'for last; do :; done; while [ "$#" -gt 1 ]; do case $1 in -O|-h) ;; -v) shift ;; *) cat "$1" ;; esac; shift; done >"$last.new"; mv "$last.new" "$last"';
  tool("ncrcat", cat);
  tool("nces", cat);
  tool("ncra", 'for last; do :; done; echo mean >"$last"');
  for (const year of ["0001", "0002"]) history(year, ["atmos_month"]);
});
function history(year: string, sources: readonly string[]): void {
  const files = sources.map((source) => `${year}0101.${source}.nc`);
  for (const file of files) writeFileSync(inDir(file), `${file}\n`);
  execFileSync("tar", ["-cf", inDir(`history/${year}0101.nc.tar`), "-C", dir, ...files]);
}
const run = (script: string, ...words: string[]) =>
  spawnSync("sh", [join(import.meta.dirname, script), ...words], {
    cwd: dir,
    encoding: "utf8",
    env: { PATH: `${inDir("bin")}:${process.env.PATH}`, TMPDIR: dir },
  });
const TARS = ["history/00010101.nc.tar", "history/00020101.nc.tar"];

test("a series of history has its source's file of each year, in order; one of chunks has the chunks", () => {
  expect(run("series.sh", "out.nc", "atmos_month", ...TARS)).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(inDir("out.nc"), "utf8")).toBe("00010101.atmos_month.nc\n00020101.atmos_month.nc\n");
  expect(run("series.sh", "both.nc", "atmos_month", "./out.nc", "./out.nc")).toMatchObject({ status: 0 });
  expect(readFileSync(inDir("both.nc"), "utf8").split("\n")).toHaveLength(5);
  expect(readdirSync(dir).filter((name) => name.startsWith("tmp."))).toEqual([]);
});

test("of some variables it is a folder with a file of each, and so are the shorter ones it is made of", () => {
  mkdirSync(inDir("short"));
  expect(run("series.sh", "short", "atmos_month", "-v", "u,v", ...TARS)).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(inDir("short")).sort()).toEqual(["u.nc", "v.nc"]);
  mkdirSync(inDir("long"));
  expect(run("series.sh", "long", "atmos_month", "-v", "u,v", "./short/", "./short/")).toMatchObject({ status: 0 });
  expect(readFileSync(inDir("long/v.nc"), "utf8").split("\n")).toHaveLength(5);
  rmSync(inDir("short/v.nc"));
  const lacking = run("series.sh", "long", "atmos_month", "-v", "u,v", "./short/");
  expect(lacking).toMatchObject({ status: 66, stderr: expect.stringContaining("has no v") });
  expect(readdirSync(dir).filter((name) => name.startsWith("tmp."))).toEqual([]);
});

test.each([
  ["annual", ["ncra -O -h"]],
  ["monthly", [...Array.from({ length: 12 }, (_, month) => `ncra -O -h -d time,${month},,12`), "ncrcat"]],
])("an average of %s values has its levels", (frequency, calls) => {
  expect(run("average.sh", "out.nc", "atmos_month", frequency, ...TARS)).toMatchObject({ status: 0, stderr: "" });
  const made = readFileSync(inDir("calls"), "utf8").trim().split("\n").slice(1);
  expect(made).toHaveLength(calls.length);
  for (const [at, call] of calls.entries()) expect(made[at]).toContain(call);
  expect(run("average.sh", "all.nc", "atmos_month", frequency, "./out.nc", "./out.nc")).toMatchObject({ status: 0 });
});

test.each([
  ["has no file of the source: input is missing", ["ocean"], TARS, 66, "has no file of ocean"],
  ["cannot be read: input is missing", ["atmos_month"], ["./history/none.tar"], 66, "cannot be read"],
])("history that %s", (_, [source], inputs, status, stderr) => {
  const answer = run("series.sh", "out.nc", source!, ...inputs);
  expect(answer).toMatchObject({ status, stderr: expect.stringContaining(stderr) });
  expect(existsSync(inDir("out.nc"))).toBe(false);
});

test("an import is ready to run: its scripts lie beside it, and it is planned as history arrives", async () => {
  const xml = `<s><property name="V" value="1"/><experiment name="e$(V)"><input><namelist>current_date = 1,1,1,0,0,0
    calendar = 'julian'</namelist></input><runtime><production simTime="2" units="years"><segment simTime="1" units="years"/></production></runtime>
    <postProcess><xi:include href="pp.xml" xpointer="xpointer(//pp/node())"/></postProcess></experiment></s>`;
  writeFileSync(inDir("suite.xml"), xml);
  const component =
    '<component type="atmos" source="atmos_month"><timeSeries freq="monthly" chunkLength="2yr"/></component>';
  writeFileSync(inDir("pp.xml"), `<x><pp>${component}</pp></x>`);
  const words = ["import-frepp", "suite.xml", "-x", "e1", "--output", "e1.yaml"];
  const made = await wms2(words, { cwd: dir });
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("series.sh is yours to change") });
  expect((await wms2(words, { cwd: dir })).stderr).toContain("series.sh is there already, and stays as it is");
  const plan = await wms2(["plan", "e1.yaml"], { cwd: dir });
  expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining("atmos/ts-monthly-2y/0001-0002") });
  const later = await wms2(["plan", "e1.yaml", "--set", 'end="0004"', "--set", 'start="0003"'], { cwd: dir });
  expect(later.stderr).toMatch(/nothing can be made now.*00030101\.nc\.tar is not there[\s\S]*wms2 submit e1\.yaml/);
});
