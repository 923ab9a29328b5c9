import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ReadOther } from "./include.ts";

/** What a document may become by its entities, and how deep they may name each other. */
const MOST_CHARACTERS = 20_000_000;
const DEEPEST = 20;

const DOCTYPE = /<!DOCTYPE\s+[^[>]*(?:\[([\s\S]*?)\]\s*)?>/y;
const DECLARATION = /<!ENTITY\s+([\w.-]+)\s+(?:SYSTEM\s+)?(?:"([^"]*)"|'([^']*)')\s*>/g;
const IS_FILE = /<!ENTITY\s+[\w.-]+\s+SYSTEM/;
/** Where an ampersand is a character like any other: how it begins and ends. */
const LITERALS = [
  ["<![CDATA[", "]]>"],
  ["<!--", "-->"],
] as const;
const PREDEFINED = ["amp", "lt", "gt", "quot", "apos"];

/** The text with its own entities in place: words, or files. One whose file cannot be read is empty, and noted. */
export function expandEntities(
  text: string,
  path: string,
  read: ReadOther,
  note: (words: string) => void,
): Result<string, string> {
  DOCTYPE.lastIndex = Math.max(0, text.indexOf("<!DOCTYPE"));
  const type = DOCTYPE.exec(text);
  if (!type) return ok(text);
  const declared = declaredIn(type[1] ?? "", path, read, note);
  const from = type.index + type[0].length;
  // Lines keep their numbers.
  const head = text.slice(0, type.index) + type[0].replaceAll(/[^\n]/g, "");
  const expanded = new Expansion(declared).expand(text.slice(from));
  return expanded === null
    ? err(`its entities make more than ${MOST_CHARACTERS} characters of it`)
    : ok(head + expanded);
}

function declaredIn(
  subset: string,
  path: string,
  read: ReadOther,
  note: (words: string) => void,
): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const [all, name = "", double, single] of withoutLiterals(subset).matchAll(DECLARATION)) {
    const value = double ?? single ?? "";
    const other = IS_FILE.test(all) ? read(value, path) : { text: value };
    if (other === null) note(`&${name}; is left out: ${value} cannot be read`);
    if (!declared.has(name)) declared.set(name, other?.text.replace(/^\s*<\?xml[^>]*\?>/, "") ?? "");
  }
  for (const [, name, file] of subset.matchAll(/<!ENTITY\s+%\s+([\w.-]+)\s+SYSTEM\s+["']([^"']*)["']/g))
    note(`%${name}; is left out: declarations in other files (${file}) are not read`);
  return declared;
}

/** From where to where, in one walk: what does not end is looked for once, and is none. */
function* literalsIn(text: string): Generator<readonly [number, number]> {
  const next = LITERALS.map(([begin]) => text.indexOf(begin));
  let at = 0;
  for (;;) {
    for (const [kind, [begin]] of LITERALS.entries())
      if (next[kind]! >= 0 && next[kind]! < at) next[kind] = text.indexOf(begin, at);
    const found = next.filter((place) => place >= 0);
    if (found.length === 0) return;
    const from = Math.min(...found);
    const kind = next.indexOf(from);
    const [begin, end] = LITERALS[kind]!;
    const to = text.indexOf(end, from + begin.length);
    if (to < 0) next[kind] = -1;
    else {
      at = to + end.length;
      yield [from, at];
    }
  }
}

function withoutLiterals(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const [from, to] of literalsIn(text)) {
    parts.push(text.slice(at, from));
    at = to;
  }
  return parts.join("") + text.slice(at);
}

class Expansion {
  readonly #declared: ReadonlyMap<string, string>;
  #left = MOST_CHARACTERS;
  constructor(declared: ReadonlyMap<string, string>) {
    this.#declared = declared;
  }

  /** null: it would be too much. */
  expand(text: string, depth = 0): string | null {
    this.#left -= text.length;
    if (this.#left < 0 || depth > DEEPEST) return null;
    const parts: string[] = [];
    let at = 0;
    for (const [from, to] of literalsIn(text)) {
      const plain = this.#named(text.slice(at, from), depth);
      if (plain === null) return null;
      parts.push(plain, text.slice(from, to));
      at = to;
    }
    const rest = this.#named(text.slice(at), depth);
    return rest === null ? null : parts.join("") + rest;
  }

  #named(text: string, depth: number): string | null {
    let isTooMuch = false;
    const named = text.replaceAll(/&([A-Za-z_][\w.-]*);/g, (all, name: string) => {
      const value = PREDEFINED.includes(name) || isTooMuch ? undefined : this.#declared.get(name);
      if (value === undefined) return all;
      const expanded = this.expand(value, depth + 1);
      isTooMuch ||= expanded === null;
      return expanded ?? "";
    });
    return isTooMuch ? null : named;
  }
}
