import { besideDag } from "../../../submit-dir/names.ts";
import { expandArguments } from "../../dag/node-scripts.ts";
import type { Outbox } from "../../dag/outbox.ts";
import type { ProgramExit, ScriptCall, ScriptRunner } from "../../dag/runner.ts";
import { renderTask, type TaskText } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";

/** PRE and POST as tasks beside the executor. */
export function makeScripts(
  tasks: Tasks,
  outbox: Outbox,
  graceMs: number,
  atOnce: (call: ScriptCall) => number | null,
): ScriptRunner {
  const watch = (id: number, onEnd: (exit: ProgramExit) => void, adopted: boolean): void => {
    const ended = (exit: ProgramExit): void => {
      outbox.after(() => tasks.forget(id));
      onEnd(exit);
    };
    tasks.start(id, ({ exit }) => ended(exit), adopted);
    outbox.schedule();
  };
  return {
    atOnce,
    start(id, call, onEnd) {
      tasks.write(id, renderTask(taskOf(call)));
      watch(id, onEnd, false);
    },
    adopt: (id, onEnd) => watch(id, onEnd, true),
    kill: (id) => tasks.kill(id, graceMs),
  };
}

/** It runs in the node's directory; what it says goes to DAGMan's .lib.out and .lib.err. */
function taskOf({ part, node, cluster, cwd, dagPath }: ScriptCall): TaskText {
  const { executable = "", arguments: words = [] } = node.spec[part] ?? {};
  // DAGMan does not search PATH: a bare name is a file in the node's directory.
  const program = executable.includes("/") ? executable : `./${executable}`;
  return {
    cwd,
    argv: [program, ...expandArguments(words, { node, cluster })],
    environment: [],
    stdout: { path: `${dagPath}.lib.out`, append: true },
    stderr: { path: besideDag(dagPath, "libErr"), append: true },
  };
}
