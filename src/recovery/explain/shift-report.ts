/** What is not over and may need a person: the same for one or for many. */
export interface OpenMatter {
  readonly kind: "held" | "wait" | "cause" | "alert" | "site";
  /** What they have in common: a hold, a wait, what fails, a kind of alert, a site. */
  readonly code: string;
  /** Requests, alerts or sites. */
  readonly count: number;
  readonly since: Date | null;
  /** Of the one that is longest so. */
  readonly text: string;
  /** The first of them. */
  readonly subjects: readonly string[];
  /** Who takes care of it. */
  readonly actor: string | null;
  /** Lists them all. */
  readonly command: string;
}

/** The same thing, once or many times, to one or many. */
interface HappenedLine {
  readonly kind: string;
  readonly what: string;
  readonly actor: string | null;
  readonly text: string;
  readonly texts: number;
  readonly count: number;
  readonly lastAt: Date;
  readonly subjects: readonly string[];
  readonly subjectsTotal: number;
}

/** What there is of a kind beyond the lines that are shown. */
export interface MoreLines {
  readonly kind: string;
  readonly lines: number;
  /** In those lines: requests, alerts, entries. */
  readonly count: number;
  readonly command: string;
}

export interface ShiftReport {
  readonly host: string;
  readonly since: Date;
  readonly at: Date;
  readonly sentence: string;
  /** How many entries of the feed are counted in it. */
  readonly entries: number;
  readonly open: readonly OpenMatter[];
  readonly groups: readonly HappenedLine[];
  readonly more: readonly MoreLines[];
}

const SECTIONS: Readonly<Record<string, string>> = {
  action: "What was done",
  ban: "Bans",
  alert: "Alerts",
  transition: "Requests",
  run: "Runs of the engine",
};
/** Alerts that are open are another thing than alerts that came and went. */
export const OPEN_ALERTS = "open-alert";

/** Over all that happened. */
interface Total {
  readonly kind: string;
  readonly what: string;
  readonly count: number;
  readonly subjects: number;
}

/** What waits for a person, and what happened. */
export function shiftSentence(open: readonly OpenMatter[], totals: readonly Total[]): string {
  const sum = (...kinds: OpenMatter["kind"][]): number =>
    open.reduce((all, { kind, count }) => all + (kinds.includes(kind) ? count : 0), 0);
  const [waiting, others] = [sum("held", "wait"), sum("alert", "site")];
  const needs = [
    ...(waiting > 0 ? [`${plural(waiting, "request waits", "requests wait")} for a person`] : []),
    ...(others > 0 ? [`${plural(others, "other matter is", "other matters are")} open`] : []),
  ];
  const moved = (what: string): number =>
    totals.find((total) => total.kind === "transition" && total.what === what)?.subjects ?? 0;
  const actions = totals.reduce((all, { kind, count }) => all + (kind === "action" ? count : 0), 0);
  const happened = [
    ...(["completed", "failed", "aborted"] as const).map((word) => [moved(word), word, word] as const),
    [moved("held"), "was held", "were held"] as const,
    [actions, "action", "actions"] as const,
  ].flatMap(([number, one, many]) => (number > 0 ? [plural(number, one, many)] : []));
  return `${needs.join(", ") || "Nothing waits for a person"}. In this time: ${happened.join(", ") || "nothing"}.`;
}

/** The report as text, for a log book, a mail or a chat: a page, however much happened. */
export function shiftReportText(report: ShiftReport): string {
  const { host, since, at, sentence, open, groups, entries, more } = report;
  const isLong = at.getTime() - since.getTime() > DAY_MS;
  const clock = (date: Date): string =>
    date
      .toISOString()
      .slice(isLong ? 5 : 11, 16)
      .replace("T", " ");
  const moreOf = (...kinds: string[]) => more.filter(({ kind }) => kinds.includes(kind)).map(moreText);
  const sections = Object.entries(SECTIONS).map(([kind, title]) => {
    const of = groups.filter((group) => group.kind === kind);
    return section(title, [...of.map((group) => `${clock(group.lastAt)}  ${groupText(group)}`), ...moreOf(kind)]);
  });
  const parts = [
    `SHIFT REPORT of ${host}: ${full(since)} to ${full(at)} UTC (${hours(since, at)})\n${sentence}`,
    section(
      "Open now",
      [...open.map(openText), ...moreOf("held", "cause", OPEN_ALERTS, "site")],
      "nothing needs a person",
    ),
    ...sections,
    ...(entries === 0 ? ["Nothing happened."] : []),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
const DAY_MS = 24 * 3_600_000;
const full = (date: Date): string => date.toISOString().slice(0, 16).replace("T", " ");
const hours = (since: Date, at: Date): string => `${Math.round((at.getTime() - since.getTime()) / 360_000) / 10} h`;
const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const section = (title: string, lines: readonly string[], nothing = ""): string =>
  lines.length === 0 && nothing === ""
    ? ""
    : [title.toUpperCase(), ...(lines.length > 0 ? lines : [nothing]).map(indented)].join("\n");
const LONGEST = 400;
const indented = (line: string): string => {
  const text = line.replaceAll(/\s*\n\s*/g, " ");
  return `  ${text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text}`;
};

const SHOWN = 5;
function named(subjects: readonly string[], total: number): string {
  const names = subjects.slice(0, SHOWN);
  return [names.join(", "), total > names.length ? ` and ${plural(total - names.length, "other", "others")}` : ""].join(
    "",
  );
}

function openText({ kind, code, count, since, text, subjects, actor, command }: OpenMatter): string {
  const many = count > 1 ? ` (${count.toLocaleString("en")})` : "";
  const care = actor ? ` (${actor} takes care of it)` : "";
  const from = since ? `, since ${full(since)}` : "";
  const who = kind === "site" ? from : `: ${named(subjects, count)}${from}`;
  const all = count > Math.min(subjects.length, SHOWN) ? `; all: ${command}` : "";
  return `${kind.padEnd(5)}  ${code}${many}${who}: ${cut(text)}${care}${all}`;
}
const MOST_TEXT = 200;
const cut = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text);

function groupText({ what, actor, text, texts, count, subjects, subjectsTotal }: HappenedLine): string {
  const times = count > subjectsTotal ? `, ${count.toLocaleString("en")} ×` : "";
  const many = subjectsTotal > 1 ? ` (${subjectsTotal.toLocaleString("en")})` : "";
  const why = texts > 1 ? `for example: ${cut(text)}` : cut(text);
  return [`${what}${many}  ${named(subjects, subjectsTotal)}${times}`, actor && `by ${actor}`, why]
    .filter(Boolean)
    .join(": ");
}

const moreText = ({ lines, count, command }: MoreLines): string =>
  `and ${plural(lines, "other line", "other lines")} (${count.toLocaleString("en")} in all): ${command}`;
