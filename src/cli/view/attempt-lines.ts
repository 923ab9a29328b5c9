import type { AttemptPageView, AttemptView } from "../../operations/attempts.ts";
import type { Look, Paint } from "../terminal.ts";
import { type Columns, table } from "./table.ts";

type Epoch = AttemptPageView["epochs"][number];

type Row = readonly string[];
const at = (place: number) => (row: Row) => row[place] ?? "";
const COLUMNS: Columns<Row> = [
  ["when", at(0)],
  ["try", at(1)],
  ["site", at(2)],
  ["outcome", at(3)],
  ["memory", at(4), "right"],
  ["decision", at(5)],
  ["reason", at(6), "flexible"],
];

/** The story of nodes: a line per attempt, and one where a person gave a node a fresh budget. */
export function attemptTable(page: Pick<AttemptPageView, "items" | "epochs" | "said">, look: Look): string {
  const { items, epochs, said } = page;
  const { paint, width } = look;
  const rows: Row[] = [];
  const headings = new Map<number, string>();
  let before: AttemptView | null = null;
  for (const attempt of items) {
    const isSame = before !== null && before.unit === attempt.unit && before.node === attempt.node;
    if (!isSame) headings.set(rows.length, attempt.job ?? `${attempt.unit}/${attempt.node}`);
    for (const { at: opened, by, reason } of openedBefore(attempt, isSame ? before : null, epochs))
      rows.push([when(opened), "", "", "", "", paint.cyan("new budget"), `by ${by}: ${reason}`]);
    rows.push(attemptRow(attempt, paint));
    const { script } = attempt;
    if (script) rows.push(["", "", "", script.result, "", paint.cyan("script"), scriptText(script)]);
    for (const { at: told, by, what, reason } of answersTo(attempt, items, said))
      rows.push([when(told), "", "", "", "", paint.cyan(what), `by ${by}: ${reason}`]);
    before = attempt;
  }
  const [head = "", ...lines] = table(COLUMNS, rows, { ...look, width: width - 2 }).split("\n");
  const told = lines.flatMap((line, place) => {
    const heading = headings.get(place);
    return heading === undefined ? [`  ${line}`] : [paint.bold(heading), `  ${line}`];
  });
  return [`  ${head}`, ...told].join("\n");
}

/** What was said of a node after this attempt and before its next one; each once. Attempts have whole seconds. */
function answersTo(attempt: AttemptView, items: readonly AttemptView[], said: AttemptPageView["said"]) {
  const isHere = (of: { round: number; unit: string; node: string | null }): boolean =>
    of.round === attempt.round && of.unit === attempt.unit && (of.node ?? attempt.node) === attempt.node;
  const here = said.filter(isHere);
  const own = here.length > 0 ? items.filter(isHere) : [];
  return here.filter(({ at }) => (own.findLast((each) => second(each.at) < second(at)) ?? own[0]) === attempt);
}
const second = (at: string): number => Math.floor(Date.parse(at) / 1000);

/** Epochs opened between two attempts of a node. */
const openedBefore = (attempt: AttemptView, before: AttemptView | null, epochs: readonly Epoch[]): Epoch[] =>
  before === null
    ? []
    : epochs.filter(
        ({ unit, epoch, nodes }) =>
          unit === attempt.unit &&
          (nodes === null || nodes.includes(attempt.node)) &&
          epoch > before.epoch &&
          epoch <= attempt.epoch,
      );

function attemptRow(attempt: AttemptView, paint: Paint): Row {
  const { decision } = attempt;
  const color = decision === "done" ? paint.green : decision === "retry" ? paint.yellow : paint.red;
  return [
    when(attempt.at),
    attempt.rrn === attempt.retry + 1 ? String(attempt.rrn) : `${attempt.retry + 1} (rrn ${attempt.rrn})`,
    attempt.site ?? "-",
    outcome(attempt),
    memory(attempt),
    color(decision),
    attempt.reason,
  ];
}

/** "./fix.sh after 1.2 s; its log: proc_000000.12.recovery.log" */
const scriptText = ({ script, seconds, log }: NonNullable<AttemptView["script"]>): string =>
  `${script}${seconds === null ? "" : ` after ${seconds} s`}${log ? `; its log: ${log}` : ""}`;

/** How an attempt ended, in one or two words. */
export function outcome({
  cause,
  exit_code,
  signal,
}: Pick<AttemptView, "cause" | "signal"> & { exit_code: number | null }): string {
  if (cause === null) return "ok";
  if (cause === "exit") return `exit ${exit_code}`;
  if (cause === "signal" && signal !== null) return `signal ${signal}`;
  return cause.replaceAll("_", " ");
}

/** "812/2000 → 3000 MB": used, asked for, and what the next attempt asks for where that differs. */
function memory({ peak_memory_mb: used, memory_mb: asked, next_memory_mb: next, decision }: AttemptView): string {
  if (used === null && asked === null) return "-";
  const shown = [used === null ? "?" : Math.round(used), ...(asked === null ? [] : [asked])].join("/");
  const grows = decision === "retry" && next !== null && next !== asked;
  return `${shown}${grows ? ` → ${next}` : ""} MB`;
}

const when = (at: string): string => at.slice(5, 19).replace("T", " ");
