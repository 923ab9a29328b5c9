import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

/** Bars that keep the house in order (CONTRIBUTING.md), checked on the text of all files, read once. */
const root = resolve(import.meta.dirname, "..");
const files = ["src", "lab", "web", "tests"].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ path: join(top, name), text: readFileSync(join(root, top, name), "utf8") })),
);
const isTest = (path: string): boolean => path.startsWith("tests/") || /\.test\.tsx?$/.test(path);
const sources = files.filter(({ path }) => !isTest(path));

test("no file is longer than 500 lines", () => {
  expect(files.filter(({ text }) => text.split("\n").length > 501).map(({ path }) => path)).toEqual([]);
});

/** Where a function begins, as biome formats it; it ends with the next line that closes at the same depth. */
const BEGINS =
  /^(\s*)(?:export )?(?:(?:static|async|private|get|set) )*(?:function\*? \w+|(?:(?:const|let|readonly) )?#?\w+[^=]* = (?:async )?\(|[#\w]+(?:<.*>)?\()(?:.*[{(])?$/;
const NO_FUNCTION = /^\s*(?:if|for|while|switch|return|await|throw|expect)\b/;

function lengths(text: string): { line: number; length: number }[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const depth = BEGINS.exec(line)?.[1];
    if (depth === undefined || NO_FUNCTION.test(line)) return [];
    const closes = (from: number) =>
      lines.findIndex((one, index) => index > from && /^[})]/.test(one.slice(depth.length)) && one.startsWith(depth));
    const first = closes(at);
    // The end of its parameters is not its own.
    const last = /[{(]$/.test(lines[first] ?? "") ? closes(first) : first;
    // The markup that a component answers is no logic.
    const markup = lines.findIndex((one, index) => index > at && index < last && one === `${depth}  return (`);
    return [{ line: at + 1, length: (markup < 0 ? last : markup) - at + 1 }];
  });
}

test("no function is longer than 60 lines", () => {
  const long = sources.flatMap(({ path, text }) =>
    lengths(text).flatMap(({ line, length }) => (length > 60 ? [`${path}:${line} has ${length} lines`] : [])),
  );
  expect(long).toEqual([]);
});

test("hardly anybody but a kind itself asks which kind a request is of", () => {
  const asks =
    /\bwork\??\.kind [!=]==|switch \((?:\w+\.)*work\.kind\)|\bkind [!=]== "(?:process|generate|graph|segments)"/;
  const who = sources.filter(({ path, text }) => /^src\/(?!kinds\/)/.test(path) && asks.test(text));
  expect(who.map(({ path }) => path).slice(2)).toEqual([]);
});

/** Open to be added to by others, and the place of a library in one of the builds. */
const EXPORTED_FOR_OTHERS = ["src/core/work.ts: Works", "src/submit-dir/post/re2js.ts: RE2JS"];

test("what is exported is used elsewhere; what only tests use is used in its own file too", () => {
  const users = new Map<string, string[]>();
  const add = (key: string, user: string) => users.set(key, [...(users.get(key) ?? []), user]);
  for (const { path, text } of files) {
    const target = (name = "") => relative(root, resolve(root, dirname(path), name));
    for (const [, what = "", from] of text.matchAll(/^(?:import|export)\s+([^;"]*?)\s*from "(\.[^"]+)"/gms)) {
      const names = /\{([^}]*)\}/.exec(what)?.[1];
      if (names === undefined) add(target(from), path);
      for (const name of names?.split(",") ?? [])
        add(`${target(from)}: ${/^(?:type )?(\w*)/.exec(name.trim())?.[1]}`, path);
    }
    for (const [, from] of text.matchAll(/import\(\s*"(\.[^"]+)",?\s*\)/g)) add(target(from), path);
  }
  const unused = sources.flatMap(({ path, text }) => {
    const declared = text.matchAll(
      /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) (\w+)/gm,
    );
    return [...declared].flatMap(([, name]) => {
      const by = [...(users.get(`${path}: ${name}`) ?? []), ...(users.get(path) ?? [])];
      const isUsedHere = (text.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0) > 1;
      return by.length === 0 || (by.every(isTest) && !isUsedHere) ? [`${path}: ${name}`] : [];
    });
  });
  expect(unused.filter((one) => !EXPORTED_FOR_OTHERS.includes(one))).toEqual([]);
});
