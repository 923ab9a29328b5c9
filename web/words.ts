import { JOB_STATE, type JobState } from "../src/core/job-state.ts";
import type { RequestStatus } from "../src/core/request-status.ts";
import type { Tone } from "./ui/badge.tsx";
import type { Part } from "./ui/bar.tsx";

/** How states look and are called, on every page alike. */
export const STATUS_LOOK: Readonly<Record<RequestStatus, readonly [tone: Tone, letter: string]>> = {
  new: ["waiting", "N"],
  submitted: ["waiting", "S"],
  queued: ["waiting", "Q"],
  planning: ["running", "P"],
  active: ["running", "A"],
  partial: ["retrying", "◐"],
  stopping: ["waiting", "◼"],
  resubmitting: ["retrying", "↺"],
  held: ["held", "H"],
  completed: ["done", "✓"],
  failed: ["failed", "F"],
  aborted: ["failed", "✕"],
};

/** A part of a bar, in the colour and with the letter of its state. */
export const part = (state: JobState, number: number, label: string = state): Part => ({
  tone: JOB_STATE[state].tone,
  letter: JOB_STATE[state].letter,
  label,
  count: number,
});

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export const percent = (value: number): string =>
  value > 0 && value < 1 ? "< 1 %" : value > 99 && value < 100 ? "> 99 %" : `${Math.round(value)} %`;

export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  const value = size / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

export { quoted } from "../src/core/base/text.ts";
