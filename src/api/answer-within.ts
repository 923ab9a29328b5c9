import { setTimeout } from "node:timers/promises";
import { describeError } from "../base/errors.ts";

interface PartHealth {
  readonly ok: boolean;
  readonly text: string;
}

/** A part that does not answer in time, or not at all, is not well; that is an answer too. Its work is not stopped. */
export async function answerWithin<T extends PartHealth>(ms: number, ask: () => Promise<T>): Promise<T | PartHealth> {
  const answered = new AbortController();
  try {
    const late = { ok: false, text: `no answer within ${ms / 1000} s` };
    return await Promise.race([ask(), setTimeout(ms, late, { signal: answered.signal })]);
  } catch (error) {
    return { ok: false, text: describeError(error) };
  } finally {
    answered.abort();
  }
}
