import { formatValue, parsePattern } from "./placeholders.ts";
import type { Column } from "./rows.ts";

/** A text of a template: the same for all of its jobs, or what it is for each of them. */
export type JobText = string | ((row: number) => string);

/** Never fails: what is wrong is told, and the text then stands as it was written. */
export function compileText(
  text: string,
  columns: ReadonlyMap<string, Column>,
  fault: (message: string) => void,
): JobText {
  if (!text.includes("{") && !text.includes("}")) return text;
  const pattern = parsePattern(text);
  if ("why" in pattern) {
    fault(pattern.why);
    return text;
  }
  const pieces = pattern.map((piece) => {
    if (typeof piece === "string") return piece;
    const column = columns.get(piece.name);
    if (column) return formatted(column, piece.name, piece.format, fault);
    fault(`{${piece.name}} is not a parameter here${known(columns)}`);
    return `{${piece.name}}`;
  });
  return joined(pieces);
}

const known = (columns: ReadonlyMap<string, Column>): string =>
  columns.size === 0 ? "; a brace itself is written {{" : `: it has ${[...columns.keys()].slice(0, 20).join(", ")}`;

/** Values are formatted once, not once a job. */
function formatted({ values, stride }: Column, name: string, format: string, fault: (message: string) => void) {
  const texts = values.map((value) => {
    const text = formatValue(value, format);
    if (text === null)
      fault(
        `{${name}:${format}} does not fit ${JSON.stringify(value.slice(0, 80))}, which is not a ${format.endsWith("d") ? "whole " : ""}number`,
      );
    return text ?? value;
  });
  if (texts.length === 1) return texts[0]!;
  return (row: number): string => texts[Math.floor(row / stride) % texts.length]!;
}

function joined(pieces: readonly JobText[]): JobText {
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  return (row) => {
    let text = "";
    for (const piece of pieces) text += typeof piece === "string" ? piece : piece(row);
    return text;
  };
}

export const textAt = (text: JobText, row: number): string => (typeof text === "string" ? text : text(row));

/** Several texts: one list for all jobs where none of them differs. */
export function compileTexts(texts: readonly JobText[]): (row: number) => readonly string[] {
  if (texts.every((text) => typeof text === "string")) {
    const all = texts as readonly string[];
    return () => all;
  }
  return (row) => {
    const list: string[] = [];
    for (const text of texts) list.push(textAt(text, row));
    return list;
  };
}
