import type { AnswerOf } from "../../operations/operation.ts";
import type { OPERATIONS } from "../../operations/table.ts";
import type { Look } from "../terminal.ts";
import { statusWord, whyNotMoving } from "./tables.ts";
import { count, cut, duration, padEnd, thousands, wrap } from "./text.ts";
import { unitWord } from "./unit-word.ts";
import { progressOf, type WatchedRequest } from "./watched.ts";

export type ErrorsView = AnswerOf<typeof OPERATIONS.attempts.errors>;

/** How a run ended, as far as somebody has to know who typed `wms2 run`. */
export interface RunEnd {
  readonly watched: WatchedRequest;
  /** null: nothing failed. */
  readonly errors: ErrorsView | null;
  /** Jobs of an earlier version that still hold. */
  readonly credited: number;
  /** What to type to run it again. */
  readonly again: string;
  /** The options that say which server is meant; empty: the usual one. */
  readonly where: string;
  /** Whether a server is there when the run is over. */
  readonly serverStays: boolean;
}

const LABEL = 9;
const TAIL_LINES = 12;
const BLOCKERS = 3;

/** Done, failed, blocked by whom; the first cause; where files are; how to go on. */
export function runSummary(end: RunEnd, look: Look): string {
  const { paint, now } = look;
  const { request } = end.watched;
  const took = duration(progressOf(end.watched, now).elapsedSec);
  const isGood = request.status === "completed";
  const reason = isGood ? "" : (whyNotMoving(request) ?? request.status_transitions.at(-1)?.reason ?? "");
  const lines = [
    `${paint.bold(request.request_name)}  ${statusWord(request.status, paint)} ${isGood ? "in" : "after"} ${took}`,
    ...labelled("why", reason === "" ? [] : wrap(reason, look.width - LABEL - 1), look),
    ...labelled(`${unitWord(request.kind)}s`, [countsLine(end, look)], look),
    ...labelled("blocked", blockedLines(end), look),
    ...labelled("first", firstLines(end, look), look),
    ...labelled("files", filesLines(end), look),
    ...labelled("go on", goOnLines(end, look), look),
  ];
  return lines.map((line) => cut(line, look.width).trimEnd()).join("\n");
}

const labelled = (label: string, texts: readonly string[], { paint }: Look): string[] =>
  texts.map((text, at) => `${paint.dim(padEnd(at === 0 ? label : "", LABEL))} ${text}`);

/** How many units stand where. Of a graph, those that wait for a failed one are apart. */
export function unitCounts({ watched, errors }: Pick<RunEnd, "watched" | "errors">, now: Date) {
  const { units } = progressOf(watched, now);
  const blocked = errors?.blocked?.reduce((sum, { units }) => sum + units, 0) ?? 0;
  return { total: units.total, done: units.done, failed: errors?.units_failed ?? units.failed, blocked };
}

function countsLine(end: RunEnd, { paint, now }: Look): string {
  const { total, done, failed, blocked } = unitCounts(end, now);
  const left = total - done - failed - blocked;
  const parts = [
    `${thousands(done)} of ${thousands(total)} done`,
    failed > 0 ? paint.red(`${thousands(failed)} failed`) : "",
    blocked > 0 ? paint.yellow(`${thousands(blocked)} blocked`) : "",
    left > 0 ? `${thousands(left)} not begun or not finished` : "",
    end.credited > 0 ? `${thousands(end.credited)} kept from before` : "",
  ];
  return parts.filter(Boolean).join(", ");
}

function blockedLines({ errors }: RunEnd): string[] {
  const blocked = errors?.blocked ?? [];
  const rest = blocked.slice(BLOCKERS).reduce((sum, { units }) => sum + units, 0);
  return [
    ...blocked.slice(0, BLOCKERS).map(({ by, units }) => `${count(units, "job")} by ${by}, which failed`),
    ...(rest > 0 ? [`${thousands(rest)} by others`] : []),
  ];
}

/** The first failure, and the end of its log where one of the codes has it as its example. */
function firstLines({ errors }: RunEnd, look: Look): string[] {
  const first = errors?.first;
  if (!first) return [];
  const tail = errors.codes.find(({ exit_code }) => exit_code === first.exit_code)?.log_tail ?? "";
  const lines = tail.split("\n").filter((line) => line.trim() !== "");
  const where = first.job ?? `${first.unit}/${first.node}`;
  return [
    ...wrap(`${where}${first.site ? ` at ${first.site}` : ""}: ${first.reason}`, look.width - LABEL - 1),
    ...lines.slice(-TAIL_LINES).map((line) => look.paint.dim(`| ${line}`)),
  ];
}

/** A graph's files are in its directory; other outputs are registered, and have a command of their own. */
function filesLines({ watched: { request } }: RunEnd): string[] {
  const { directory } = request.work;
  if (typeof directory === "string") return [directory];
  return request.status === "completed" ? [`wms2 outputs ${request.request_name}`] : [];
}

function goOnLines({ watched: { request }, errors, again, where, serverStays }: RunEnd, { paint }: Look): string[] {
  if (request.status === "completed") return [];
  if (!errors?.first) return [`${again}  ${paint.dim("goes on where it was")}`];
  const name = request.request_name;
  const rows = [
    [again, "after a fix: what is done stays done"],
    [`wms2 errors ${name}${where}`, "all that failed, and what to try"],
    [`wms2 recover ${name} --dry-run${where}`, "more memory or time for those that ran out of it"],
  ] as const;
  const width = Math.max(...rows.map(([typed]) => typed.length));
  const lines = rows.map(([typed, meaning]) => `${padEnd(typed, width)}  ${paint.dim(meaning)}`);
  return serverStays ? lines : [...lines, paint.dim(`all but the first need a server: wms2 serve${where}`)];
}
