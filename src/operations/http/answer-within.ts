import { describeError } from "../../core/base/errors.ts";

interface PartHealth {
  readonly ok: boolean;
  readonly text: string;
}

/** A part that does not answer in time, or not at all, is not well; that is an answer too. Its work is not stopped. */
export async function answerWithin<T extends PartHealth>(ms: number, ask: () => Promise<T>): Promise<T | PartHealth> {
  try {
    return await orAfter(ms, ask(), { ok: false, text: `no answer within ${ms / 1000} s` });
  } catch (error) {
    return { ok: false, text: describeError(error) };
  }
}

async function orAfter<T, O>(ms: number, answer: Promise<T>, instead: O): Promise<T | O> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<O>((done) => {
    timer = setTimeout(done, ms, instead);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** So soon whoever asks again has an answer. */
const PROMPT_MS = 50;

/**
 * Askers share one look. While it takes long they are told what was seen last, unless that is older than `keepMs`: whoever only
 * wants to know how things are does not wait for those who have much to do.
 */
export function promptly<T>(keepMs: number, look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let last: { readonly begunMs: number; readonly answer: T } | null = null;
  const begin = async (): Promise<T> => {
    const begunMs = performance.now();
    try {
      const answer = await look();
      last = { begunMs, answer };
      return answer;
    } finally {
      running = null;
    }
  };
  return () => {
    running ??= begin();
    return last && performance.now() - last.begunMs < keepMs ? orAfter(PROMPT_MS, running, last.answer) : running;
  };
}
