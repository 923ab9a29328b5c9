import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { err } from "../core/base/result.ts";
import { KINDS } from "../kinds/table.ts";
import { isSmallText, readText, type TextAsked, type TextRead } from "./read-text.ts";

/** Longer than the largest document that is allowed takes, on a busy machine. */
const READ_MS = 20_000;
const MEMORY_MB = 1500;

const refused = (message: string): TextRead => err([{ path: "", message, allowed: null }]);
const here = async (asked: TextAsked): Promise<TextRead> => readText(asked, KINDS);

/**
 * Documents are read by a thread of their own, one at a time, with an end to its time and memory: whatever somebody hands in,
 * this thread answers everybody else meanwhile. Those that cannot become much are read here and now. Run from its sources,
 * where a thread cannot be started, the server reads all of them itself.
 */
export function makeReadAside(
  entry = new URL("./reading-thread.js", import.meta.url),
  { readMs = READ_MS, memoryMb = MEMORY_MB } = {},
): (asked: TextAsked) => Promise<TextRead> {
  if (!existsSync(entry)) return here;
  let thread: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const start = (): Worker => {
    const started = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 } });
    started.unref();
    thread = started;
    return started;
  };
  const ask = (asked: TextAsked): Promise<TextRead> =>
    new Promise((resolve, reject) => {
      const reader = thread ?? start();
      const over = (isLost: boolean): void => {
        clearTimeout(timer);
        reader.off("message", told).off("error", failed).unref();
        if (!isLost) return;
        thread = null;
        // What it still has to say is for nobody.
        reader.on("error", () => {});
        void reader.terminate();
      };
      const told = (read: TextRead): void => {
        over(false);
        resolve(read);
      };
      const failed = (error: NodeJS.ErrnoException): void => {
        over(true);
        if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") reject(error);
        else resolve(refused(`needs more than ${memoryMb} MB to be read: make several of it`));
      };
      const timer = setTimeout(() => {
        over(true);
        resolve(refused(`takes longer than ${readMs / 1000} s to read: make several of it`));
      }, readMs);
      reader.on("message", told).on("error", failed).ref();
      reader.postMessage(asked);
    });
  return (asked) => {
    if (isSmallText(asked)) return here(asked);
    const read = last.then(() => ask(asked));
    last = read.catch(() => {});
    return read;
  };
}
