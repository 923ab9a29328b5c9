import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomFrom } from "../../src/core/base/random.ts";

/** Made-up weather: files of readings `station,minute,millidegrees,valid`. Always the same numbers. */
const STATIONS = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple"] as const;
const FILES = 24;
const READINGS_PER_FILE = 12_000;

export function makeDataset(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const name = `readings-${String(file).padStart(2, "0")}.csv`;
    writeFileSync(join(folder, name), readings(file));
  }
}

function readings(file: number): string {
  const next = randomFrom((file + 1) * 0x9e3779b9);
  const lines: string[] = [];
  for (let minute = 0; minute < READINGS_PER_FILE; minute++) {
    const station = STATIONS[Math.floor(next() * STATIONS.length)];
    const swing = Math.sin(((minute % 1440) / 1440) * 2 * Math.PI);
    const degrees = Math.round((15 + 9 * swing + 8 * (next() - 0.5)) * 1000);
    lines.push(`${station},${minute},${degrees},${next() < 0.03 ? 0 : 1}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Per station: warm readings and their sum. */
export type Totals = ReadonlyMap<string, { readonly count: number; readonly sum: number }>;

/** The direct way: all input files in one go, without any job. */
export function directTotals(folder: string): { readonly totals: Totals; readonly readings: number } {
  const rows = readdirSync(folder).flatMap((name) => rowsOf(join(folder, name)));
  const warm = rows.filter(([, , degrees, valid]) => valid === "1" && Number(degrees) >= 20_000);
  return { totals: addUp(warm.map(([station, , degrees]) => [station, 1, Number(degrees)])), readings: rows.length };
}

/** What the jobs found: the merged files of all work units together. */
export const mergedTotals = (files: readonly string[]): Totals =>
  addUp(files.flatMap(rowsOf).map(([station, count, sum]) => [station, Number(count), Number(sum)]));

function addUp(rows: readonly (readonly [string | undefined, number, number])[]): Totals {
  const totals = new Map<string, { count: number; sum: number }>();
  for (const [station = "", count, sum] of rows) {
    const known = totals.get(station) ?? { count: 0, sum: 0 };
    totals.set(station, { count: known.count + count, sum: known.sum + sum });
  }
  return totals;
}

const rowsOf = (file: string): string[][] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(","));
