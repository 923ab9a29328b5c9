import { Fault } from "./lines.ts";

/** `arguments` in both of condor_submit's syntaxes. New: one pair of double quotes around all of it. */
export function splitArguments(value: string): string[] {
  const text = value.trim();
  if (!text.startsWith('"')) return text ? text.replace(/\\"/g, '"').split(/\s+/) : [];
  if (text.length < 2 || !text.endsWith('"')) throw new Fault("arguments: the closing double quote is missing");
  const inner = text.slice(1, -1).replace(/""/g, "\0");
  if (inner.includes('"')) throw new Fault("arguments: a double quote inside must be doubled");
  return splitQuoted(inner);
}

/** Blanks separate; '…' keeps them; a doubled quote of either kind is a literal one. */
function splitQuoted(inner: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quoted = false;
  for (let i = 0; i < inner.length; i++) {
    const c = inner[i] as string;
    if (c === "'") {
      if (quoted && inner[i + 1] === "'") {
        word = `${word ?? ""}'`;
        i += 1;
      } else {
        quoted = !quoted;
        word ??= "";
      }
    } else if (/\s/.test(c) && !quoted) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + (c === "\0" ? '"' : c);
  }
  if (quoted) throw new Fault("arguments: a single quote is not closed");
  if (word !== null) words.push(word);
  return words;
}

export const unquoted = (value: string): string => value.replace(/^"([\s\S]*)"$/, "$1");

export const splitList = (value: string, separator = ","): string[] =>
  value
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);

/** `"a=b; c=d"`, quotes optional. */
export function splitRemaps(value: string): Record<string, string> {
  const parts = splitList(unquoted(value), ";").map((part) => {
    const equals = part.indexOf("=");
    if (equals < 1) throw new Fault(`transfer_output_remaps: "${part}" is no name=path`);
    return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
  });
  return Object.fromEntries(parts);
}
