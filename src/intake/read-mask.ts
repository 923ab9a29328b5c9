import type { LumiMask } from "../domain/request.ts";
import { type Notes, shown } from "./notes.ts";
import { childPath } from "./paths.ts";
import { isRow, type Spot } from "./values.ts";

type Ranges = readonly (readonly [number, number])[];
const MAX_NUMBER = 2 ** 32 - 1;
const MASK_FORM = '{"run": [[first lumi, last lumi], …], …}';

const isNumber = (value: unknown, min: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= MAX_NUMBER;

/** Runs and inclusive lumi ranges; ranges come out sorted and joined where they touch. */
export function readMask(runs: readonly Spot[], lumis: Spot | null, notes: Notes): LumiMask {
  const chosen = runs.filter(({ path, value }) => {
    if (isNumber(value, 1)) return true;
    notes.problem(path, `must be a run number, a whole number from 1 (got ${shown(value)})`);
    return false;
  });
  const list = [...new Set(chosen.map((spot) => spot.value as number))].sort((a, b) => a - b);
  return { runs: list, lumis: lumis === null ? null : readRanges(lumis, notes) };
}

function readRanges(spot: Spot, notes: Notes): Readonly<Record<string, Ranges>> | null {
  if (!isRow(spot.value)) {
    notes.problem(spot.path, `must be the mask itself (got ${shown(spot.value)})`, MASK_FORM);
    return null;
  }
  const mask: Record<string, Ranges> = {};
  for (const [run, value] of Object.entries(spot.value)) {
    const path = childPath(spot.path, run);
    if (!/^[1-9]\d{0,9}$/.test(run) || Number(run) > MAX_NUMBER) notes.problem(path, "must be a run number", MASK_FORM);
    else if (!Array.isArray(value) || value.length === 0)
      notes.problem(path, `must be a list of ranges (got ${shown(value)})`, MASK_FORM);
    else {
      const ranges = value.map((range, index) => readRange({ path: childPath(path, index), value: range }, notes));
      mask[run] = compact(ranges.filter((range) => range !== null));
    }
  }
  if (Object.keys(spot.value).length === 0)
    notes.problem(spot.path, "selects nothing; leave it out to take everything", MASK_FORM);
  return mask;
}

function readRange(spot: Spot, notes: Notes): readonly [number, number] | null {
  const [first, last] = Array.isArray(spot.value) && spot.value.length === 2 ? (spot.value as unknown[]) : [];
  if (isNumber(first, 0) && isNumber(last, 0) && first <= last) return [first, last];
  notes.problem(
    spot.path,
    `must be a range [first, last] of lumis (got ${JSON.stringify(spot.value, bigintText)?.slice(0, 60)})`,
  );
  return null;
}

const bigintText = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

function compact(ranges: Ranges): Ranges {
  const joined: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}
