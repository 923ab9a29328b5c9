/** The one place where a string becomes a word of a shell: nothing inside single quotes is evaluated. */
export const shQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export interface TaskText {
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly environment: readonly (readonly [string, string])[];
  /** null: /dev/null. */
  readonly stdin: string | null;
  readonly stdout: { readonly path: string; readonly append: boolean } | null;
  readonly stderr: { readonly path: string; readonly append: boolean } | null;
}

/** The `task` file that runner.sh reads. A NUL cannot be in a path or an argument, so it is refused here. */
export function renderTask(task: TaskText): string {
  const into = (target: TaskText["stdout"]): string =>
    target ? `${target.append ? ">>" : ">"}${shQuote(target.path)}` : ">/dev/null";
  const exports = task.environment.map(([key, value]) => `export ${key}=${shQuote(value)}\n`).join("");
  // An empty command would run nothing and "succeed"; setsid gives the task a session and so a group to signal.
  const command = task.argv.map(shQuote).join(" ");
  return (
    `cd ${shQuote(task.cwd)} || exit 125\n${exports}` +
    `exec <${task.stdin ? shQuote(task.stdin) : "/dev/null"} ${into(task.stdout)} 2${into(task.stderr)}\n` +
    `started\nexec setsid ${command}\n`
  );
}
