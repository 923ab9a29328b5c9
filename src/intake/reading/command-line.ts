/**
 * Splits a command line into arguments the way a shell would, as long as a shell would do nothing else with it.
 * Whatever a shell would expand, redirect or sequence is refused with the character that did it: a request's
 * arguments reach the job exactly as written, and nobody believes they were evaluated.
 */
type SplitArguments =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly why: string };

const SPECIAL = new Set("$`|;&<>*?[](){}\n\r!~#");
/** Harmless inside a word: a#b, a~b, x{y. Only a shell's own reading of the word's start matters. */
const ONLY_AT_START = new Set("~#!");

const SHELL_HINT = 'commands are run without a shell: write run: [sh, -c, "…"]';
const shell = (sign: string): SplitArguments => ({
  ok: false,
  why: `uses shell syntax (${JSON.stringify(sign)}); ${SHELL_HINT}`,
});

/** `plain`: signs that whoever reads the words has a use for, and that are left in them. */
export function splitArguments(line: string, plain = ""): SplitArguments {
  const text = line.trim();
  const argv: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === " " || sign === "\t") {
      if (word !== null) argv.push(word);
      word = null;
    } else if (sign === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return { ok: false, why: "has a ' without its partner" };
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (sign === '"') {
      const quoted = readDoubleQuoted(text, at + 1);
      if ("failure" in quoted) return quoted.failure;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (sign === "\\") {
      if (at + 1 >= text.length) return { ok: false, why: "ends with a backslash" };
      if (text[at + 1] === "\n") return shell("\n");
      word = (word ?? "") + text[at + 1];
      at += 1;
    } else if (SPECIAL.has(sign) && !plain.includes(sign) && !(ONLY_AT_START.has(sign) && word !== null)) {
      return shell(sign);
    } else {
      word = (word ?? "") + sign;
    }
  }
  if (word !== null) argv.push(word);
  if (argv.length === 0) return { ok: false, why: "is empty" };
  if (/^[A-Za-z_][A-Za-z0-9_]*=/.test(argv[0]!)) {
    return { ok: false, why: `begins with a variable (${argv[0]!.split("=")[0]}=); put variables under env` };
  }
  return { ok: true, argv };
}

function readDoubleQuoted(text: string, start: number): { text: string; end: number } | { failure: SplitArguments } {
  let out = "";
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') return { text: out, end: at };
    if (sign === "$" || sign === "`") return { failure: shell(sign) };
    if (sign === "\\" && '"\\$`'.includes(text[at + 1] ?? "-")) {
      out += text[at + 1];
      at += 1;
    } else {
      out += sign;
    }
  }
  return { failure: { ok: false, why: 'has a " without its partner' } };
}
