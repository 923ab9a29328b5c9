import { err, ok, type Result } from "../../../core/base/result.ts";
import { expandEntities } from "./entities.ts";
import { type Element, readXml } from "./xml.ts";

/** Another file, by how one names it that lies at `from`; null: it cannot be read. */
export type ReadOther = (name: string, from: string) => { readonly text: string; readonly path: string } | null;

/** Elements that a document may have with all it includes, and how deep includes may stand in each other. */
const MOST_ELEMENTS = 500_000;
const DEEPEST = 20;

interface Document {
  readonly root: Element;
  readonly path: string;
}
interface Piece {
  readonly children: readonly Element[];
  readonly text: string;
}

/** A document with its entities and `<xi:include>`s in place. What cannot be put there is noted, with its line. */
export function readWithIncludes(
  text: string,
  path: string,
  read: ReadOther,
  note: (words: string) => void,
): Result<Element, string> {
  const including = new Including(read, note);
  const document = including.document(text, path);
  if (!document.ok) return document;
  const whole = including.resolve(document.value, { root: document.value, path }, 0);
  return including.isTooMuch ? err(`its includes make more than ${MOST_ELEMENTS} elements of it`) : ok(whole);
}

class Including {
  readonly #read: ReadOther;
  readonly #note: (words: string) => void;
  readonly #others = new Map<string, Document | null>();
  #left = MOST_ELEMENTS;
  constructor(read: ReadOther, note: (words: string) => void) {
    this.#read = read;
    this.#note = note;
  }
  get isTooMuch(): boolean {
    return this.#left < 0;
  }

  document(text: string, path: string): Result<Element, string> {
    const expanded = expandEntities(text, path, this.#read, this.#note);
    return expanded.ok ? readXml(expanded.value) : expanded;
  }

  /** `within`: the document that names without a file are looked for in. */
  resolve(element: Element, within: Document, depth: number): Element {
    const { children, text } = this.#resolved(element.children, within, depth);
    return { ...element, children, text: element.text + text };
  }

  #resolved(elements: readonly Element[], within: Document, depth: number): Piece {
    let text = "";
    const children = elements.flatMap((element): readonly Element[] => {
      this.#left -= 1;
      if (this.isTooMuch) return [];
      if (element.name !== "xi:include") return [this.resolve(element, within, depth)];
      const { piece, from } = this.#include(element, within, depth);
      const resolved = this.#resolved(piece.children, from, depth + 1);
      text += piece.text + resolved.text;
      return resolved.children;
    });
    return { children, text };
  }

  #include(element: Element, within: Document, depth: number) {
    const { href = "", xpointer } = element.attributes;
    const fallback = element.children.find(({ name }) => name === "xi:fallback");
    const instead = (why: string) => {
      if (!fallback) this.#note(`<xi:include> in line ${element.line} is left out: ${why}`);
      return { piece: { children: fallback?.children ?? [], text: "" }, from: within };
    };
    if (depth >= DEEPEST) return instead("it includes itself");
    const from = href === "" ? within : this.#other(href, within.path);
    if (from === null) return instead(`${href} cannot be read`);
    if (xpointer === undefined) return { piece: { children: [from.root], text: "" }, from };
    const piece = pointedAt(from.root, xpointer);
    if (piece === null) return instead(`${xpointer} is not understood`);
    return piece.children.length + piece.text.trim().length === 0 && !fallback
      ? instead(`there is nothing at ${xpointer}`)
      : { piece, from };
  }

  #other(href: string, from: string): Document | null {
    const file = this.#read(href, from);
    if (file === null) return null;
    const known = this.#others.get(file.path);
    if (known !== undefined) return known;
    const read = this.document(file.text, file.path);
    if (!read.ok) this.#note(`${href} is no XML: ${read.error}`);
    const other = read.ok ? { root: read.value, path: file.path } : null;
    this.#others.set(file.path, other);
    return other;
  }
}

const STEP = /^([\w.-]+|\*|node\(\))((?:\[[^\]]*\])*)$/;
const CONDITION = /^\s*@([\w.:-]+)\s*=\s*(?:'([^']*)'|"([^"]*)")\s*$/;

/** The part of XPath that such files are written with: `//a[@name='b']/c/node()`, a star for any name. null: it is something else. */
function pointedAt(root: Element, xpointer: string): Piece | null {
  const path = /^xpointer\((.*)\)$/s.exec(xpointer.trim())?.[1]?.trim();
  if (path === undefined) return null;
  let found: readonly Element[] = [{ name: "", attributes: {}, children: [root], text: "", line: 0 }];
  let isDeep = path.startsWith("//");
  for (const word of path.replace(/^\/\/?/, "").split("/")) {
    if (word === "") {
      isDeep = true;
      continue;
    }
    const [, name = "", conditions = ""] = STEP.exec(word.trim()) ?? [];
    const fits = conditionsOf(conditions);
    if (name === "" || fits === null) return null;
    if (name === "node()") return { children: found.flatMap(({ children }) => children), text: textOf(found) };
    const below: readonly Element[] = isDeep ? found.flatMap(descendants) : found.flatMap(({ children }) => children);
    found = below.filter((one) => (name === "*" || one.name === name) && fits(one));
    isDeep = false;
  }
  return { children: found, text: "" };
}

const textOf = (elements: readonly Element[]): string => elements.map(({ text }) => text).join("");
const descendants = ({ children }: Element): readonly Element[] =>
  children.flatMap((child) => [child, ...descendants(child)]);

function conditionsOf(text: string): ((element: Element) => boolean) | null {
  const wanted: [string, string][] = [];
  for (const [, all = ""] of text.matchAll(/\[([^\]]*)\]/g))
    for (const one of all.split(/\band\b/)) {
      const [, name, single, double] = CONDITION.exec(one) ?? [];
      if (name === undefined) return null;
      wanted.push([name, single ?? double ?? ""]);
    }
  return ({ attributes }) => wanted.every(([name, value]) => attributes[name] === value);
}
