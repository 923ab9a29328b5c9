/** Changes that are begun together, and how long one counts as begun: who takes longer keeps nobody waiting. */
const MOST_BEGUN = 8;
const BEGUN_MS = 250;

/**
 * Changes take turns: a few at a time, each begun in a turn of the event loop of its own, so that a thousand that come at once
 * stand in line for each other and not before everybody who only asks. Answers what ends the turn.
 */
export function makeChangeTurns(): (signal: AbortSignal) => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let begun = 0;
  let isMoving = false;
  const move = (): void => {
    if (isMoving || waiting.length === 0 || begun >= MOST_BEGUN) return;
    isMoving = true;
    setImmediate(() => {
      isMoving = false;
      begun += 1;
      waiting.shift()?.();
      move();
    });
  };
  return async (signal) => {
    await new Promise<void>((resume) => {
      waiting.push(resume);
      move();
    });
    let isOver = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      begun -= 1;
      move();
    };
    const timer = setTimeout(leave, BEGUN_MS);
    if (!signal.aborted) return leave;
    leave();
    throw signal.reason;
  };
}
