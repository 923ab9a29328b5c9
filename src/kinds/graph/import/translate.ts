import type { Notes } from "../../../intake/reading/notes.ts";
import type { Row } from "../../../intake/reading/values.ts";
import { isTorc, translateTorc } from "./torc.ts";
import type { Translation } from "./translation.ts";
import { isWfFormat, translateWfFormat } from "./wfformat.ts";

/** A graph that was written for another system; null: it is none. What cannot be honoured is a problem, what does not matter here a warning. */
export function translateGraph(row: Row, notes: Notes): Translation | null {
  if (isTorc(row)) return translateTorc(row, notes);
  return isWfFormat(row) ? translateWfFormat(row, notes) : null;
}
