#!/usr/bin/env node
// Lines of code without tests, room by room. Usage: npm run -s rooms [-- --json]
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Below src/: what a request needs from its document to its registered outputs, on DAGMan. */
const CORE = [
  ...["core", "intake", "planning", "submit-dir", "recovery", "loop", "store"],
  ...["engines/port.ts", "engines/format", "engines/dagman", "engines/observe"],
  ...["catalogs/port.ts", "catalogs/local-catalog.ts", "catalogs/local-dataset.ts", "catalogs/outputs"],
  ...["kinds/kind.ts", "kinds/table.ts", "kinds/process", "kinds/generate"],
];

const linesIn = (file) => readFileSync(file, "utf8").split("\n").length - 1;
const isCode = (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name);

/** Lines of every source file by its path. */
export function sourceLines(folder = root) {
  return ["src", "web", "lab"].flatMap((top) =>
    readdirSync(join(folder, top), { recursive: true, encoding: "utf8" })
      .filter(isCode)
      .map((name) => [`${top}/${name}`, linesIn(join(folder, top, name))]),
  );
}

/** The rooms with their lines, the core's, and all. */
export function rooms(files = sourceLines()) {
  const byRoom = {};
  for (const [path, lines] of files) {
    const [top, room, ...rest] = path.split("/");
    const name = top !== "src" ? top : rest.length === 0 ? "main" : room;
    byRoom[name] = (byRoom[name] ?? 0) + lines;
  }
  const sum = (some) => some.reduce((total, [, lines]) => total + lines, 0);
  const isCore = ([path]) => CORE.some((name) => path === `src/${name}` || path.startsWith(`src/${name}/`));
  return { rooms: byRoom, core: sum(files.filter(isCore)), total: sum(files) };
}

if (process.argv[1] === import.meta.filename) {
  const found = rooms();
  if (process.argv.includes("--json")) console.log(JSON.stringify(found));
  else {
    for (const [room, lines] of Object.entries(found.rooms)) console.log(`${String(lines).padStart(7)}  ${room}`);
    console.log(`${String(found.core).padStart(7)}  of them the core\n${String(found.total).padStart(7)}  all`);
  }
}
