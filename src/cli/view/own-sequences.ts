import { randomInt } from "node:crypto";
import { plainText } from "../../core/base/plain-text.ts";

/**
 * Sequences of our own carry a number nobody outside can know, so that on their way to the terminal they are told from
 * those in a job's log or a request's name. Only `shown` takes it off again.
 */
const MARK = `;${randomInt(2 ** 40, 2 ** 47)}`;

/** `own(31, "m")` is red, `own("?25", "l")` hides the cursor. */
export const own = (parameters: number | string, final: string): string => `\u001b[${parameters}${MARK}${final}`;

const OWN = new RegExp(`(\\u001b\\[[0-9?]*)${MARK}([A-Za-z])`);

/** Text as a terminal gets it: our own sequences as they are, and nothing else that steers it. */
export const shown = (text: string): string =>
  text
    .split(OWN)
    // Every match leaves three parts: the text before it, and the two halves of the sequence without the mark.
    .map((piece, at) => (at % 3 === 0 ? plainText(piece) : piece))
    .join("");
