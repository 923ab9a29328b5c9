/** A boundary between months, in any calendar: year × 12 + month − 1. Durations are whole months. */
export type Month = number;
/** From the first boundary up to the second, without it. */
export interface Interval {
  readonly from: Month;
  readonly to: Month;
}

/** Leap years of the gregorian one go by its rule in all years, also before 1582; of the julian one every fourth is. */
export const CALENDARS = ["gregorian", "julian", "noleap", "360_day"] as const;
export type Calendar = (typeof CALENDARS)[number];

export const FREQUENCIES = ["annual", "seasonal", "monthly", "daily", "12hr", "6hr", "3hr", "hourly"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

const MAX_YEAR = 99_999;
const MAX_MONTHS = 12_000;

export const monthOf = (year: number, month = 1): Month => year * 12 + month - 1;
export const yearOf = (month: Month): number => Math.floor(month / 12);

/** 0001, 1982: four digits at least. */
export const writeYear = (year: number): string => String(year).padStart(4, "0");
/** 000106 */
export const writeMonth = (month: Month): string =>
  writeYear(yearOf(month)) + String((month % 12) + 1).padStart(2, "0");
/** 00010601: the first day of it, or the day given. */
export const writeDate = (month: Month, day = 1): string => writeMonth(month) + String(day).padStart(2, "0");

/** 0001-0005, or 0013 if it is one; with months where it is not whole years: 000107-000206. */
export function writeInterval({ from, to }: Interval): string {
  const write = from % 12 === 0 && to % 12 === 0 ? (month: Month) => writeYear(yearOf(month)) : writeMonth;
  const [first, last] = [write(from), write(to - 1)];
  return first === last ? first : `${first}-${last}`;
}

/** A year (0001), month (000106) or date (00010601) as the months it has and its day; null: it is none of them. */
export function parsePoint(text: string): (Interval & { readonly day: number }) | null {
  const [, digits = "", month, day] = /^(\d{4,5}?)(?:-?(\d\d)(?:-?(\d\d))?)?$/.exec(text) ?? [];
  const [year, ofYear, ofMonth] = [Number(digits), Number(month ?? 1), Number(day ?? 1)];
  if (digits === "" || year > MAX_YEAR || ofYear < 1 || ofYear > 12 || ofMonth < 1 || ofMonth > 31) return null;
  const from = monthOf(year, ofYear);
  return { from, to: from + (month === undefined ? 12 : 1), day: ofMonth };
}
export const POINT_FORMS = "a year (0001), a month (000107) or a date (00010701)";

/** What `writeInterval` wrote; null: it did not. */
export function parseInterval(text: string): Interval | null {
  const [first, last] = text.split("-", 2).map(parsePoint);
  const interval = first && last !== null ? { from: first.from, to: (last ?? first).to } : null;
  return interval && interval.from < interval.to && writeInterval(interval) === text ? interval : null;
}

/** 5y, 18mo */
export const writeDuration = (months: number): string => (months % 12 === 0 ? `${months / 12}y` : `${months}mo`);

const DURATION = /^\s*(?:(\d{1,4})\s*(?:y|yrs?|years?))?\s*(?:(\d{1,5})\s*(?:mo|mos|months?))?\s*$/i;
export const MONTHS_FORMS = '"5y", "6mo", "1 year", "18 months" or "1y 6mo"';

/** Months, or null when this is no such duration. A number without its unit is not understood, on purpose. */
export function parseMonths(text: string): number | null {
  const [, years = "0", months = "0"] = DURATION.exec(text) ?? [];
  const sum = Number(years) * 12 + Number(months);
  return sum > 0 && sum <= MAX_MONTHS ? sum : null;
}

const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Days from the beginning of year 0 to this boundary. */
function dayNumber(month: Month, calendar: Calendar): number {
  if (calendar === "360_day") return month * 30;
  const [year, ofYear] = [yearOf(month), month % 12];
  const days = year * 365 + DAYS_BEFORE[ofYear]!;
  if (calendar === "noleap") return days;
  // Whole years before this one that are leap years, and this one if its February is over.
  const full = ofYear >= 2 ? year + 1 : year;
  const julian = days + Math.ceil(full / 4);
  return calendar === "julian" ? julian : julian - Math.ceil(full / 100) + Math.ceil(full / 400);
}

export const daysIn = ({ from, to }: Interval, calendar: Calendar): number =>
  dayNumber(to, calendar) - dayNumber(from, calendar);

const PER_DAY: Readonly<Partial<Record<Frequency, number>>> = { daily: 1, "12hr": 2, "6hr": 4, "3hr": 8, hourly: 24 };
const MONTHS_EACH: Readonly<Partial<Record<Frequency, number>>> = { annual: 12, seasonal: 3, monthly: 1 };

/** Months that one value of it stands for; 0: less than one. */
export const monthsEach = (frequency: Frequency): number => MONTHS_EACH[frequency] ?? 0;

/** How many values of this frequency an interval has; what is begun does not count. */
export function timeLevels(frequency: Frequency, interval: Interval, calendar: Calendar): number {
  const each = monthsEach(frequency);
  if (each > 0) return Math.floor((interval.to - interval.from) / each);
  return daysIn(interval, calendar) * (PER_DAY[frequency] ?? 0);
}
