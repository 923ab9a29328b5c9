import type { ProgramExit } from "../../dag/runner.ts";
import type { ProcessMark } from "./proc.ts";

/** The files of a task: `.task`, which the engine writes and runner.sh reads, and `.state`, the other way round. */

/** The one place where a string becomes a word of a shell: nothing inside single quotes is evaluated. */
export const shQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export interface TaskText {
  readonly cwd: string;
  readonly argv: readonly string[];
  /** Words for the shell that say `started` and what to run, instead of argv. */
  readonly script?: string | null;
  /** The control group it joins first: the file it writes 0 to. */
  readonly joins?: string | null;
  readonly environment: readonly (readonly [string, string])[];
  /** null: /dev/null. */
  readonly stdout: { readonly path: string; readonly append: boolean } | null;
  readonly stderr: { readonly path: string; readonly append: boolean } | null;
}

/** A NUL cannot be in a path or an argument, so it is refused here. */
export function renderTask(task: TaskText): string {
  const into = (target: TaskText["stdout"]): string =>
    target ? `${target.append ? ">>" : ">"}${shQuote(target.path)}` : ">/dev/null";
  const exports = task.environment.map(([key, value]) => `export ${key}=${shQuote(value)}\n`).join("");
  // An empty command would run nothing and "succeed"; setsid gives the task a session and so a group to signal.
  const command = task.argv.map(shQuote).join(" ");
  return (
    (task.joins ? `{ echo 0 >${shQuote(task.joins)}; } 2>/dev/null\n` : "") +
    `cd ${shQuote(task.cwd)} || exit 125\n${exports}` +
    `exec ${into(task.stdout)} 2${into(task.stderr)}\n` +
    (task.script ?? `started\nexec "$setsid" ${command}\n`)
  );
}

/** How a task ended, as runner.sh wrote it down. */
export interface TaskEnd {
  readonly exit: ProgramExit;
  readonly userSec: number;
  readonly systemSec: number;
}

export interface TaskState {
  readonly claim: ProcessMark | null;
  /** The process group of the task. */
  readonly group: number | null;
  /** null: not ended. */
  readonly end: TaskEnd | null;
}

/** What was said of the task before is dealt with: whoever says this tells how it ended. */
export const CONCLUDED = "concluded";

/** Reads a state file, also one that is being written: only whole lines count, and an end only when it is whole. */
export function parseState(text: string): TaskState {
  const lines = text.split("\n");
  const claim = /^claim (\d+) (\d+)$/.exec(lines.length > 1 ? (lines[0] as string) : "");
  let group: number | null = null;
  const said: string[] = [];
  for (let i = 1; i < lines.length - 1; i++) {
    const line = lines[i] as string;
    const pid: RegExpExecArray | null = group === null ? /^pid (\d+)$/.exec(line) : null;
    if (pid) group = Number(pid[1]);
    else if (line === CONCLUDED) said.length = 0;
    else if (text.endsWith("\n.\n") && i === lines.length - 5 && line.startsWith("exit ")) break;
    else if (line) said.push(line);
  }
  return {
    claim: claim ? { pid: Number(claim[1]), startTime: claim[2] as string } : null,
    group,
    end: text.endsWith("\n.\n") ? endOf(lines, group !== null, said) : null,
  };
}

/**
 * A shell reports 128 + n both for signal n and for a program that exits with that code; only for the signal it
 * also says so (dash: not for INT and PIPE, which therefore read as 130 and 141).
 */
function endOf(lines: readonly string[], began: boolean, said: readonly string[]): TaskEnd | null {
  const exit = /^exit (\d+)$/.exec(lines.at(-5) ?? "");
  if (!exit) return null;
  const code = Number(exit[1]);
  const [userSec, systemSec] = parseTimes(lines.at(-3) ?? "");
  const usage = { userSec, systemSec };
  if (!began) return { exit: { kind: "unstarted", why: said.join("; ") || `exit ${code}` }, ...usage };
  if (code > 128 && said.length) return { exit: { kind: "signaled", signal: code - 128 }, ...usage };
  return { exit: { kind: "exited", code }, ...usage };
}

/** "0m1.500000s 0m0.250000s" */
function parseTimes(line: string): [number, number] {
  const values = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map((m) => Number(m[1]) * 60 + Number(m[2]));
  return [values[0] ?? 0, values[1] ?? 0];
}
