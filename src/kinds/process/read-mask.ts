import { joinRanges, type Ranges } from "../../core/base/ranges.ts";
import type { LumiMask } from "../../core/work.ts";
import { distinct, isRow, type Spot } from "../../intake/reading/values.ts";

const MAX_NUMBER = 2 ** 32 - 1;
const MASK_FORM = '{"run": [[first lumi, last lumi], …], …}';

const isNumber = (value: unknown, min: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= MAX_NUMBER;
const isRun = (value: unknown): value is number => isNumber(value, 1);

/** Runs and inclusive lumi ranges; ranges come out sorted and joined where they touch. */
export function readMask(runs: readonly Spot[], lumis: Spot | null, without: readonly Spot[] = []): LumiMask {
  const numbers = (spots: readonly Spot[]) =>
    distinct(spots, isRun, (run) => run.mustBe("a run number, a whole number from 1")).sort((a, b) => a - b);
  return {
    runs: numbers(runs),
    ...(without.length > 0 && { withoutRuns: numbers(without) }),
    lumis: lumis && readRanges(lumis),
  };
}

function readRanges(spot: Spot): Readonly<Record<string, Ranges>> | null {
  if (!isRow(spot.value)) return spot.mustBe("the mask itself", MASK_FORM);
  const mask: Record<string, Ranges> = {};
  for (const [key, value] of Object.entries(spot.value)) {
    const run = spot.child(key, value);
    if (!/^[1-9]\d{0,9}$/.test(key) || !isRun(Number(key))) run.problem("must be a run number", MASK_FORM);
    else if (!Array.isArray(value) || value.length === 0) run.mustBe("a list of ranges", MASK_FORM);
    else
      mask[key] = joinRanges(
        value.map((range, index) => readRange(run.child(index, range))).filter((one) => one !== null),
      );
  }
  if (Object.keys(spot.value).length === 0) spot.problem("selects nothing; leave it out to take everything", MASK_FORM);
  return mask;
}

function readRange(spot: Spot): readonly [number, number] | null {
  const [first, last] = Array.isArray(spot.value) && spot.value.length === 2 ? (spot.value as unknown[]) : [];
  if (isNumber(first, 0) && isNumber(last, 0) && first <= last) return [first, last];
  const written = JSON.stringify(spot.value, (_key, value) => (typeof value === "bigint" ? value.toString() : value));
  return spot.problem(`must be a range [first, last] of lumis (got ${written?.slice(0, 60)})`);
}
