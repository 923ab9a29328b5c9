import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PAYLOAD_FILES, SIMULATOR_FILES } from "./files.ts";

const FILES = [...PAYLOAD_FILES, ...SIMULATOR_FILES];

/** The build puts them into worker/run.sh and simulator/simulator.mjs. */
const JOINED = /^worker\/(?!run)\w+\.(sh|awk)$|^simulator\/\w+\.mjs$/;

test("every program is in the list once, and every listed file is there", () => {
  const here = ["worker", "submit-host", "simulator"].flatMap((folder) =>
    readdirSync(new URL(`./${folder}/`, import.meta.url))
      .filter((name) => !name.endsWith(".test.ts"))
      .map((name) => `${folder}/${name}`)
      .filter((path) => !JOINED.test(path)),
  );
  const listed = FILES.map((file) => file.source.pathname.split("/").slice(-2).join("/"));
  const bundled = ["submit-host/brain.cjs", "submit-host/re2js.js", "simulator/simulator.mjs"];
  expect(listed.toSorted()).toEqual([...here, ...bundled].toSorted());
  expect(new Set(FILES.map((file) => file.target)).size).toBe(FILES.length);
  for (const file of FILES) {
    expect(basename(file.target)).toBe(basename(fileURLToPath(file.source)));
    expect((statSync(file.source).mode & 0o111) !== 0).toBe(file.executable);
  }
});

test("the parts of the worker's program do not define a function twice: they are joined into one file", () => {
  const text = readFileSync(PAYLOAD_FILES.find(({ target }) => target.endsWith("/run.sh"))!.source, "utf8");
  const names = [...text.matchAll(/^(\w+)\(\)/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
