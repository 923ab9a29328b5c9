/**
 * Waits for a condition instead of sleeping: asks every few milliseconds until it holds, and fails with the last
 * answer when the deadline has passed.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  options: { deadlineSec?: number; everyMs?: number; describe?: () => string | Promise<string> } = {},
): Promise<T> {
  const { deadlineSec = 30, everyMs = 25, describe } = options;
  const end = Date.now() + deadlineSec * 1000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) {
      throw new Error(`not within ${deadlineSec} s: ${what}${describe ? `\n${await describe()}` : ""}`);
    }
    await new Promise((resume) => setTimeout(resume, everyMs));
  }
}
