/** A story as `wms2 simulate` tells it: moments, then a few lines that sum it up. */
interface Moment {
  /** Seconds since it began. */
  readonly sec: number;
  readonly stamp: string;
  /** done to it: by the world, a person or a server · trouble: something is wrong · told: what followed. */
  readonly kind: "done to it" | "trouble" | "told";
  readonly text: string;
}
interface Story {
  readonly moments: readonly Moment[];
  readonly summary: string;
}

const MOMENT = /^\s*\+(?:(\d+)d )?(\d+):(\d\d):(\d\d) (.) (.*)$/u;
const KINDS: Readonly<Record<string, Moment["kind"]>> = { "»": "done to it", "✗": "trouble", "!": "trouble" };

export function readStory(text: string): Story {
  const lines = text.trimEnd().split("\n");
  const end = lines.findIndex((line) => !MOMENT.test(line));
  const told = end < 0 ? lines : lines.slice(0, end);
  const moments = told.map((line): Moment => {
    const [, days = "0", hours, minutes, seconds, sign = "", words = ""] = MOMENT.exec(line)!;
    const sec = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
    return { sec, stamp: line.trim().split(/ [»✗! ] /u, 1)[0]!, kind: KINDS[sign] ?? "told", text: words };
  });
  return { moments, summary: end < 0 ? "" : lines.slice(end).join("\n").trim() };
}

/** How far each moment is along the story, in percent of its length. */
export const shareOf = ({ moments }: Story, { sec }: Moment): number => {
  const last = moments.at(-1)?.sec ?? 0;
  return last === 0 ? 0 : (100 * sec) / last;
};
