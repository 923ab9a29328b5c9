import { monthOf, parseMonths, parsePoint, writeDate, writeDuration, writeMonth } from "../../../core/calendar.ts";
import type { Row } from "../../../intake/reading/values.ts";
import { type FreppExperiment, inherited } from "./frepp-suite.ts";
import type { FreppWishes } from "./import-xml.ts";
import { allOf, type Element } from "./xml.ts";

const CALENDARS: Readonly<Record<string, string>> = {
  NOLEAP: "noleap",
  JULIAN: "julian",
  THIRTY_DAY: "360_day",
  THIRTY_DAY_MONTHS: "360_day",
  GREGORIAN: "gregorian",
};

/** When the model run begins and ends, its calendar and segments: as somebody says, else as far as the experiment does. */
export function runTimes(experiment: FreppExperiment, wishes: FreppWishes, note: (words: string) => void): Row {
  const namelists = experiment.chain.flatMap((one) => [...allOf(one, "namelist"), ...allOf(one, "diagTable")]);
  // One space for many: what is looked for here may have any number of them.
  const text = experiment.expand(namelists.map((element) => element.text).join("\n")).replaceAll(/\s+/g, " ");
  const start = wishes.start ?? startIn(text);
  if (start === null) note("when the run begins is not said: give --start, or write it there");
  const segment = simulated(experiment, "segment");
  if (segment === null) note("the length of a segment is not said: 1y is supposed");
  const production = simulated(experiment, "production");
  const begin = start === null ? null : parsePoint(start);
  const end = begin && production ? writeMonth(begin.from + production - 1) : null;
  if (wishes.end === undefined && end === null) note("when the run ends is not said: it is supposed to go on");
  return {
    start: start ?? "TODO",
    end: wishes.end ?? end ?? "ongoing",
    calendar: calendarIn(text, note),
    segment: writeDuration(segment ?? 12),
  };
}

/** `current_date = 1979,1,1,0,0,0` of the coupler, or `basedate 1979 1 1`. */
function startIn(text: string): string | null {
  const [, year, month, day] =
    /\b(?:current_date|date_init|base_?date)\s*=?\s*(\d{1,5})\s*[, ]\s*(\d{1,2})\s*[, ]\s*(\d{1,2})/i.exec(text) ?? [];
  return year === undefined || Number(year) === 0 ? null : writeDate(monthOf(Number(year), Number(month)), Number(day));
}

function calendarIn(text: string, note: (words: string) => void): string {
  const word = /\bcalendar\s*=\s*['"]?(\w+)/i.exec(text)?.[1]?.toUpperCase();
  const known = word === undefined ? undefined : CALENDARS[word];
  if (known === undefined)
    note(`${word ? `calendar ${word} is not known here` : "the calendar is not said"}: gregorian is supposed`);
  return known ?? "gregorian";
}

/** simTime and units, in months; null: it does not say, or not in whole months. */
function simulated(experiment: FreppExperiment, name: "production" | "segment"): number | null {
  const element: Element | null = inherited(experiment, name);
  const value = (attribute: string): string => experiment.expand(element?.attributes[attribute] ?? "").trim();
  return parseMonths(`${value("simTime")} ${value("units")}`);
}
