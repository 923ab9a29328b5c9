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
  const open = Math.max(0, total - done - running - failed);
  const [full = 0, bad = 0, busy = 0, rest = 0] = shares([done, failed, running, open], width);
  return (
    paint.green("█".repeat(full)) +
    paint.red("▒".repeat(bad)) +
    paint.cyan("▓".repeat(busy)) +
    paint.dim("░".repeat(rest))
  );
}

/** Signs per part: in proportion, at least one for what is not nothing, and `width` together. */
function shares(parts: readonly number[], width: number): number[] {
  const all = parts.reduce((sum, part) => sum + part, 0);
  if (all === 0) return parts.map((_, at) => (at === parts.length - 1 ? width : 0));
  const exact = parts.map((part) => (part / all) * width);
  const signs = exact.map((share) => (share > 0 ? Math.max(1, Math.floor(share)) : 0));
  for (let sum = signs.reduce((a, b) => a + b, 0); sum !== width; sum += sum < width ? 1 : -1) {
    const step = sum < width ? 1 : -1;
    const mayChange = (at: number): boolean => (parts[at] ?? 0) > 0 && (step > 0 || (signs[at] ?? 0) > 1);
    const lacks = (at: number): number =>
      mayChange(at) ? ((exact[at] ?? 0) - (signs[at] ?? 0)) * step : Number.NEGATIVE_INFINITY;
    const best = signs.reduce((found, _, at) => (lacks(at) > lacks(found) ? at : found), 0);
    signs[best] = (signs[best] ?? 0) + step;
  }
  return signs;
}

/** A thin bar in eighths for small cells. */
export function thinBar(share: number, width: number, paint: Paint): string {
  const eighths = Math.floor(Math.max(0, Math.min(1, share)) * width * 8);
  const whole = Math.floor(eighths / 8);
  const part = EIGHTHS[eighths % 8] ?? "";
  return paint.green("█".repeat(whole) + part) + paint.dim("·".repeat(width - whole - (part ? 1 : 0)));
}
