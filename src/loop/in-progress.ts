import { WorldError } from "../core/base/errors.ts";
import type { RequestName } from "../core/names.ts";

/** Work that was told to end, by somebody who knows why: nothing failed. */
export class Interrupted extends Error {}

/** Before an effect: what a server knew before it lost the lease is old, and another one may be at work. */
export function assertLeads({ leads }: { leads(): boolean }): void {
  if (!leads()) throw new Interrupted("the lease ran out meanwhile");
}

/**
 * The requests that are being worked on. A pass gives each a slice of time and goes on with the others; work that is
 * not through by then goes on beside the passes, and no pass touches that request meanwhile. So the slowest
 * request delays nobody, and what never ends is stopped at a limit. Only work that looks at its signal can be stopped.
 */
export class InProgress {
  readonly #works = new Map<RequestName, { readonly stop: AbortController; readonly through: Promise<unknown> }>();
  #isOpen = true;
  /** Called when work that outlived its slice is through. */
  readonly #whenThrough: () => void;

  constructor(whenThrough: () => void) {
    this.#whenThrough = whenThrough;
  }

  has(name: RequestName): boolean {
    return this.#works.has(name);
  }

  /** Begins the work and waits for its end, at most for one slice: undefined when it goes on. */
  async give<T>(
    name: RequestName,
    { sliceSec, workLimitSec }: { readonly sliceSec: number; readonly workLimitSec: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    if (!this.#isOpen) return undefined;
    const stop = new AbortController();
    let outlived = false;
    const limit = setTimeout(() => stop.abort(tooLong(name, workLimitSec)), workLimitSec * 1000);
    const through = work(stop.signal).finally(() => {
      clearTimeout(limit);
      this.#works.delete(name);
      if (outlived) this.#whenThrough();
    });
    this.#works.set(name, { stop, through });
    let slice: NodeJS.Timeout | undefined;
    const over = new Promise<undefined>((resume) => {
      slice = setTimeout(() => {
        outlived = true;
        through.catch(() => {}); // the pass guard kept it; nobody waits any more
        resume(undefined);
      }, sliceSec * 1000);
    });
    return Promise.race([through, over]).finally(() => clearTimeout(slice));
  }

  stop(name: RequestName, why: string): void {
    this.#works.get(name)?.stop.abort(new Interrupted(why));
  }

  /** Ends what is under way and begins nothing more, until `open`. */
  close(why: string): void {
    this.#isOpen = false;
    for (const name of this.#works.keys()) this.stop(name, why);
  }

  open(): void {
    this.#isOpen = true;
  }

  /** When nothing is under way any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#works.values()].map(({ through }) => through));
  }
}

function tooLong(name: RequestName, limitSec: number): WorldError {
  return new WorldError("too-long", name, `working on it took more than ${limitSec} s and was stopped`);
}
