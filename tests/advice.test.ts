import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { whyNotTyped } from "./support/typed-command.ts";

/** Every command line that code and docs print is one the program understands, as printed. */
const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const files = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted();

/** What somebody would type of "wms2 sites sync [--dry-run]     what would change?  && …". */
const typed = (line: string): string =>
  line
    .replace(/ {2,}.*$/, "")
    .replace(/ +#.*$/, "")
    .split(/ (?:&&|\||>|>>|<) | [|>]$|[,;]( |$)/)[0]!
    .replaceAll(/ \[[^\]]*\]/g, "")
    .replaceAll(/(\w)\|[\w|]+/g, "$1")
    .trim();

/** In docs: lines of fenced blocks, and what is between backticks. */
function inMarkdown(text: string): string[] {
  const fenced = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .split("\n")
      .flatMap((line) => /^\s*(?:\$ )?(wms2 .*)$/.exec(line)?.[1] ?? []),
  );
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...fenced, ...[...prose.matchAll(/`(wms2 [^`\n]+)`/g)].map(([, line = ""]) => line)];
}

/** In code: whole strings that are a command line, with what is put into them as a word of its own. */
const inCode = (text: string): string[] =>
  [...text.matchAll(/(["'`])(wms2 [a-z](?:(?!\1|\\n)[^\n])*)\1/g)]
    .map(([, , line = ""]) =>
      line
        .replaceAll(/(?<=[ =-])\$\{[^}]*\}/g, "WORD")
        .replaceAll(/\$\{[^}]*\}/g, "")
        .replace(/\\$/, "")
        .replaceAll("\\'", "'")
        .replaceAll('\\"', '"'),
    )
    .filter((line) => !line.includes("${"));

/** What is only a sentence that begins so. */
const PROSE = /^wms2 (?:top|mcp confirm|run was interrupted|\w+: )|\bWORD: | was | does | says | tells |: /;

const wrong = async (lines: readonly string[]): Promise<string[]> => {
  const found: string[] = [];
  for (const line of new Set(lines)) {
    const why = await whyNotTyped(line);
    if (why !== null) found.push(`${line}: ${why}`);
  }
  return found;
};

test("docs", async () => {
  const lines = [...files("docs/**/*.md"), ...files("examples/**/*.md"), "README.md"].flatMap((file) =>
    inMarkdown(read(file)).map(typed),
  );
  expect(lines.length).toBeGreaterThan(100);
  expect(await wrong(lines)).toEqual([]);
});

test("what the code prints whole, and the examples of the help", async () => {
  const sources = [...files("src/**/*.ts"), ...files("web/**/*.{ts,tsx}")].filter((file) => !/\.test\.ts/.test(file));
  const lines = sources.flatMap((file) => inCode(read(file)).map(typed)).filter((line) => !PROSE.test(line));
  expect(lines.length).toBeGreaterThan(100);
  expect(await wrong(lines)).toEqual([]);
});
