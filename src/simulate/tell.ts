import { QUIET_DECISIONS } from "./server-ears.ts";
import { type Entry, stamp } from "./timeline.ts";

/** How many entries alike are told before the others are only counted. */
const TOLD = 3;

/**
 * The timeline as lines for people. Entries alike (the same failure at the same site with the same decision) are told
 * three times and then counted; the count is told when the request moves, or the story ends.
 */
export class Teller {
  readonly #print: (line: string) => void;
  readonly #width: number;
  #pending: Entry | null = null;
  readonly #lastWords = new Map<string, string>();
  readonly #seen = new Map<string, { told: number; untold: number; last: Entry }>();

  constructor(requests: readonly string[], print: (line: string) => void) {
    this.#print = print;
    this.#width = requests.length > 1 ? Math.min(24, Math.max(...requests.map((name) => name.length))) : 0;
  }

  tell(entry: Entry): void {
    if (entry.kind === "decision" && typeof entry.detail.decision === "string") {
      this.#tellPending();
      // The same decision pass after pass (waiting for a removal) is told once.
      if (this.#lastWords.get(entry.request ?? "") === entry.words) return;
      this.#lastWords.set(entry.request ?? "", entry.words);
      if (!QUIET_DECISIONS.includes(entry.detail.decision)) this.#pending = entry;
      return;
    }
    // A move says why; the decision behind it needs no line of its own.
    if (entry.kind === "move" && this.#pending?.request === entry.request) this.#pending = null;
    this.#tellPending();
    if (entry.alike === null) {
      if (entry.kind === "move" || entry.kind === "run") this.flush(entry.sec);
      this.#line(entry, entry.words);
      return;
    }
    const key = `${entry.request} ${entry.alike}`;
    const seen = this.#seen.get(key) ?? { told: 0, untold: 0, last: entry };
    this.#seen.set(key, seen);
    seen.last = entry;
    if (seen.told >= TOLD) {
      seen.untold += 1;
      return;
    }
    seen.told += 1;
    this.#line(entry, entry.words);
  }

  #tellPending(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending) this.#line(pending, pending.words);
  }

  flush(sec?: number): void {
    this.#tellPending();
    for (const seen of this.#seen.values()) {
      if (seen.untold > 0)
        this.#line({ ...seen.last, sec: sec ?? seen.last.sec }, `… ${seen.untold} more like it: ${seen.last.alike}`);
      seen.untold = 0;
    }
  }

  #line({ sec, kind, request }: Entry, words: string): void {
    const sign = { world: "»", operator: "»", server: "»", law: "✗", trouble: "!" }[kind as string] ?? " ";
    const name = this.#width > 0 ? `${(request ?? "").padEnd(this.#width)}  ` : "";
    this.#print(`${stamp(sec).padStart(12)} ${sign} ${name}${words}`);
  }
}
