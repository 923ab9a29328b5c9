import { err, ok, type Result } from "../../base/result.ts";

/** `arguments` in both of condor_submit's syntaxes. New: one pair of double quotes around all of it. */
export function splitArguments(value: string): Result<string[], string> {
  const text = value.trim();
  if (text.startsWith('"')) return splitNew(text, "arguments");
  return ok(text ? text.replace(/\\"/g, '"').split(/\s+/) : []);
}

/** `environment`: new syntax as above, old syntax `A=1;B=2`. */
export function splitEnvironment(value: string): Result<[string, string][], string> {
  const text = value.trim();
  const words = text.startsWith('"')
    ? splitNew(text, "environment")
    : ok(
        text
          .split(";")
          .map((word) => word.trim())
          .filter(Boolean),
      );
  if (!words.ok) return words;
  const pairs: [string, string][] = [];
  for (const word of words.value) {
    const equals = word.indexOf("=");
    const name = word.slice(0, equals);
    if (equals < 1 || !/^[A-Za-z_]\w*$/.test(name)) return err(`environment: "${word}" is no NAME=value`);
    pairs.push([name, word.slice(equals + 1)]);
  }
  return ok(pairs);
}

/** Blanks separate; '…' keeps them; a doubled quote of either kind is a literal one. */
function splitNew(text: string, what: string): Result<string[], string> {
  if (text.length < 2 || !text.endsWith('"')) return err(`${what}: the closing double quote is missing`);
  const inner = text.slice(1, -1).replace(/""/g, "\0");
  if (inner.includes('"')) return err(`${what}: a double quote inside must be doubled`);
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
  if (quoted) return err(`${what}: a single quote is not closed`);
  if (word !== null) words.push(word);
  return ok(words);
}

export const splitList = (value: string): string[] =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

/** `"a=b; c=d"`, quotes optional. */
export function splitRemaps(value: string): Result<Map<string, string>, string> {
  const remaps = new Map<string, string>();
  for (const part of value
    .trim()
    .replace(/^"([\s\S]*)"$/, "$1")
    .split(";")) {
    if (!part.trim()) continue;
    const equals = part.indexOf("=");
    if (equals < 1) return err(`transfer_output_remaps: "${part.trim()}" is no name=path`);
    remaps.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return ok(remaps);
}

const UNIT_MB: Readonly<Record<string, number>> = { k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 };

/** `2048`, `2 GB`, `1.5g`: megabytes unless it says otherwise. */
export function parseMemoryMb(value: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])i?b?)?$/i.exec(value.trim());
  if (!match) return null;
  return Math.ceil(Number(match[1]) * (UNIT_MB[match[2]?.toLowerCase() ?? "m"] as number));
}
