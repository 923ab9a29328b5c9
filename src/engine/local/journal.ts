import { parseJson } from "../../base/json.ts";
import type { DagEvent } from "./dag-machine.ts";
import type { Hold } from "./transfer.ts";

/**
 * What happened to one DAG, line by line, next to its .dag: enough to bring it back after kill -9. Events of the
 * machine are replayed in order; the other lines say what was about to be started, under which id, so that it can
 * be found again. A line that does not parse was torn by a crash or a full disk and is left out: whatever it
 * announced had not begun.
 */
export type JournalLine =
  | { readonly k: "begin"; readonly id: number; readonly parent: string; readonly rescue: number; readonly at: number }
  | { readonly k: "pre" | "job" | "post"; readonly n: string; readonly code: number }
  | { readonly k: "deferred"; readonly n: string }
  | { readonly k: "pause" | "halt"; readonly on: boolean }
  | { readonly k: "start" | "remove" | "killed" }
  /** A node was given a cluster. */
  | { readonly k: "sub"; readonly n: string; readonly c: number }
  /** Its job is about to be started at a site. */
  | { readonly k: "run"; readonly n: string; readonly c: number; readonly site: string; readonly at: number }
  /** A running job is about to be ended for this reason: its exit will not tell. */
  | { readonly k: "held"; readonly n: string; readonly hold: Hold }
  /** The job ended with the machine, not by itself: it will be run again. */
  | { readonly k: "evicted"; readonly n: string }
  | { readonly k: "script"; readonly n: string; readonly part: "pre" | "post"; readonly t: number }
  | { readonly k: "dag"; readonly n: string; readonly c: number }
  /** The end is being written: the number of its rescue file is settled. */
  | { readonly k: "finish"; readonly rescue: number }
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

/** The line by which `replay` gives the machine the same event again. */
export function lineOf(event: DagEvent, nameOf: (node: number) => string): JournalLine {
  switch (event.kind) {
    case "pre-ended":
      return { k: "pre", n: nameOf(event.node), code: event.code };
    case "job-ended":
      return { k: "job", n: nameOf(event.node), code: event.code };
    case "post-ended":
      return { k: "post", n: nameOf(event.node), code: event.code };
    case "deferral-over":
      return { k: "deferred", n: nameOf(event.node) };
    case "pause":
    case "halt":
      return { k: event.kind, on: event.on };
    default:
      return { k: event.kind };
  }
}
