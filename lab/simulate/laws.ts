import { isTerminal } from "../../src/core/request-status.ts";
import { isAfterFinish } from "../../src/core/roles.ts";
import type { Manifest } from "../../src/submit-dir/manifest.ts";
import type { RequestFacts } from "./facts.ts";
import { spoken } from "./timeline.ts";

interface Range {
  readonly unit: string;
  readonly from: number;
  readonly to: number;
}

/**
 * What must be true of every story, whatever it expects: nothing that finished is run again, no event or file is
 * processed into two finished units, and nobody but a person gives a request up.
 */
export class Laws {
  readonly broken: string[] = [];
  readonly #finished = new Set<string>();
  readonly #covered = new Map<string, Range[]>();
  readonly #told: (text: string, request: string) => void;

  constructor(told: (text: string, request: string) => void) {
    this.#told = told;
  }

  /** Cleanup comes after the outputs are made. */
  began(request: string, unit: string, node: string): void {
    if (!isAfterFinish(node) && this.#finished.has(`${request} ${unit}`))
      this.break(request, `${unit}/${node} was begun, although the outputs of ${unit} had been made`);
  }

  merged(request: string, unit: string, { nodes }: Manifest): void {
    this.#finished.add(`${request} ${unit}`);
    for (const { inputs, firstEvent, lastEvent, runLumis } of Object.values(nodes)) {
      if (runLumis !== null) continue;
      const from = firstEvent === null ? 0 : Number(firstEvent);
      const to = lastEvent === null ? Number.POSITIVE_INFINITY : Number(lastEvent);
      const what = inputs.length > 0 ? inputs.map(({ lfn }) => lfn) : ["events"];
      for (const name of what) {
        const known = this.#covered.get(`${request} ${name}`) ?? [];
        this.#covered.set(`${request} ${name}`, known);
        known.push({ unit, from, to });
      }
    }
  }

  /** To be called when the story is over: ranges are compared once, in order. */
  finish(): void {
    for (const [key, ranges] of this.#covered) {
      ranges.sort((a, b) => a.from - b.from);
      const [request = "", name = ""] = key.split(" ", 2);
      for (const [at, { unit, from }] of ranges.entries()) {
        const before = ranges[at - 1];
        if (before && from <= before.to) this.break(request, `${name} ${from} is in ${before.unit} and in ${unit}`);
      }
    }
  }

  /** How a request stands when the story is over: done with, or waiting for a person. */
  ended({ request, status, waiting }: RequestFacts, mayFail: boolean, sec: number): void {
    if (status === "failed" && !mayFail) this.break(request, "it was failed, and no person had asked for that");
    if (status !== "held" && status !== "unknown" && !isTerminal(status))
      this.break(request, `after ${spoken(sec)} it is still ${status}: ${waiting ?? "no reason known"}`);
  }

  break(request: string, text: string): void {
    this.broken.push(`${request}: ${text}`);
    this.#told(text, request);
  }
}
