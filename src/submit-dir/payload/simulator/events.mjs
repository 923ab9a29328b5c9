/**
 * Events: where they come from and how they are written, a line each, so that a test can see that none was lost
 * and none came twice. The same seed and event number always give the same line.
 *
 *   id <TAB> run <TAB> lumi <TAB> steps so far <TAB> digest <TAB> padding
 *
 * @typedef {{id: string, run: number, lumi: number, steps: string, digest: string}} Event
 * @typedef {{path: string, lfn: string, events: Event[]}} Source
 */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";

/** The output of the step before, within this job. */
const LAST = ".sim-last";
const EVENTS_PER_LUMI = 100;

export class InputError extends Error {}

/** FNV-1a. @param {string} text */
export function hash32(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // A last stir, as short texts differ in few bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** @param {string} text */
const digestOf = (text) => hash32(text).toString(16).padStart(8, "0");

/** @param {import("./options.mjs").Job} job @param {import("./options.mjs").Options} options @returns {Source[]} */
export function readSources(job, options) {
  const before = job.index > 0 ? job.beforeDirs.filter((dir) => existsSync(join(dir, LAST))) : [];
  if (before.length > 0) return readBefore(before, job);
  if (job.inputs.length === 0) return [];
  const { inputs: planned = [], lumis: plannedLumis = null } = plannedNode(job);
  let passed = 0n; // events of earlier files: a range counts from the first event of the first file
  return job.inputs.map((path, index) => {
    const lfn = planned[index]?.lfn ?? path;
    const lumis = spreadLumis(job.runLumis ?? plannedLumis);
    const events = existsSync(path)
      ? readEvents(path, job.seed)
      : inventEvents(path, planned[index]?.events ?? null, lumis, job, options);
    const from = passed;
    passed += BigInt(events.length);
    return { path, lfn, events: events.filter((event, i) => isWanted(event, from + BigInt(i), job)) };
  });
}

/**
 * What the step before left, perhaps in several parts. Only an instance has a range there: the job's own counts what came
 * in first.
 *
 * @param {string[]} dirs @param {import("./options.mjs").Job} job @returns {Source[]}
 */
function readBefore(dirs, job) {
  let passed = 0n;
  return dirs.map((dir) => {
    const path = join(dir, readFileSync(join(dir, LAST), "utf8"));
    const events = readEvents(path, job.seed);
    const from = passed;
    passed += BigInt(events.length);
    return { path, lfn: path, events: events.filter((_, i) => !job.isInstance || isInRange(from + BigInt(i), job)) };
  });
}

/** @param {import("./options.mjs").Job} job @param {import("./options.mjs").Options} options @returns {Event[]} */
export function generateEvents(job, options) {
  const first = job.firstEvent ?? 1n;
  const last = job.lastEvent ?? first + BigInt(job.events ?? 0) - 1n;
  const count = Number(last - first + 1n);
  const firstLumi = job.firstLumi ?? 1;
  const lumis = job.lastLumi === null ? null : job.lastLumi - firstLumi + 1;
  return Array.from({ length: count }, (_, i) => {
    const id = String(first + BigInt(i));
    const lumi = firstLumi + Math.floor(lumis === null ? i / EVENTS_PER_LUMI : (i * lumis) / count);
    return { id, run: options.run, lumi, steps: "", digest: digestOf(`${job.seed}/${id}`) };
  });
}

/** A filter keeps an event or not by its own luck, whatever job it is in. @param {Event} event @param {string} step @param {number} efficiency */
export const passesFilter = (event, step, efficiency) =>
  efficiency >= 1 || hash32(`${event.digest}/${step}/filter`) / 2 ** 32 < efficiency;

/** @param {string} path @param {readonly Event[]} events @param {string} step @param {number} bytesPerEvent */
export function writeEvents(path, events, step, bytesPerEvent) {
  const out = openSync(path, "w");
  try {
    let chunk = "";
    for (const event of events) {
      const digest = digestOf(`${event.digest}/${step}`);
      const steps = event.steps === "" ? step : `${event.steps},${step}`;
      const line = `${event.id}\t${event.run}\t${event.lumi}\t${steps}\t${digest}\t`;
      chunk += `${line.padEnd(Math.max(line.length, Math.round(bytesPerEvent) - 1), digest)}\n`;
      if (chunk.length > 1_000_000) {
        writeSync(out, chunk);
        chunk = "";
      }
    }
    writeSync(out, chunk);
  } finally {
    closeSync(out);
  }
  writeFileSync(LAST, path);
}

/** Ours, or any text file: then a line is an event. @param {string} path @param {string} seed @returns {Event[]} */
function readEvents(path, seed) {
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, i) => {
    const field = line.split("\t");
    if (field.length === 6 && /^[0-9a-f]{8}$/.test(field[4])) {
      return { id: field[0], run: Number(field[1]), lumi: Number(field[2]), steps: field[3], digest: field[4] };
    }
    return foreignEvent(basename(path), i, seed, 1);
  });
}

/**
 * Made-up events are in the lumis that the job is to read, evenly; without such a list nobody knows in which: run 0.
 *
 * @param {string} path @param {number | null} known @param {readonly [number, number][]} lumis @param {import("./options.mjs").Job} job @param {import("./options.mjs").Options} options
 */
function inventEvents(path, known, lumis, job, options) {
  const invent = options.inventInputs ?? (path.startsWith("/store/") || /^[a-z]+:/.test(path));
  if (!invent) throw new InputError(`cannot open ${path}`);
  const count = known ?? EVENTS_PER_LUMI;
  return Array.from({ length: count }, (_, i) => {
    const event = foreignEvent(basename(path), i, job.seed, options.run);
    const [run, lumi] = lumis[Math.floor((i * lumis.length) / count)] ?? [0, 0];
    return { ...event, run, lumi };
  });
}

/** @param {Record<string, [number, number][]> | null} runLumis @returns {[number, number][]} */
const spreadLumis = (runLumis) =>
  Object.entries(runLumis ?? {}).flatMap(([run, ranges]) =>
    ranges.flatMap(([first, last]) =>
      Array.from({ length: Math.min(last - first + 1, 10_000) }, (_, i) => [Number(run), first + i]),
    ),
  );

/** @param {string} file @param {number} index @param {string} seed @param {number} run @returns {Event} */
function foreignEvent(file, index, seed, run) {
  const id = `${file}#${index}`;
  const lumi = 1 + Math.floor(index / EVENTS_PER_LUMI);
  return { id, run, lumi, steps: "", digest: digestOf(`${seed}/${id}`) };
}

/** @param {bigint} position @param {import("./options.mjs").Job} job */
const isInRange = (position, { firstEvent, lastEvent }) =>
  (firstEvent === null || position >= firstEvent) && (lastEvent === null || position <= lastEvent);

/** @param {Event} event @param {bigint} position @param {import("./options.mjs").Job} job */
function isWanted(event, position, job) {
  if (!isInRange(position, job)) return false;
  if (job.runLumis === null) return true;
  const ranges = job.runLumis[String(event.run)] ?? [];
  return ranges.some(([first, last]) => event.lumi >= first && event.lumi <= last);
}

/** @param {import("./options.mjs").Job} job @returns {{inputs?: {lfn: string, path: string, events: number | null}[], lumis?: Record<string, [number, number][]>}} */
function plannedNode(job) {
  if (job.manifest === null || !existsSync(job.manifest)) return {};
  return JSON.parse(readFileSync(job.manifest, "utf8")).nodes?.[job.node] ?? {};
}
