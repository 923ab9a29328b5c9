/** The promise's value, or what `late` says when it is not there in time. The work itself is not stopped. */
export async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Callers that ask the same while the answer is still being made get that one answer. Nothing is kept after
 * it is given.
 */
export class InFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  share(key: string, make: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const made = make().finally(() => this.#running.delete(key));
    this.#running.set(key, made);
    return made;
  }
}
