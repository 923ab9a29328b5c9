import { own } from "./own-sequences.ts";

/** Small texts for people: ages, sizes, counts. Pure. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** 8.4 s, 1 min 05 s, 3 h 20 min, 4 d 2 h: two parts at most. */
export function duration(seconds: number): string {
  const all = Math.max(0, seconds);
  if (all < 9.95) return `${all.toFixed(1)} s`;
  const whole = Math.round(all);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return twoParts(whole, MINUTE, "min", 1, "s");
  if (whole < DAY) return twoParts(whole, HOUR, "h", MINUTE, "min");
  return twoParts(whole, DAY, "d", HOUR, "h");
}

function twoParts(all: number, unit: number, name: string, small: number, smallName: string): string {
  const rest = Math.floor((all % unit) / small);
  const shown = smallName === "h" ? String(rest) : String(rest).padStart(2, "0");
  return rest === 0 ? `${Math.floor(all / unit)} ${name}` : `${Math.floor(all / unit)} ${name} ${shown} ${smallName}`;
}

/** One part, for narrow columns: 8s, 5m, 3h, 4d. */
export function shortAge(seconds: number): string {
  const all = Math.max(0, Math.floor(seconds));
  if (all < MINUTE) return `${all}s`;
  if (all < HOUR) return `${Math.floor(all / MINUTE)}m`;
  if (all < 2 * DAY) return `${Math.floor(all / HOUR)}h`;
  return `${Math.floor(all / DAY)}d`;
}

export const secondsSince = (at: string, now: Date): number => (now.getTime() - Date.parse(at)) / 1000;

/** 2026-11-15 11:00:00, or only to the minute. */
export const stamp = (at: string, to: "second" | "minute" = "second"): string =>
  at.slice(0, to === "second" ? 19 : 16).replace("T", " ");

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  let value = count;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`;
}

export { plural as count, thousands } from "../../core/base/text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it looks for
const ANSI = /\u001b\[[0-9;?]*[A-Za-z]/g;
const ANSI_OR_SIGN = new RegExp(`${ANSI.source}|.`, "gsu");
export const visibleLength = (text: string): number => [...text.replace(ANSI, "")].length;

/** At most `width` characters; what was cut ends in …. Colours take no room, and the last one is closed. */
export function cut(text: string, width: number): string {
  if (visibleLength(text) <= width) return text;
  let out = "";
  let room = width - 1;
  for (const [piece] of text.matchAll(ANSI_OR_SIGN)) {
    const isColor = piece.startsWith("\u001b");
    if (!isColor && room <= 0) break;
    out += piece;
    if (!isColor) room -= 1;
  }
  return `${out}${width > 0 ? "…" : ""}${text.includes("\u001b") ? own(0, "m") : ""}`;
}

export const padEnd = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - visibleLength(text)));

/** Words in lines of at most `width`, for messages. Colours take no room. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && visibleLength(line) + 1 + visibleLength(word) > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** A word as it is typed into a shell. */
export const typed = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
