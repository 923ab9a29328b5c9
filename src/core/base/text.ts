/** Small pieces of sentences. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} %`;
}

/** "a, b, c and 4 more". */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= most) return items.join(", ");
  return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
}

/** At most so many characters, and nothing a job printed that would move the cursor or color the screen. */
export function cut(text: string, most: number): string {
  const shown = plain(text);
  if (shown.length <= most) return shown;
  return most <= 1 ? shown.slice(0, most) : `${shown.slice(0, most - 1)}…`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const plain = (text: string): string => text.replaceAll(ESCAPES, "").replaceAll(CONTROLS, " ").trimEnd();

/** Broken between words into at most `lines` lines; the later ones are indented, what is left over is cut. */
export function wrap(text: string, width: number, indent: number, lines: number): readonly string[] {
  const found: string[] = [];
  let rest = plain(text);
  while (found.length < lines - 1 && rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const at = space > indent + 10 ? space : width;
    found.push(rest.slice(0, at).trimEnd());
    rest = `${" ".repeat(indent)}${rest.slice(at).trimStart()}`;
  }
  return [...found, cut(rest, width)];
}

/** A word as it is typed into a shell. */
export const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** 12,345: numbers that people compare. */
export const thousands = (number: number | string | bigint): string => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
