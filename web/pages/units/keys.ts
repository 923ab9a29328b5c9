import { JOB_STATE, type JobState } from "../../../src/core/job-state.ts";
import type { UnitMapView } from "../../../src/operations/dags.ts";
import { duration } from "../../ui/time-words.ts";

import { KINDS, SCALE, scaleStep, TONE_PIXEL } from "./paint.ts";

/** What a map can be painted by, and what the API is asked for. */
export const KEYS = [
  ["states", "State"],
  ["sites", "Site"],
  ["codes", "Last failure"],
  ["tries", "Attempts"],
  ["ages", "Age"],
] as const;
export type Key = (typeof KEYS)[number][0];

interface Entry {
  readonly label: string;
  /** Stands beside the colour: the letter of a state, else a number. */
  readonly sign: string;
  readonly colour: string;
  readonly count: number;
  readonly units: readonly number[];
}
/** A colour for each unit, and what each colour means, with the units that have it. */
interface Keyed {
  readonly colours: Uint32Array;
  /** For each unit, its place in the legend. */
  readonly places: Uint16Array;
  readonly legend: readonly Entry[];
}

const STATES = {
  w: ["waiting", TONE_PIXEL.waiting],
  r: ["running", TONE_PIXEL.running],
  d: ["done", TONE_PIXEL.done],
  f: ["failed", TONE_PIXEL.failed],
} as const;
type StateLetter = keyof typeof STATES;
export const stateWord = (letter: string): string => STATES[letter as StateLetter]?.[0] ?? letter;

const NOT_READ = ["not read", SCALE[0]!] as const;
const AGES = [600, 3600, 6 * 3600, 86_400];

export function keyed(map: UnitMapView, by: Key): Keyed {
  const { total, states } = map;
  const listed = by === "sites" ? map.sites : by === "codes" ? map.codes : undefined;
  if (listed) return grouped(total, (index) => listedLook(listed, listed.of[index] ?? -1, by));
  if (by === "tries" && map.tries) {
    const { tries } = map;
    const most = tries.reduce((highest, value) => Math.max(highest, value), 0);
    return grouped(total, (index) => triesLook(tries[index] ?? 0, most));
  }
  if (by === "ages" && map.ages) {
    const { ages } = map;
    return grouped(total, (index) => ageLook(ages[index] ?? -1));
  }
  return grouped(total, (index) => STATES[states[index] as StateLetter] ?? NOT_READ);
}

type Look = readonly [label: string, colour: number];

/** No failure is grey, a failure is never green: kinds begin behind the first colours. */
function listedLook({ legend }: { readonly legend: readonly string[] }, place: number, by: Key): Look {
  const word = legend[place] ?? "";
  if (word === "") return NOT_READ;
  if (by === "codes" && word === "0") return ["no failure", TONE_PIXEL.done];
  return [by === "codes" ? `exit ${word}` : word, KINDS[place % KINDS.length]!];
}

const triesLook = (tries: number, most: number): Look =>
  tries === 0 ? ["none, or not read", SCALE[0]!] : [String(tries), SCALE[scaleStep(tries, most)]!];

function ageLook(age: number): Look {
  if (age < 0) return ["never tried", SCALE[0]!];
  const step = AGES.findIndex((limit) => age < limit);
  return step < 0 ? ["older", SCALE[5]!] : [`less than ${duration(AGES[step]!)}`, SCALE[step + 1]!];
}

function grouped(total: number, lookOf: (index: number) => Look): Keyed {
  const colours = new Uint32Array(total);
  const found = new Map<string, { colour: number; units: number[] }>();
  for (let index = 0; index < total; index++) {
    const [label, colour] = lookOf(index);
    colours[index] = colour;
    const entry = found.get(label);
    if (entry) entry.units.push(index);
    else found.set(label, { colour, units: [index] });
  }
  const sorted = [...found].toSorted(([, a], [, b]) => b.units.length - a.units.length);
  const places = new Uint16Array(total);
  for (const [place, [, { units }]] of sorted.entries()) for (const index of units) places[index] = place;
  const legend = sorted.map(([label, { colour, units }], place) => ({
    label,
    sign: isPart(label) ? JOB_STATE[label].letter : String(place + 1),
    colour: hex(colour),
    count: units.length,
    units,
  }));
  return { colours, places, legend };
}
const isPart = (label: string): label is JobState => label in JOB_STATE;

const hex = (pixel: number): string =>
  `#${[pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255].map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** The name of a unit by its place. */
export function nameAt(runs: UnitMapView["runs"], index: number): string {
  let rest = index;
  for (const [prefix, first, many] of runs) {
    if (rest < many) return `${prefix}${String(first + rest).padStart(6, "0")}`;
    rest -= many;
  }
  return "";
}
