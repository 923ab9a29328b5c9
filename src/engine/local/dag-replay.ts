import type { DagFile } from "./dag-file.ts";
import type { DagAction, DagEvent, DagMachine } from "./dag-machine.ts";
import type { JournalLine } from "./journal.ts";
import type { Hold } from "./transfer.ts";

/** What was about to be done for a node when the journal ends. */
export interface Intent {
  cluster: number | null;
  run: { readonly site: string; readonly at: number } | null;
  script: number | null;
  /** Why the running job was being ended. */
  hold: Hold | null;
}

export interface Replayed {
  readonly started: boolean;
  /** Actions the machine asked for and whose end is not in the journal. */
  readonly open: ReadonlyMap<number, "pre" | "job" | "post" | "defer">;
  readonly intents: ReadonlyMap<number, Intent>;
  readonly killing: boolean;
  readonly paused: boolean;
  readonly halted: boolean;
  /** Rescue number of an end that was being written. */
  readonly finish: number | null;
}

/** Brings a machine to where the journal left it. Pure: it only says what is still open. */
export function replay(machine: DagMachine, dag: DagFile, lines: readonly JournalLine[]): Replayed {
  const open = new Map<number, "pre" | "job" | "post" | "defer">();
  const intents = new Map<number, Intent>();
  let [started, killing, paused, halted] = [false, false, false, false];
  let finish: number | null = null;
  const note = (actions: readonly DagAction[]): void => {
    for (const action of actions) {
      if (action.kind === "kill") killing = true;
      else if (action.kind !== "end") open.set(action.node, action.kind);
    }
  };
  const intent = (name: string): Intent | null => {
    const index = dag.byName.get(name)?.index;
    if (index === undefined) return null;
    let found = intents.get(index);
    if (!found) {
      found = { cluster: null, run: null, script: null, hold: null };
      intents.set(index, found);
    }
    return found;
  };
  const feed = (event: DagEvent): void => {
    if (!("node" in event)) {
      note(machine.handle(event));
      return;
    }
    open.delete(event.node);
    note(machine.handle(event));
    const known = intents.get(event.node);
    if (!known) return;
    known.script = null;
    known.run = null;
    known.hold = null;
    // A new attempt gets a new cluster; POST still needs the one of its job.
    if (machine.nodes[event.node]?.state !== "post") known.cluster = null;
  };
  for (const line of lines) {
    switch (line.k) {
      case "begin":
        break;
      case "pre":
      case "job":
      case "post":
      case "deferred": {
        const index = dag.byName.get(line.n)?.index;
        if (index === undefined) break;
        if (line.k === "deferred") feed({ kind: "deferral-over", node: index });
        else feed({ kind: `${line.k}-ended`, node: index, code: line.code });
        break;
      }
      case "pause":
        paused = line.on;
        feed({ kind: "pause", on: line.on });
        break;
      case "halt":
        halted = line.on;
        feed({ kind: "halt", on: line.on });
        break;
      case "start":
        started = true;
        feed({ kind: "start" });
        break;
      case "remove":
      case "killed":
        feed({ kind: line.k });
        break;
      case "sub":
      case "dag": {
        const known = intent(line.n);
        if (known) Object.assign(known, { cluster: line.c, run: null });
        break;
      }
      case "run": {
        const known = intent(line.n);
        if (known) Object.assign(known, { cluster: line.c, run: { site: line.site, at: line.at } });
        break;
      }
      case "held": {
        const known = intent(line.n);
        if (known) known.hold = line.hold;
        break;
      }
      case "evicted": {
        const known = intent(line.n);
        if (known) known.run = null;
        break;
      }
      case "script": {
        const known = intent(line.n);
        if (known) known.script = line.t;
        break;
      }
      case "finish":
        finish = line.rescue;
        break;
      case "ended":
        break;
    }
  }
  return { started, open, intents, killing, paused, halted, finish };
}
