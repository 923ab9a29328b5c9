/** Rows of cells by RFC 4180; blanks around a cell without quotes do not count, nor do empty lines. Or what is wrong with it. Ends after so many rows. */
export function parseCsv(text: string, most: number): readonly (readonly string[])[] | string {
  const rows: string[][] = [];
  let row: string[] = [];
  let line = 1;
  for (let at = 0; at <= text.length && rows.length < most; ) {
    const cell = text[skipBlanks(text, at)] === '"' ? quotedCell(text, skipBlanks(text, at)) : plainCell(text, at);
    if (cell === null) return `has a quote without its partner in line ${line}`;
    const sign = text[cell.end];
    if (sign !== undefined && sign !== "," && sign !== "\n" && sign !== "\r")
      return `has something after a quoted cell in line ${line}`;
    row.push(cell.text);
    at = cell.end + (sign === "\r" && text[cell.end + 1] === "\n" ? 2 : 1);
    if (sign === ",") continue;
    if (row.length > 1 || row[0] !== "" || cell.isQuoted) rows.push(row);
    row = [];
    line += 1;
  }
  return rows;
}

interface Cell {
  readonly text: string;
  /** Where the sign after it stands. */
  readonly end: number;
  readonly isQuoted: boolean;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

const END = /[,\r\n]/g;
function plainCell(text: string, from: number): Cell {
  END.lastIndex = from;
  const end = END.exec(text)?.index ?? text.length;
  return { text: text.slice(from, end).trim(), end, isQuoted: false };
}

function quotedCell(text: string, quote: number): Cell | null {
  let cell = "";
  for (let at = quote + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return null;
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return { text: cell, end: skipBlanks(text, end + 1), isQuoted: true };
    cell += '"';
    at = end + 2;
  }
}
