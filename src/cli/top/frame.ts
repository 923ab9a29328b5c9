import { JOB_STATE } from "../../core/job-state.ts";
import { isTerminal, REQUEST_STATUSES } from "../../core/request-status.ts";
import type { CauseView } from "../../operations/desk.ts";
import type { RequestRowView } from "../../operations/requests.ts";
import { ACTION } from "../../recovery/round/actions.ts";
import type { Look, Paint } from "../terminal.ts";
import { bar } from "../view/bar.ts";
import { readyText } from "../view/request-page.ts";
import type { Columns } from "../view/table.ts";
import { ALERTS, BULK, bulkSummary, QUEUE, statusWord } from "../view/tables.ts";
import { count, cut, duration, padEnd, secondsSince, shortAge, visibleLength, wrap } from "../view/text.ts";
import { type Facts, matching, NEED } from "./facts.ts";
import { ACTION_KEYS, mayAct, needsReason } from "./next.ts";
import { itemsOf, placeIn, rowsIn, type TopState, VIEWS } from "./state.ts";

/** What the screen shows: exactly as many lines as it has, none wider than it is. */
export function frame(state: TopState, url: string, look: Look): string[] {
  const { width, height } = state;
  const at = { ...look, width };
  const lines = [headLine(state, url, at), tabLine(state, at), ...body(state, at)];
  const room = Math.max(0, height - 1);
  const filled = [...lines.slice(0, room), ...Array<string>(Math.max(0, room - lines.length)).fill("")];
  return [...filled, footLine(state, at)].map((line) => cut(line.replaceAll(/\s*[\n\t]\s*/g, " "), width).trimEnd());
}

/** All there is, for whoever reads it as text. */
export function wholeFrame(state: TopState, url: string, look: Look): string[] {
  const rows = state.facts?.rows.length ?? 0;
  const tall = { ...state, width: look.width, height: rows + 10 };
  const lists = VIEWS.flatMap((view) => {
    const seen = { ...tall, view };
    return itemsOf(seen).length > 0 ? ["", `${view}:`, ...listLines(seen, look).map((line) => line.slice(1))] : [];
  });
  return [headLine(tall, url, look), ...lists].map((line) => line.trimEnd());
}

const SILENT_AFTER_SEC = 10;

/** Whose numbers these are, how many, and how old. */
function headLine({ facts, trouble, filter, width }: TopState, url: string, { paint, now }: Look): string {
  if (!facts) return `${paint.bold("wms2 top")}  ${url}  ${trouble ? paint.red(trouble) : "asking …"}`;
  const age = Math.max(0, (now.getTime() - facts.at) / 1000);
  const old = `${age < 1.5 ? "now" : `${duration(Math.round(age)).replace(".0", "")} old`}`;
  const isSilent = trouble !== null || age > SILENT_AFTER_SEC;
  const word = isSilent ? paint.red(`NO ANSWER: numbers are ${old}; retrying`) : paint.dim(`${clock(now)} · ${old}`);
  const shown = filter ? ` · ${matching(facts.rows, filter).length} shown` : "";
  const left = `${paint.bold("wms2 top")}  ${url}  ${needText(facts, paint)}${statusCounts(facts.counts, paint)}${shown}`;
  const room = width - visibleLength(word) - 2;
  return `${padEnd(cut(left, room), room)}  ${word}`;
}

const clock = (now: Date): string => `${now.toISOString().slice(11, 19)} UTC`;

/** Where some wait for a person that are not held. */
const needText = ({ inNeed, counts }: Facts, paint: Paint): string =>
  inNeed > (counts.held ?? 0) ? `${paint.red(`${inNeed} wait for a person`)} · ` : "";

function statusCounts(counts: Facts["counts"], paint: Paint): string {
  const known = NEED.filter((status) => counts[status]);
  return known.map((status) => `${counts[status]} ${statusWord(status, paint)}`).join(" · ") || "no requests";
}

function tabLine({ facts, view, filter, marked, ended }: TopState, { paint }: Look): string {
  const sizes = {
    requests: requestsIn(facts, ended),
    causes: facts?.causes.length ?? 0,
    alerts: facts?.openAlerts.open ?? 0,
    queue: facts?.queue.queued_workflows ?? 0,
  };
  const tabs = VIEWS.map((name, at) => {
    const text = `${at + 1} ${name} ${sizes[name]}`;
    const urgent = name === "alerts" && (facts?.openAlerts.critical ?? 0) > 0;
    return name === view ? paint.bold(`[${text}]`) : ` ${urgent ? paint.red(`${text}!`) : text} `;
  });
  const more = [filter ? paint.yellow(`/${filter}`) : "", marked.size ? paint.yellow(`${marked.size} marked`) : ""];
  return [...tabs, ...more.filter(Boolean)].join(" ");
}

/** All there are, also those that were not fetched. */
const requestsIn = (facts: Facts | null, ended: boolean): number =>
  REQUEST_STATUSES.reduce((sum, word) => sum + (ended || !isTerminal(word) ? (facts?.counts[word] ?? 0) : 0), 0);

