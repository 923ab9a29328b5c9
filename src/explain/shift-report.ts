import { groupBy } from "../base/group-by.ts";

/** Something that happened, whoever did it. */
interface Happened<K extends string = string> {
  readonly at: Date;
  readonly kind: K;
  readonly subject: string;
  readonly what: string;
  readonly actor: string | null;
  readonly text: string;
}

/** The same thing, once or many times, to one or many. */
interface HappenedGroup<K extends string = string> {
  readonly kind: K;
  readonly what: string;
  readonly actor: string | null;
  /** "": it went as usual, and the reasons differ. */
  readonly text: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly subjects: readonly string[];
}

/** Where a request stays, by a reason of its own. */
const UNUSUAL: readonly string[] = ["held", "failed", "aborted"];
/** Where it only passes by: the feed has them. */
const PASSING: readonly string[] = ["new", "queued", "planning", "partial", "stopping"];
/** How the reason of a move ends that completes a request without all that it was asked for. */
const LEFT_OUT = " left out";
const BANS: readonly string[] = ["ban", "banned", "promoted"];

/** What went as usual is counted; what did not keeps its reason, and comes first. By kind in the order of `SECTIONS`. */
export function groupHappened<K extends string>(entries: readonly Happened<K>[]): readonly HappenedGroup<K>[] {
  const said = saidOnce(entries).filter(({ kind, what }) => kind !== "transition" || !PASSING.includes(what));
  const groups = groupBy(said, ({ kind, what, actor, text }) => JSON.stringify([kind, what, actor, text]));
  const order = Object.keys(SECTIONS);
  const rank = ({ kind, what }: HappenedGroup) => 2 * order.indexOf(kind) + Number(isUsual(kind, what));
  return [...groups.values()]
    .map((group) => groupOf(group))
    .sort((a, b) => rank(a) - rank(b) || a.firstAt.getTime() - b.firstAt.getTime());
}

const isUsual = (kind: string, what: string): boolean => kind === "transition" && !UNUSUAL.includes(what);

/** A ban that somebody noted is an action, too, and a request that is held has an alert, too. */
function saidOnce<K extends string>(entries: readonly Happened<K>[]): readonly Happened<K>[] {
  const lines = entries.map(asLine);
  const moment = ({ subject, at }: Happened): string => `${subject} ${at.getTime()}`;
  const bans = new Set(lines.filter(({ kind, what }) => kind === "action" && BANS.includes(what)).map(moment));
  const held = new Set(lines.filter(({ what }) => what === "held").map(({ subject }) => subject));
  return lines.filter(
    (entry) =>
      !(entry.kind === "ban" && bans.has(moment(entry))) &&
      !(entry.kind === "alert" && held.has(entry.subject) && entry.text.startsWith("held (")),
  );
}

function asLine<K extends string>(entry: Happened<K>): Happened<K> {
  if (entry.kind === "transition") {
    const to = entry.what.split(" → ").at(-1) ?? entry.what;
    return isUsual("transition", to) && !entry.text.endsWith(LEFT_OUT)
      ? { ...entry, what: to, actor: null, text: "" }
      : { ...entry, what: to };
  }
  return entry.what === "closed" ? { ...entry, text: "" } : entry;
}

function groupOf<K extends string>(entries: readonly Happened<K>[]): HappenedGroup<K> {
  const [first, last] = [entries[0]!, entries.at(-1)!];
  const { kind, what, actor, text } = first;
  const subjects = [...new Set(entries.map(({ subject }) => subject))];
  return { kind, what, actor, text, count: entries.length, firstAt: first.at, lastAt: last.at, subjects };
}

/** What is not over and may need a person. */
export interface OpenMatter {
  readonly kind: "held" | "alert" | "site";
  readonly subject: string;
  readonly since: Date;
  readonly text: string;
  readonly actor: string | null;
}

export interface ShiftReport {
  readonly host: string;
  readonly since: Date;
  readonly at: Date;
  /** How many entries are behind it. */
  readonly entries: number;
  /** The last entry that was read, when there were more; null: all were. */
  readonly cutAt: Date | null;
  readonly open: readonly OpenMatter[];
  readonly groups: readonly HappenedGroup[];
}

const SECTIONS: Readonly<Record<string, string>> = {
  action: "What was done",
  ban: "Bans",
  alert: "Alerts",
  transition: "Requests",
  run: "Runs of the engine",
};

/** The report as text, for a log book, a mail or a chat. */
export function shiftReportText(report: ShiftReport): string {
  const { host, since, at, open, groups, entries, cutAt } = report;
  const isLong = at.getTime() - since.getTime() > DAY_MS;
  const clock = (date: Date): string =>
    date
      .toISOString()
      .slice(isLong ? 5 : 11, 16)
      .replace("T", " ");
  const full = (date: Date): string => date.toISOString().slice(0, 16).replace("T", " ");
  const head = `SHIFT REPORT of ${host}: ${full(since)} to ${full(at)} UTC (${hours(since, at)})`;
  const sections = Object.entries(SECTIONS).map(([kind, title]) => {
    const of = groups.filter((group) => group.kind === kind);
    return section(
      title,
      of.map((group) => `${clock(group.lastAt)}  ${groupText(group)}`),
    );
  });
  const parts = [
    head,
    section(
      "Open now",
      open.map((matter) => openText(matter, full)),
      "nothing needs a person",
    ),
    ...sections,
    ...(entries === 0 ? ["Nothing happened."] : []),
    ...(cutAt ? [`Cut at ${full(cutAt)}, after ${entries} entries: ask again with a later since.`] : []),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
const DAY_MS = 24 * 3_600_000;
const hours = (since: Date, at: Date): string => `${Math.round((at.getTime() - since.getTime()) / 360_000) / 10} h`;

const section = (title: string, lines: readonly string[], nothing = ""): string =>
  lines.length === 0 && nothing === ""
    ? ""
    : [`${title.toUpperCase()} (${lines.length})`, ...(lines.length > 0 ? lines : [nothing]).map(indented)].join("\n");
const indented = (line: string): string => `  ${line.replaceAll(/\s*\n\s*/g, " ")}`;

const openText = ({ kind, subject, since, text, actor }: OpenMatter, full: (date: Date) => string): string =>
  `${kind.padEnd(5)}  ${subject}, since ${full(since)}: ${text}${actor ? ` (${actor} takes care of it)` : ""}`;

const SHOWN = 10;
function groupText({ what, actor, text, count, subjects }: HappenedGroup): string {
  const names = subjects.slice(0, SHOWN).join(", ");
  const more = subjects.length > SHOWN ? ` and ${subjects.length - SHOWN} others` : "";
  const times = count > subjects.length ? `, ${count} ×` : "";
  const many = subjects.length > 1 ? ` (${subjects.length})` : "";
  return [`${what}${many}  ${names}${more}${times}`, actor && `by ${actor}`, text].filter(Boolean).join(": ");
}
