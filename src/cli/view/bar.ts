import type { Paint } from "../terminal.ts";

export interface BarParts {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly failed: number;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * done █, failed ▒, running ▓, the rest ░; always exactly `width` signs. A part that is not nothing is seen, and
 * a bar is full only when everything is done.
 */
export function bar({ total, done, running, failed }: BarParts, width: number, paint: Paint): string {
  if (total <= 0) return paint.dim("░".repeat(width));
  const all = Math.max(total, done + failed + running);
  let room = width;
  const take = (part: number): number => {
    const wanted = Math.round((part / all) * width);
    const signs = Math.min(room, part > 0 ? Math.max(1, wanted) : 0);
    room -= signs;
    return signs;
  };
  const failedSigns = take(failed);
  const runningSigns = take(running);
  const open = all - done - failed - running;
  const doneSigns = Math.min(room - (open > 0 && room > 0 ? 1 : 0), take(done));
  const rest = width - failedSigns - runningSigns - doneSigns;
  return (
    paint.green("█".repeat(doneSigns)) +
    paint.red("▒".repeat(failedSigns)) +
    paint.cyan("▓".repeat(runningSigns)) +
    paint.dim("░".repeat(rest))
  );
}

/** A thin bar in eighths for small cells. */
export function thinBar(share: number, width: number, paint: Paint): string {
  const eighths = Math.floor(Math.max(0, Math.min(1, share)) * width * 8);
  const whole = Math.floor(eighths / 8);
  const part = EIGHTHS[eighths % 8] ?? "";
  return paint.green("█".repeat(whole) + part) + paint.dim("·".repeat(width - whole - (part ? 1 : 0)));
}
