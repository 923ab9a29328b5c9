import type { DagFiles } from "./dag-files.ts";
import type { LiveNode } from "./dag-machine.ts";
import type { Outbox } from "./outbox.ts";
import { expandArguments, type ScriptFacts } from "./script-macros.ts";
import type { TaskEnd } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";

type Part = "pre" | "post";

/** PRE and POST of one DAG's nodes: tasks in the DAG's directory, their words in DAGMan's .lib.out and .lib.err. */
export class NodeScripts {
  private readonly world: { readonly tasks: Tasks; readonly outbox: Outbox; readonly nextId: () => number };
  private readonly files: DagFiles;

  constructor(world: { tasks: Tasks; outbox: Outbox; nextId: () => number }, files: DagFiles) {
    this.world = world;
    this.files = files;
  }

  /** Writes the task down; `watch` starts it, once the caller has journalled its id. */
  prepare(node: LiveNode, part: Part, cwd: string, facts: ScriptFacts): number {
    const script = node.spec[part] as NonNullable<LiveNode["spec"][Part]>;
    const id = this.world.nextId();
    // DAGMan does not search PATH: a bare name is a file in the node's directory.
    const program = script.executable.includes("/") ? script.executable : `./${script.executable}`;
    this.world.tasks.write(id, {
      cwd,
      argv: [program, ...expandArguments(script.arguments, facts)],
      environment: [],
      stdin: null,
      stdout: { path: `${this.files.path}.lib.out`, append: true },
      stderr: { path: `${this.files.path}.lib.err`, append: true },
    });
    return id;
  }

  /** `code` null: it was killed with the machine, so it has to run again. */
  watch(node: LiveNode, part: Part, id: number, adopted: boolean, onEnd: (code: number | null) => void): void {
    const { tasks, outbox } = this.world;
    const ended = (end: TaskEnd): void => {
      outbox.after(() => tasks.forget(id));
      onEnd(this.codeOf(node, part, end));
    };
    tasks.start(id, ended, adopted);
    outbox.schedule();
  }

  private codeOf(node: LiveNode, part: Part, { exit }: TaskEnd): number | null {
    if (exit.kind === "exited") return exit.code;
    if (exit.kind === "signalled") return -exit.signal;
    if (exit.kind === "vanished") return null;
    this.files.say(`ERROR: ${part.toUpperCase()} script of ${node.spec.name} did not run: ${exit.words}`);
    return 1;
  }
}
