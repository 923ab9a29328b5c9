import { parseJson } from "../../core/base/json.ts";
import type { DagAction, DagEvent, DagMachine, NodePart, ScriptPart } from "./machine.ts";
import type { Hold, Placement } from "./runner.ts";

/**
 * What happened to one DAG, line by line, next to its .dag: enough to bring it back after kill -9. Events of the
 * machine are replayed in order; the other lines say what was about to be started, under which id, so that it can
 * be found again. A line that does not parse was torn by a crash or a full disk and is left out: whatever it
 * announced had not begun.
 */
export type JournalLine =
  | DagEvent
  | { readonly k: "begin"; readonly id: number; readonly parent: string; readonly rescue: number; readonly at: number }
  /** A node was given a cluster: of its job, or of its sub-DAG. */
  | { readonly k: "sub" | "dag"; readonly n: string; readonly c: number }
  /** Its job is about to be started at a site. */
  | ({ readonly k: "run"; readonly n: string; readonly c: number } & Placement)
  /** A running job is about to be ended for this reason: its exit will not tell. */
  | { readonly k: "held"; readonly n: string; readonly hold: Hold }
  /** The job ended with the machine, not by itself: it will be run again. */
  | { readonly k: "evicted"; readonly n: string }
  | { readonly k: "script"; readonly n: string; readonly part: ScriptPart; readonly t: number }
  | { readonly k: "ended"; readonly exit: number };

export const renderLine = (line: JournalLine): string => `${JSON.stringify(line)}\n`;

export function parseJournal(text: string): JournalLine[] {
  const lines: JournalLine[] = [];
  for (const source of text.split("\n")) {
    if (!source) continue;
    const parsed = parseJson(source);
    if (parsed.ok && typeof parsed.value === "object" && parsed.value !== null && "k" in parsed.value) {
      lines.push(parsed.value as JournalLine);
    }
  }
  return lines;
}

/** What was about to be done for a node when the journal ends. */
export interface Intent {
  cluster: number | null;
  run: Placement | null;
  script: number | null;
  /** Why the running job was being ended. */
  hold: Hold | null;
  /** It vanished and was begun again. */
  evicted: boolean;
}

export type Replayed = ReturnType<typeof replay>;

/** Brings a machine to where the journal left it. Pure: it only says what is still open. */
export function replay(machine: DagMachine, lines: readonly JournalLine[]) {
  /** Actions the machine asked for and whose end is not in the journal, by node. */
  const open = new Map<string, NodePart | "defer">();
  const intents = new Map<string, Intent>();
  const intent = (name: string): Intent => {
    const found = intents.get(name) ?? { cluster: null, run: null, script: null, hold: null, evicted: false };
    intents.set(name, found);
    return found;
  };
  const note = (action: DagAction): void => {
    if ("node" in action) open.set(action.node.spec.name, action.kind);
  };
  const feed = (event: DagEvent): void => {
    if ("n" in event) open.delete(event.n);
    machine.handle(event).forEach(note);
    const known = "n" in event ? intents.get(event.n) : undefined;
    if (!known || !("n" in event)) return;
    // A new attempt gets a new cluster; POST still needs the one of its job.
    const cluster = machine.byName.get(event.n)?.state === "post" ? known.cluster : null;
    Object.assign(known, { cluster, run: null, script: null, hold: null, evicted: false });
  };
  for (const line of lines) {
    if ("n" in line && !machine.byName.has(line.n)) continue;
    switch (line.k) {
      case "begin":
      case "ended":
        break;
      case "sub":
      case "dag":
        Object.assign(intent(line.n), { cluster: line.c, run: null });
        break;
      case "run":
        Object.assign(intent(line.n), { cluster: line.c, run: { site: line.site, at: line.at } });
        break;
      case "held":
        intent(line.n).hold = line.hold;
        break;
      case "evicted":
        Object.assign(intent(line.n), { run: null, evicted: true });
        break;
      case "script":
        intent(line.n).script = line.t;
        break;
      default:
        feed(line);
    }
  }
  return { open, intents };
}
