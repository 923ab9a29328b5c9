import { expandArguments } from "../../dag/node-scripts.ts";
import type { Outbox } from "../../dag/outbox.ts";
import type { ProgramExit, ScriptCall, ScriptRunner } from "../../dag/runner.ts";
import type { TaskText } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";

/** PRE and POST as tasks beside the executor. */
export class ProcessScripts implements ScriptRunner {
  private readonly tasks: Tasks;
  private readonly outbox: Outbox;
  private readonly graceMs: number;

  constructor(tasks: Tasks, outbox: Outbox, graceMs: number) {
    this.tasks = tasks;
    this.outbox = outbox;
    this.graceMs = graceMs;
  }

  start(id: number, call: ScriptCall, onEnd: (exit: ProgramExit) => void): void {
    this.tasks.write(id, taskOf(call));
    this.watch(id, onEnd, false);
  }

  adopt(id: number, onEnd: (exit: ProgramExit) => void): void {
    this.watch(id, onEnd, true);
  }

  kill(id: number): void {
    this.tasks.kill(id, this.graceMs);
  }

  private watch(id: number, onEnd: (exit: ProgramExit) => void, adopted: boolean): void {
    const ended = (exit: ProgramExit): void => {
      this.outbox.after(() => this.tasks.forget(id));
      onEnd(exit);
    };
    this.tasks.start(id, ({ exit }) => ended(exit), adopted);
    this.outbox.schedule();
  }
}

/** It runs in the node's directory; what it says goes to DAGMan's .lib.out and .lib.err. */
function taskOf({ part, node, cluster, cwd, dagPath }: ScriptCall): TaskText {
  const script = node.spec[part];
  const executable = script?.executable ?? "";
  // DAGMan does not search PATH: a bare name is a file in the node's directory.
  const program = executable.includes("/") ? executable : `./${executable}`;
  return {
    cwd,
    argv: [program, ...expandArguments(script?.arguments ?? [], { node, cluster })],
    environment: [],
    stdout: { path: `${dagPath}.lib.out`, append: true },
    stderr: { path: `${dagPath}.lib.err`, append: true },
  };
}
