import type { Answer } from "../../api/client.ts";
import type { Column } from "../../ui/columns.tsx";
import { absolute } from "../../ui/time-words.ts";
import { count, part } from "../../words.ts";

export type SiteHours = Answer<"sites.hours">["items"][number]["hours"];
const HOUR_MS = 3_600_000;

interface SiteSums {
  readonly done: number;
  readonly failed: number;
  /** Of those that failed, for a reason that may be the site's. */
  readonly blamed: number;
  /** Hours of jobs that ran, one after another. */
  readonly busyHours: number;
}
export const sumOf = (hours: SiteHours): SiteSums => ({
  done: hours.reduce((sum, { done }) => sum + done, 0),
  failed: hours.reduce((sum, { failed }) => sum + failed, 0),
  blamed: hours.reduce((sum, { blamed }) => sum + blamed, 0),
  busyHours: hours.reduce((sum, { running }) => sum + running, 0),
});

/** What the bars and their legend are made of. */
export const partsOf = ({ done, failed, blamed }: SiteSums) => [
  part("done", done, "ended well"),
  part("failed", failed - blamed, "failed for another reason"),
  { tone: "retrying" as const, letter: "P", label: "failed, possibly because of the site", count: blamed },
];

/** A bar for every hour, those without attempts included; several hours in one where there are many. */
export function columnsOf(
  hours: SiteHours,
  since: string,
  wanted: { readonly hours: number; readonly step: number; readonly zone: "utc" | "local" },
): Column[] {
  const { step, zone } = wanted;
  const first = Math.floor(new Date(since).getTime() / HOUR_MS);
  const bars = Math.ceil((wanted.hours + 1) / step);
  return Array.from({ length: bars }, (_, index) => {
    const from = first + index * step;
    const within = hours.filter(({ hour }) => {
      const at = Math.floor(new Date(hour).getTime() / HOUR_MS);
      return at >= from && at < from + step;
    });
    const label = absolute(new Date(from * HOUR_MS), zone, 0);
    const sums = sumOf(within);
    const running = `${atATime(sums.busyHours / step)} at a time`;
    return { label: `${label}, ${count(step, "hour")}, ${running}`, parts: partsOf(sums) };
  });
}

const atATime = (jobs: number): string =>
  (jobs >= 10 ? Math.round(jobs) : Math.round(jobs * 10) / 10).toLocaleString("en");

/** How busy it was: in words. */
export function busyText(hours: SiteHours): string {
  const { busyHours } = sumOf(hours);
  const most = Math.max(0, ...hours.map(({ running }) => running));
  return busyHours === 0
    ? "no job that ended ran longer than a moment"
    : `${atATime(most)} jobs ran at a time in its busiest hour, ${atATime(busyHours)} hours of jobs in all`;
}

/** Whose fault: in words. */
export function faultText({ done, failed, blamed }: Omit<SiteSums, "busyHours">): string {
  if (done + failed === 0) return "no attempt ended here";
  const ended = `${count(done, "attempt")} ended well`;
  if (failed === 0) return `${ended}, none failed`;
  const fault = blamed === 0 ? "none" : blamed === failed ? "all" : blamed.toLocaleString("en");
  return `${ended}, ${failed.toLocaleString("en")} failed, ${fault} of them possibly because of the site`;
}
