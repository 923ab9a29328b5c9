import type { VirtualTime } from "./virtual-time.ts";

const LONGEST_SEC = 3600;
/** A finished unit is seen by the next pass of a small run; of a large one when it has some company, or after this. */
const UNIT_PATIENCE_SEC = 900;
const COMPANY = 0.01;
/** Decisions that follow from the engine's news, and lead to nothing else by themselves. */
const ROUTINE: readonly string[] = ["wait", "follow", "register"];

/**
 * When the loop passes. A server passes every interval; of those passes, a story runs the ones that can see something
 * new: after a nudge, after news of the engine, and some more, ever less often up to an hour, for what only time brings. All on
 * the grid of the interval, so that every decision comes when the real loop would have come to it.
 */
export class PassPlan {
  count = 0;
  readonly #time: VirtualTime;
  readonly #intervalSec: number;
  #next = 0;
  #last = Number.NEGATIVE_INFINITY;
  #quietSec = 0;
  #decisions: string[] = [];
  #before = "";
  #moved = false;
  #unseen = 0;

  constructor(time: VirtualTime, intervalSec: number) {
    this.#time = time;
    this.#intervalSec = intervalSec;
  }

  get nextSec(): number {
    return this.#next;
  }
  isDue(): boolean {
    return this.#next <= this.#time.sec;
  }
  /** A pass has been made at this very moment. */
  isFresh(): boolean {
    return this.#last === this.#time.sec && !this.isDue();
  }

  /** Somebody asked for something, or a server started: at once. */
  nudge(): void {
    this.#next = this.#time.sec;
  }

  /** In the present pass. */
  get hasMoved(): boolean {
    return this.#moved;
  }
  decided(kind: string): void {
    if (!ROUTINE.includes(kind)) this.#decisions.push(kind);
  }
  moved(): void {
    this.#moved = true;
  }

  /** Something outside changed that the next pass will meet. */
  soon(): void {
    this.#next = Math.min(this.#next, this.#tickAfter(this.#time.sec));
  }

  /** News of the engine: a unit is done, or something ended that a pass should see at once. */
  news(news: "unit" | "end", unitsOfRun: number): void {
    if (news === "unit") this.#unseen += 1;
    const soon = news === "end" || this.#unseen >= Math.max(1, unitsOfRun * COMPANY);
    this.#next = Math.min(this.#next, this.#tickAfter(this.#time.sec + (soon ? 0 : UNIT_PATIENCE_SEC)));
  }

  begin(): void {
    this.count += 1;
    this.#decisions = [];
    this.#moved = false;
    this.#unseen = 0;
    this.#next = Number.POSITIVE_INFINITY;
  }

  /** After a pass that did something new the next one comes as usual; others double the distance. */
  end(): void {
    this.#last = this.#time.sec;
    const decisions = this.#decisions.join();
    const isNew = this.#moved || (decisions !== "" && decisions !== this.#before);
    this.#before = decisions;
    this.#quietSec = isNew ? this.#intervalSec : Math.min(LONGEST_SEC, Math.max(this.#intervalSec, this.#quietSec * 2));
    this.#next = Math.min(this.#next, this.#last + this.#quietSec);
  }

  #tickAfter(sec: number): number {
    if (!Number.isFinite(this.#last)) return sec;
    const ticks = Math.ceil((sec - this.#last) / this.#intervalSec);
    return this.#last + Math.max(1, ticks) * this.#intervalSec;
  }
}
