import { RE2JS } from "re2js";

/**
 * The stderr patterns of rules. They come from outside and look at what jobs wrote, so they are matched by RE2, in time
 * that grows with the text and never explodes; a pattern and its text together take well under 100 ms. RE2 has no
 * look-around and no back-references: patterns with them are refused when they are submitted.
 */
export const LONGEST_PATTERN = 500;
/** A pattern written out, with its counted repetitions; what it may look at shrinks as it grows. */
const MOST_INSTRUCTIONS = 250;
const MOST_STEPS = 2_000_000;
/** What a pattern of up to 30 instructions looks at. */
export const LOG_CHARACTERS = 65_536;

/** Why it cannot be used; null: it can. */
export function patternProblem(source: string): string | null {
  if (source === "") return "is empty and would match everything";
  if (source.length > LONGEST_PATTERN) return `is too long: ${source.length} characters, at most ${LONGEST_PATTERN}`;
  const compiled = compile(source);
  return typeof compiled === "string" ? compiled : null;
}

/** Whether the end of a log has it. What cannot be used is found nowhere. */
export function isFound(source: string, log: string): boolean {
  const compiled = compile(source);
  if (typeof compiled === "string") return false;
  return compiled.test(log.slice(-Math.min(LOG_CHARACTERS, Math.floor(MOST_STEPS / compiled.programSize()))));
}

const known = new Map<string, RE2JS | string>();

function compile(source: string): RE2JS | string {
  const before = known.get(source);
  if (before !== undefined) return before;
  const compiled = tryCompile(source);
  if (known.size < 1000) known.set(source, compiled);
  return compiled;
}

function tryCompile(source: string): RE2JS | string {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    const size = compiled.programSize();
    if (size <= MOST_INSTRUCTIONS) return compiled;
    return `is too large: ${size} steps when its repetitions are written out, at most ${MOST_INSTRUCTIONS}`;
  } catch (error) {
    // The engine quotes the pattern, which may hold anything.
    const words = String((error as Error).message).replace(/^error parsing regexp: /, "");
    const reason = words.replaceAll(/[^ -~]/g, "?").slice(0, 100);
    return `is no regular expression we can use (${reason}); look-ahead, look-behind and back-references are not allowed`;
  }
}