function body(state: TopState, look: Look): string[] {
  const { over } = state;
  switch (over?.kind) {
    case "help":
      return helpLines(look);
    case "details": {
      const lines = over.lines ?? [`asking for ${over.name} …`];
      return ["", ...lines.slice(over.scroll, over.scroll + rowsIn(state) + 2)];
    }
    case "preview":
      return previewLines(state, over, look);
    default: {
      const list = listLines(state, look);
      return [
        ...list,
        ...Array<string>(Math.max(0, rowsIn(state) + 1 - list.length)).fill(""),
        ...aboutChosen(state, look),
      ];
    }
  }
}

/** The page of the list on which the choice is: rows do not creep while somebody reads. */
function listLines(state: TopState, look: Look): string[] {
  const { facts, view } = state;
  if (!facts) return [];
  const room = rowsIn(state);
  const place = placeIn(state);
  const from = Math.floor(place / room) * room;
  const window = <T>(items: readonly T[]): readonly T[] => items.slice(from, from + room);
  const items = itemsOf(state);
  const shown = { ...look, width: look.width - 2 };
  const lines = {
    requests: () => grid(requestColumns(look.width), window(matching(facts.rows, state.filter)), shown),
    causes: () => grid(CAUSES, window(facts.causes), shown),
    alerts: () => grid(ALERTS, window(facts.alerts), shown),
    queue: () => grid(QUEUE, window(facts.queue.entries), shown),
  }[view]();
  if (items.length === 0) return ["", `  ${emptyText(state)}`];
  const isStale = state.trouble !== null;
  return lines.map((line, at) => {
    if (at === 0) return `  ${line}`;
    const names = items[from + at - 1]?.target.names ?? [];
    const isMarked = names.length > 0 && names.every((name) => state.marked.has(name));
    const isChosen = from + at - 1 === place;
    const text = `${isChosen ? "▸" : " "}${isMarked ? "*" : " "}${line}`;
    return isStale ? look.paint.dim(text) : isChosen ? look.paint.bold(text) : text;
  });
}

function emptyText({ view, filter, ended }: TopState): string {
  if (view === "causes") return "nothing fails";
  if (view === "alerts") return "no alerts";
  if (view === "queue") return "the queue is empty";
  if (filter) return `no request matches /${filter}; esc shows all`;
  return ended ? "no requests yet: wms2 submit FILE submits one" : "nothing is open; e shows what has ended";
}

/** Below 110 columns, what the line about the choice says anyway is left out. */
function requestColumns(width: number): Columns<RequestRowView> {
  const isWide = width >= 110;
  const bars = isWide ? Math.min(40, 10 + Math.floor((width - 110) / 4)) : 10;
  const columns: Columns<RequestRowView> = [
    ["name", ({ request_name }) => cut(request_name, isWide ? 48 : 26)],
    ["status", ({ status }, { paint }) => statusWord(status, paint)],
    [
      "progress",
      ({ progress }, { paint }) => (progress ? bar({ ...progress, total: progress.expected }, bars, paint) : ""),
    ],
    ["units", unitsCell, "right"],
    ["ready", ({ eta }) => readyCell(eta), "right"],
    ["priority", ({ urgent, priority }) => (urgent ? "urgent" : String(priority)), "right"],
    ["age", ({ created_at }, { now }) => shortAge(secondsSince(created_at, now)), "right"],
    ["why", ({ reason }) => reason, "flexible"],
  ];
  return isWide ? columns : columns.filter(([head]) => head !== "priority" && head !== "age");
}

/** "5 to 20 min", "overdue"; a column has no room for more. */
const readyCell = (eta: RequestRowView["eta"]): string =>
  eta === null ? "-" : eta.overdue ? "overdue" : eta.text.replace(/^in (?:about )?/, "").replace("at least ", "> ");

/** "20/48 ↻3 F1": done of all, jobs to be retried, units that failed. */
function unitsCell({ progress, failing }: RequestRowView, { paint }: Look): string {
  if (!progress) return "-";
  const extras = [
    failing ? paint.yellow(`↻${failing}`) : "",
    progress.failed ? paint.red(`${JOB_STATE.failed.letter}${progress.failed}`) : "",
  ];
  return [`${progress.done}/${progress.total}`, ...extras].filter(Boolean).join(" ");
}

const CAUSES: Columns<CauseView> = [
  ["requests", ({ requests }) => String(requests), "right"],
  ["held", ({ held }) => String(held), "right"],
  ["failures", ({ failures }) => String(failures), "right"],
  ["cause", ({ name }, { paint }) => paint.red(name)],
  ["site", ({ site }) => site ?? "-"],
  ["try", ({ suggestion }) => suggestion.action],
  ["because", ({ meaning, example }) => meaning ?? example.reason, "flexible"],
];

