import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SpareDirectories, Spares } from "./spares.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "wms2-spares-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const at = (...parts: string[]): string => join(dir, ...parts);

test("a file that was kept is there under another name, once; what is dropped is gone", () => {
  const spares = new Spares(at("spare"));
  for (const name of ["a", "b"]) {
    writeFileSync(at(name), name);
    expect(spares.keep(at(name))).toBe(true);
    expect(existsSync(at(name))).toBe(false);
  }
  expect(spares.keep(at("nothing"))).toBe(false);
  expect(readFileSync(spares.take() ?? "", "utf8")).toBe("b");
  spares.drop();
  expect(spares.take()).toBeUndefined();
  expect(readdirSync(dir)).toHaveLength(1); // the one that was taken
});

test("a working directory serves again only when the job left nothing there, and without what was said of it", () => {
  const directories = new SpareDirectories(at("spare"));
  const lay = (name: string, files: readonly string[]): string => {
    mkdirSync(at(name));
    for (const file of files) writeFileSync(join(at(name), file), name);
    return at(name);
  };
  expect(directories.open(at("none yet"))).toBe(false);
  const own = ["manifest.json", ".job.ad", ".wms2.reads", ".wms2.makes", ".wms2.step-0.peak"];
  expect(directories.keep(lay("first", own))).toBe(true);
  for (const theirs of ["notes.txt", ".wms2.stop", ".wms2.step-0.report", "report.json"])
    expect(directories.keep(lay(theirs, ["manifest.json", theirs])), theirs).toBe(false);
  expect(directories.open(at("second"))).toBe(true);
  const said = own.map((name) => [name, readFileSync(at("second", name), "utf8")]);
  expect(said.filter(([, text]) => text !== "").map(([name]) => name)).toEqual(["manifest.json", ".job.ad"]);
  expect(directories.open(at("third"))).toBe(false);
});

test("one that is in the way stays, and the spare with it", () => {
  const directories = new SpareDirectories(at("spare"));
  mkdirSync(at("kept"));
  expect(directories.keep(at("kept"))).toBe(true);
  mkdirSync(at("taken"));
  writeFileSync(at("taken", "file"), "");
  expect(directories.open(at("taken"))).toBe(false);
  expect(existsSync(at("taken", "file"))).toBe(true);
  directories.drop();
  expect(readdirSync(dir)).toEqual(["taken"]);
});

test("what a job made of its files is not for the next: a link would be followed, a pipe would be waited for", () => {
  const directories = new SpareDirectories(at("spare"));
  const manifest = at("job", "manifest.json");
  const changes: readonly (() => void)[] = [
    () => symlinkSync(at("elsewhere"), manifest),
    () => linkSync(at("elsewhere"), manifest),
    () => execFileSync("mkfifo", [manifest]),
    () => mkdirSync(at("job", ".wms2.reads")),
    () => chmodSync(at("job"), 0o500),
    () => rmSync(at("job"), { recursive: true }),
  ];
  writeFileSync(at("elsewhere"), "a person's");
  for (const change of changes) {
    mkdirSync(at("job"));
    change();
    expect(directories.keep(at("job")), `${change}`).toBe(false);
    rmSync(at("job"), { recursive: true, force: true });
  }
  expect(readFileSync(at("elsewhere"), "utf8")).toBe("a person's");
  expect(readdirSync(dir)).toEqual(["elsewhere"]);
});
