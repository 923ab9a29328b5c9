import type { ProductionStep } from "../core/request.ts";

/**
 * A fraction of few units is coarse: with 4 units, "10 %" can only mean 25 %. Says for each step that cannot be met
 * what is achievable, so that nobody waits for a demotion that comes late or together with the next one.
 */
export function coarseSteps(steps: readonly ProductionStep[], units: number): string[] {
  if (units === 0) return [];
  return steps.flatMap(({ fraction }, index) => {
    const needed = Math.ceil(fraction * units);
    const achievable = needed / units;
    if (needed >= units) return [`production step ${percent(fraction)} comes only when all ${units} units are done`];
    const previous = index > 0 ? Math.ceil((steps[index - 1]?.fraction ?? 0) * units) : 0;
    if (needed === previous)
      return [
        `production step ${percent(fraction)} comes together with the one before it: there are only ${units} units`,
      ];
    if (achievable - fraction > 0.5 * fraction) {
      return [
        `production step ${percent(fraction)} can only be met at ${percent(achievable)}: there are only ${units} units`,
      ];
    }
    return [];
  });
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
