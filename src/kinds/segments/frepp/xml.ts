import { SaxesParser } from "saxes";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { MAX_DEPTH, TOO_DEEP } from "../../../intake/reading/nesting.ts";

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
  readonly line: number;
}

/** The whole of a document, or where it breaks off. */
export function readXml(text: string): Result<Element, string> {
  const parser = new SaxesParser();
  const top = { name: "", attributes: {}, children: [] as Element[], text: "", line: 0 };
  const open: (typeof top)[] = [top];
  let trouble: string | null = null;
  parser.on("error", (error) => {
    trouble ??= error.message;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const made = { name, attributes, children: [], text: "", line: parser.line };
    if (open.length <= MAX_DEPTH) open.at(-1)!.children.push(made);
    else trouble ??= `line ${parser.line}: ${TOO_DEEP}`;
    open.push(made);
  });
  parser.on("closetag", () => void open.pop());
  const take = (words: string): void => {
    open.at(-1)!.text += words;
  };
  parser.on("text", take);
  parser.on("cdata", take);
  parser.write(text).close();
  const [root] = top.children;
  return trouble === null && root ? ok(root) : err(trouble ?? "there is nothing in it");
}

/** Everything below an element that has this name. */
export const allOf = (element: Element, name: string): readonly Element[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...allOf(child, name)]);

export const childrenOf = ({ children }: Element, name: string): readonly Element[] =>
  children.filter((child) => child.name === name);
