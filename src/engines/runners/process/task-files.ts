import type { ProgramExit } from "../../dag/runner.ts";
import type { ProcessMark } from "./proc.ts";

/** The files of a task: `.task`, which the engine writes and runner.sh reads, and `.state`, the other way round. */

/** The one place where a string becomes a word of a shell: nothing inside single quotes is evaluated. */
export const shQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** `export` of them all; nothing of none, for that would list what is exported. */
export const exportLine = (environment: readonly (readonly [string, string])[]): string =>
  environment.length > 0 ? `export ${environment.map(([key, value]) => `${key}=${shQuote(value)}`).join(" ")}` : "";

export interface TaskText {
  readonly cwd: string;
  readonly argv: readonly string[];
  /** The control group it joins first: the file it writes 0 to. */
  readonly joins?: string | null;
  readonly environment: readonly (readonly [string, string])[];
  /** null: /dev/null. */
  readonly stdout: { readonly path: string; readonly append: boolean } | null;
  readonly stderr: { readonly path: string; readonly append: boolean } | null;
}

/** A program in a process and session of its own. A NUL cannot be in a path or an argument, so it is refused here. */
export function renderTask(task: TaskText): string {
  const into = (target: TaskText["stdout"]): string =>
    target ? `${target.append ? ">>" : ">"}${shQuote(target.path)}` : ">/dev/null";
  const lines = [
    "(",
    task.joins ? `{ echo 0 >${shQuote(task.joins)}; } 2>/dev/null` : "",
    `cd ${shQuote(task.cwd)} || exit 125`,
    exportLine(task.environment),
    `exec ${into(task.stdout)} 2${into(task.stderr)}`,
    // setsid gives the task a session and so a group to signal.
    `started\nexec "$setsid" ${task.argv.map(shQuote).join(" ")}`,
    ")",
  ];
  return `${lines.join("\n")}\n`;
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

/** From direct.sh: what was said of the task before is dealt with; whoever speaks from now on tells how it ended. */
const CONCLUDED = "concluded";
const CLAIM = /^claim (\d+) (\d+)$/;

/** Reads a state file, also one that is being written: only whole lines count, and an end only when it is whole. */
export function parseState(text: string): TaskState {
  // Who claims it after the first does nothing more, and may do so at any time.
  const lines = text.split("\n").filter((line, index) => index === 0 || !CLAIM.test(line));
  const claim = CLAIM.exec(lines.length > 1 ? (lines[0] as string) : "");
  const isEnded = lines.at(-1) === "" && lines.at(-2) === ".";
  let group: number | null = null;
  const said: string[] = [];
  for (const line of lines.slice(1, isEnded ? -5 : -1)) {
    const pid: RegExpExecArray | null = group === null ? /^pid (\d+)$/.exec(line) : null;
    if (pid) group = Number(pid[1]);
    else if (line === CONCLUDED) said.length = 0;
    else if (line && !line.startsWith("exit ")) said.push(line); // An end that found no room was written again.
  }
  return {
    claim: claim ? { pid: Number(claim[1]), startTime: claim[2] as string } : null,
    group,
    end: isEnded ? endOf(lines, group !== null, said) : null,
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
