import { err, ok, type Result } from "../../core/base/result.ts";

/** Texts read line by line, and faults in them. */

/** Something that cannot be read or carried out: thrown where it is found, a value for whoever asked. */
export class Fault extends Error {}

export function orFault<T>(read: () => T): Result<T, string> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof Fault) return err(error.message);
    throw error;
  }
}

/** A fault in here is told with the place before it. */
export function within<T>(place: string, read: () => T): T {
  const result = orFault(read);
  if (!result.ok) throw new Fault(`${place}${result.error}`);
  return result.value;
}

/** Statements: comments and blank lines dropped, `\` continuations joined, CRLF accepted. */
export function* logicalLines(text: string): Generator<{
  /** Number of its first physical line, from 1. */
  readonly line: number;
  readonly text: string;
}> {
  const physical = text.split("\n");
  for (let i = 0; i < physical.length; i++) {
    const line = i + 1;
    let joined = (physical[i] as string).trim();
    if (joined.startsWith("#")) continue;
    while (joined.endsWith("\\") && i + 1 < physical.length)
      joined = `${joined.slice(0, -1)} ${(physical[++i] as string).trim()}`.trim();
    if (joined) yield { line, text: joined };
  }
}

/** Splits a stream into lines. */
export function lineReader(onLine: (line: string) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) if (line) onLine(line);
  };
}