/** As `table` has it, without its price: a screen is made every second. */
function grid<T>(columns: Columns<T>, items: readonly T[], look: Look): string[] {
  const rows = [
    columns.map(([head]) => look.paint.dim(head.toUpperCase())),
    ...items.map((item) => columns.map(([, cell]) => cell(item, look))),
  ];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => visibleLength(row[at] ?? ""))));
  const flexible = columns.findIndex(([, , stands]) => stands === "flexible");
  if (flexible >= 0) {
    const others = widths.reduce((sum, one, at) => sum + (at === flexible ? 0 : one + 2), 0);
    widths[flexible] = Math.max(8, Math.min(widths[flexible] ?? 0, look.width - others));
  }
  return rows.map((row) =>
    row
      .map((text, at) => {
        const fitted = cut(text, widths[at] ?? 0);
        if (columns[at]?.[2] !== "right") return padEnd(fitted, widths[at] ?? 0);
        return " ".repeat((widths[at] ?? 0) - visibleLength(fitted)) + fitted;
      })
      .join("  "),
  );
}

/** Two lines in full about what is chosen, which the list may have cut. */
function aboutChosen(state: TopState, look: Look): string[] {
  const lines = wrap(chosenText(state, look), look.width);
  return [lines[0] ?? "", lines.length > 2 ? `${lines[1]} …` : (lines[1] ?? "")];
}

function chosenText(state: TopState, look: Look): string {
  const place = placeIn(state);
  const alert = state.facts?.alerts[place];
  const cause = state.facts?.causes[place];
  if (state.view === "alerts") return alert ? `${alert.subject}: ${alert.message}` : "";
  if (state.view === "causes") return cause ? `${cause.suggestion.action}: ${cause.suggestion.reason}` : "";
  const name = itemsOf(state)[place]?.key;
  const row = state.facts?.rows.find(({ request_name }) => request_name === name);
  return row ? sentence(row, look) : "";
}

function sentence(row: RequestRowView, { now, paint }: Look): string {
  const parts = [
    `${paint.bold(row.request_name)} ${row.status} for ${duration(secondsSince(row.status_since, now))}`,
    row.reason,
    readyText(row),
    `priority ${row.urgent ? "urgent" : row.priority}`,
    row.requestor ? `by ${row.requestor}` : "",
    row.campaign,
  ];
  return parts.filter(Boolean).join(" · ");
}

function previewLines(state: TopState, over: Extract<TopState["over"], { kind: "preview" }>, look: Look): string[] {
  const { wish, items } = over;
  const meaning = wish.action === "priority" ? "how soon they get their turn" : ACTION[wish.action].meaning;
  const head = [
    "",
    `${look.paint.bold(wish.action)} ${count(items?.length ?? wish.names.length, "request")}: ${meaning}`,
    "",
  ];
  if (items === null) return [...head, "asking what it would do …"];
  const room = rowsIn(state) - 4;
  const rows = grid(BULK, items.slice(0, room), look);
  const left = items.length - room;
  return [...head, ...rows, ...(left > 0 ? [look.paint.dim(`… and ${left} more`)] : []), "", bulkSummary(items)];
}

const HELP: readonly (readonly [string, string])[] = [
  ["↑ ↓ j k", "choose; page up, page down, home, end go further"],
  ["enter", "details of a request or a cause"],
  ["1 2 3 4", "requests, causes, alerts, queue; tab goes round"],
  ["/", "filter requests: words of name, status, person, campaign, reason"],
  ["e", "ended requests, too, or open ones only"],
  ["space", "mark several, to act on all of them; esc takes marks and filter away"],
  ...Object.entries(ACTION_KEYS).map(([key, [, about]]) => [key, about] as const),
  ["p", "priority: a number, urgent or normal"],
  ["ctrl-l", "draw the screen again"],
  ["q", "quit; requests go on"],
];

const helpLines = ({ paint }: Look): string[] => [
  "",
  ...HELP.map(([keys, about]) => `  ${padEnd(paint.bold(keys), 10)} ${about}`),
  "",
  "  Every action first shows what it would do, and asks for a reason. ↻3 F1: 3 jobs retrying, 1 unit failed.",
];

function footLine({ over, message, trouble, filter }: TopState, { paint }: Look): string {
  const said = message === null ? "" : `  ${paint.yellow(message)}`;
  switch (over?.kind) {
    case "help":
      return paint.dim("any key goes back");
    case "filter":
      return `/${filter}▏ ${paint.dim("enter keeps it, esc shows all")}`;
    case "priority":
      return `New priority of ${count(over.names.length, "request")}: ${over.text}▏${said || paint.dim("  enter goes on, esc leaves")}`;
    case "preview": {
      if (over.items === null) return paint.dim("esc leaves");
      if (!mayAct(over.items)) return "Nothing would be done.  esc goes back";
      if (!needsReason(over.wish)) return `${paint.bold("enter")} does it, esc leaves`;
      return `Reason: ${over.reason}▏${said || paint.dim("  enter does it, esc leaves")}`;
    }
    case "details":
      return said.trim() || paint.dim("↑↓ scroll · esc back · h r s u f p X act · ? keys");
    default:
      if (message !== null) return said.trim();
      if (trouble !== null) return paint.red(trouble);
      return paint.dim("↑↓ enter details · / filter · space mark · h r s u f p X act · ? keys · q quit");
  }
}
