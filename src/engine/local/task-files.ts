import type { ProcessMark } from "./proc.ts";
import type { TaskEnd } from "./tasks.ts";

/** How a task ended, as runner.sh wrote it down. */
export type TaskExit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: number }
  /** The working directory or a redirection failed: the program never ran. */
  | { readonly kind: "unstarted"; readonly words: string }
  /** Supervisor and all are gone: killed with the machine. */
  | { readonly kind: "vanished" };

/**
 * A shell reports 128 + n both for signal n and for a program that exits with that code; only for the signal it
 * also says so (dash: not for INT and PIPE, which therefore read as 130 and 141).
 */
export function parseExit(
  text: string | null,
  more: () => { began: boolean; words: string },
): TaskEnd | null {
  if (!text?.endsWith("\n.\n")) return null;
  const lines = text.split("\n");
  const match = /^(s?)(\d+)$/.exec(lines[0] as string);
  if (!match) return null;
  const code = Number(match[2]);
  const [userSec, systemSec] = parseTimes(lines[2] ?? "");
  return { exit: classify(code, match[1] === "s", more), userSec, systemSec };
}

function classify(code: number, spoken: boolean, more: () => { began: boolean; words: string }): TaskExit {
  if (!spoken) return { kind: "exited", code };
  const { began, words } = more();
  if (!began) return { kind: "unstarted", words: words.trim() || `exit ${code} before the program ran` };
  return code > 128 ? { kind: "signalled", signal: code - 128 } : { kind: "exited", code };
}

/** "0m1.500000s 0m0.250000s" */
function parseTimes(line: string): [number, number] {
  const values = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map((m) => Number(m[1]) * 60 + Number(m[2]));
  return [values[0] ?? 0, values[1] ?? 0];
}

export function parseClaim(text: string | null): ProcessMark | null {
  const match = /^(\d+) (\d+)\n$/.exec(text ?? "");
  return match ? { pid: Number(match[1]), startTime: match[2] as string } : null;
}
