const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
] as const;

/** Two units at most: 2 d 3 h, 4 min, 12 s. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const index = UNITS.findIndex(([, size]) => whole >= size);
  if (index < 0) return "0 s";
  const [unit, size] = UNITS[index]!;
  const [nextUnit, nextSize] = UNITS[index + 1] ?? ["", Number.POSITIVE_INFINITY];
  const rest = Math.floor((whole % size) / nextSize);
  const first = `${Math.floor(whole / size)} ${unit}`;
  return rest > 0 && size > 60 ? `${first} ${rest} ${nextUnit}` : first;
}

/** All of it, for what is read off a scale: 1 min 30 s. */
export function exactDuration(seconds: number): string {
  let rest = Math.round(seconds);
  const words = UNITS.flatMap(([unit, size]) => {
    const number = Math.floor(rest / size);
    rest -= number * size;
    return number > 0 ? [`${number} ${unit}`] : [];
  });
  return words.join(" ") || "0";
}

/** From now: "3 min ago", "in 2 h 5 min". */
export function relative(milliseconds: number): string {
  if (Math.abs(milliseconds) < 1500) return "now";
  const text = duration(Math.abs(milliseconds) / 1000);
  return milliseconds < 0 ? `${text} ago` : `in ${text}`;
}

/** The same for what nobody knows to the second: "in about 44 s". */
export const expected = (milliseconds: number): string =>
  milliseconds < 1500 ? "any moment" : `in about ${duration(milliseconds / 1000)}`;

const MINUTES = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;
const SECONDS = { ...MINUTES, second: "2-digit" } as const;

/** 2026-11-16 02:10:07 UTC; the day is left out where it is today, seconds where it is a guess. */
export function absolute(date: Date, zone: "utc" | "local", now: number, isGuess = false): string {
  const timeZone = zone === "utc" ? "UTC" : undefined;
  const dayOf = (at: Date) => at.toLocaleDateString("sv-SE", { timeZone });
  const time = date.toLocaleTimeString("en-GB", { timeZone, ...(isGuess ? MINUTES : SECONDS) });
  return dayOf(date) === dayOf(new Date(now)) ? time : `${dayOf(date)} ${time}`;
}
