import { plainText } from "../../core/base/plain-text.ts";

/** Text that is markup. Only `html` makes it, so nothing from outside can become any. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/** A template whose values are escaped, all but those it made itself. */
export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(pieces.reduce((text, piece, at) => text + textOf(parts[at - 1] ?? "") + piece));

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(({ text }) => text).join("") : escaped(String(part));
}

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Half a pair, and what no document may hold. */
const BROKEN = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|[\uFFFE\uFFFF]/g;

/** As it may stand between tags and in quotes; what steers terminals or the direction of writing goes too. */
const escaped = (text: string): string =>
  plainText(text)
    .replace(BROKEN, "�")
    .replace(/[&<>"']/g, (sign) => SIGNS[sign]!);

const NOTHING = new Html("");
/** A part that is there only if it has something to say. */
export const when = (is: unknown, make: () => Html): Html => (is ? make() : NOTHING);
/** Coordinates need no more than this. */
export const at = (value: number): number => Math.round(value * 10) / 10;
