/** Of maps and lists in each other. Whoever reads a document calls itself at every level, and the stack of calls ends. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH}`;

/**
 * Whether brackets of a text stand deeper in each other than may be, those in comments and quotes left out: asked before it
 * is parsed, in one walk. `quotes`: the signs that begin and end text.
 */
export function isDeeper(text: string, quotes: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    else if (quotes.includes(sign)) at = endOfText(text, at);
    else if (sign === "/" && text[at + 1] === "/") at = endAt(text.indexOf("\n", at), text);
    else if (sign === "/" && text[at + 1] === "*") at = endAt(text.indexOf("*/", at + 2), text);
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const endAt = (found: number, text: string): number => (found < 0 ? text.length : found);

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === text[start]) return at;
    if (text[at] === "\\") at += 1;
  }
  return text.length;
}
