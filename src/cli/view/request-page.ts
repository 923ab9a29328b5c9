import { KINDS } from "../../kinds/table.ts";
import type { DagView } from "../../operations/dags.ts";
import type { ActionChoiceView } from "../../operations/desk.ts";
import type { RequestDetailView } from "../../operations/requests.ts";
import type { OutputView, WorkflowStatusView } from "../../operations/workflows.ts";
import type { Look } from "../terminal.ts";
import { bar } from "./bar.ts";
import { measuredLines } from "./metrics-page.ts";
import { grouped } from "./table.ts";
import { importTrouble, statusWord, waitText } from "./tables.ts";
import { bytes, count, cut, duration, padEnd, secondsSince, stamp, thousands, wrap } from "./text.ts";
import { unitsOf, unitWord } from "./unit-word.ts";

export interface RequestFacts {
  readonly request: RequestDetailView;
  readonly status: WorkflowStatusView | null;
  readonly dag: DagView | null;
  /** What may be done with a held one, checked; null: it is not held. */
  readonly choices: readonly ActionChoiceView[] | null;
  readonly outputs: { readonly items: readonly OutputView[]; readonly more: boolean };
  /** Of a request whose jobs have names of their own: how many an earlier version did, and who keeps whom. Null: of any other. */
  readonly jobs: { readonly credited: number; readonly blocked: readonly { by: string; units: number }[] } | null;
}

const LABEL = 11;

/** Everything about one request on one screen, the most pressing first. */
export function requestPage(facts: RequestFacts, look: Look): string {
  const { request } = facts;
  const lines = [
    ...headLines(request, look),
    ...troubleLines(request, look),
    ...actionLines(facts, look),
    ...workLines(facts, look),
    ...outputLines(facts, look),
    ...moveLines(request, look),
  ];
  return lines.map((line) => cut(line, look.width).trimEnd()).join("\n");
}

function labelled(label: string, texts: readonly string[], { paint }: Look): string[] {
  return texts.map((text, at) => `${paint.dim(padEnd(at === 0 ? label : "", LABEL))} ${text}`);
}
const wrapped = (label: string, text: string, look: Look): string[] =>
  labelled(label, wrap(text, look.width - LABEL - 1), look);

function headLines(request: RequestDetailView, look: Look): string[] {
  const { paint, now } = look;
  const since = duration(secondsSince(request.status_since, now));
  const ended = ["completed", "failed", "aborted"].includes(request.status);
  const spec = request.spec;
  const urgency = `priority ${request.urgent ? "urgent" : request.priority}`;
  const by = `by ${request.requestor || "?"}${request.campaign ? ` · ${request.campaign}` : ""}`;
  return [
    `${paint.bold(request.request_name)}  ${statusWord(request.status, paint)} ${ended ? `${since} ago` : `for ${since}`}  ${paint.dim(request.status_meaning)}`,
    `${request.kind} · ${urgency} · ${by} · submitted ${duration(secondsSince(request.created_at, now))} ago`,
    ...labelled(hasJobs(request) ? "jobs" : "input", [String(request.work.summary)], look),
    ...labelled("steps", spec.steps.length ? [spec.steps.map((step) => step.name).join(" → ")] : [], look),
    ...labelled("directory", hasJobs(request) ? [String(request.work.directory)] : [], look),
  ];
}

/** Its jobs have commands and names of their own. */
export const hasJobs = ({ kind }: Pick<RequestDetailView, "kind">): boolean => KINDS.get(kind)?.commands === "own";

function troubleLines(request: RequestDetailView, look: Look): string[] {
  const { paint } = look;
  const lines: string[] = [];
  const { hold, error, waiting, wish, imported } = request;
  if (hold) {
    lines.push(...wrapped("held", `${paint.red(hold.code)}: ${hold.message}`, look));
    lines.push(...labelled("details", hold.details, look));
  }
  if (error) {
    const text = `${paint.red(error.code)} ${error.count}×, for ${duration(secondsSince(error.since, look.now))}: ${error.message}`;
    lines.push(...wrapped("error", text, look), ...wrapped("try", error.hint, look));
  }
  if (imported) for (const line of importTrouble(imported)) lines.push(...wrapped("ReqMgr2", line, look));
  if (wish) lines.push(...wrapped("asked for", `${wish.kind} by ${wish.actor}: ${wish.reason}`, look));
  if (waiting && !["person", "left-out"].includes(waiting.code)) {
    const since = `for ${duration(secondsSince(waiting.since, look.now))}`;
    const left = waiting.until ? `, ${duration(Math.max(0, -secondsSince(waiting.until, look.now)))} left` : "";
    const now = waiting.code === "retry" ? `; wms2 retry ${request.request_name} tries now` : "";
    const isMoving = waiting.code === "running";
    const text = `${waiting.code}: ${waitText(waiting)} (${since}${left}; ${WHO[waiting.who]}${now})`;
    lines.push(...wrapped(isMoving ? "runs" : "waits", isMoving ? waiting.reason : text, look));
    for (const detail of waiting.details) lines.push(...wrapped("also", detail, look));
  }
  return lines.length ? ["", ...lines] : [];
}

const WHO = {
  time: "no action needed",
  operator: "needs a person",
  pool: "needs the administrator of the workers",
  service: "goes on when the service is back",
} as const;

/** What a person may do, as it is typed. A held request waits for just that; of others the names are enough. */
function actionLines({ request, choices }: RequestFacts, look: Look): string[] {
  const { allowed_actions: offered, hold, request_name: name } = request;
  if (choices === null) {
    const names = offered.map(({ action }) => action).join(", ");
    return names === "" ? [] : labelled("you may", [`${names}; what each would do: wms2 actions ${name}`], look);
  }
  const place = (action: string): number => (hold?.actions.includes(action) ? hold.actions.indexOf(action) : 99);
  const allowed = choices.filter((choice) => choice.allowed).sort((a, b) => place(a.action) - place(b.action));
  const lines = [...(hold?.code === "unclassified-failures" ? [classifying(name)] : []), ...allowed];
  const column = Math.max(...lines.map(({ command }) => command.length));
  const rows = lines.map(({ command, meaning }) => `${padEnd(command, column)}  ${look.paint.dim(meaning)}`);
  return [
    "",
    ...(request.workflow ? labelled("look", [`wms2 errors ${name}`], look) : []),
    ...labelled("you may", rows, look),
  ];
}
const classifying = (name: string) => ({
  command: `wms2 classify ${name} --retry all --reason TEXT`,
  meaning: `say what failures mean that no rule knows; alike ones together: wms2 groups ${name}`,
});

function workLines({ request, status, dag, jobs }: RequestFacts, look: Look): string[] {
  const { paint } = look;
  if (!request.workflow || !status) return [];
  const { total, done, running, failed, expected } = status.work_units;
  const parts = [
    `${unitsOf(request.kind, done, total)}${expected > total ? " planned so far" : ""}`,
    expected > total && request.progress ? `${request.progress.percent} % of all` : "",
    running ? `${running} running` : "",
    failed ? paint.red(`${failed} failed`) : "",
    jobs?.credited ? `${jobs.credited} done by an earlier version` : "",
    readyText(request),
  ];
  const files = Object.entries(status.input_files).filter(([, number]) => number > 0);
  const counters = [
    `round ${status.round}`,
    `${thousands(request.workflow.total_nodes)} jobs planned`,
    jobs ? "" : `${thousands(request.workflow.events_done)} events`,
    files.length ? `files: ${files.map(([state, number]) => `${number} ${state}`).join(", ")}` : "",
  ];
  const blocks = status.blocks.map(
    (block) =>
      `${block.block_index}  ${(block.status === "on_disk" ? "kept on disk" : block.status).padEnd(12)} ${block.work_units} ${unitWord(request.kind)}s  ${block.dataset_name}`,
  );
  const shownBlocks = blocks.length > 5 ? [...blocks.slice(0, 5), `… and ${blocks.length - 5} more`] : blocks;
  const bars = bar({ total: expected, done, running, failed }, 24, paint);
  return [
    "",
    ...labelled("work", [`${bars} ${listed(parts)}`, counters.filter(Boolean).join(" · ")], look),
    ...labelled("blocked", blockedLines(jobs?.blocked ?? []), look),
    ...status.plan_warnings.flatMap((warning) => wrapped("warning", warning, look)),
    ...(status.step_metrics ? labelled("measured", measuredLines(status.step_metrics), look) : []),
    ...(dag ? labelled("run", dagLines(dag, look), look) : []),
    ...labelled("blocks", jobs ? [] : shownBlocks, look),
  ];
}

const SHOWN_BLOCKERS = 5;

function blockedLines(blocked: readonly { by: string; units: number }[]): string[] {
  const lines = blocked.slice(0, SHOWN_BLOCKERS).map(({ by, units }) => `${count(units, "job")} by ${by}`);
  const left = blocked.length - lines.length;
  return left > 0 ? [...lines, `… and by ${left} more`] : lines;
}

/** When the round is done; of a request with more rounds to come that is not the end. */
export const readyText = ({ eta, progress }: Pick<RequestDetailView, "eta" | "progress">): string => {
  if (!eta) return "";
  const what = (progress?.expected ?? 0) > (progress?.total ?? 0) ? "this round is ready" : "ready";
  return eta.overdue ? eta.text : `${what} ${eta.text}`;
};

const listed = (parts: readonly string[]): string => parts.filter(Boolean).join(", ");

function dagLines(dag: DagView, { paint }: Look): string[] {
  const nodes = [
    `${dag.nodes_done}/${dag.total_nodes} done`,
    dag.nodes_running ? `${dag.nodes_running} running` : "",
    dag.nodes_idle && dag.status === "running" ? `${dag.nodes_idle} waiting` : "",
    dag.nodes_held ? `${dag.nodes_held} held` : "",
    dag.nodes_failed ? paint.red(`${dag.nodes_failed} failed`) : "",
  ];
  return [
    `${dag.status}, ${dag.engine.replace(/^local:.*/, "local")}${dag.engine_id ? ` ${dag.engine_id}` : ""}, jobs: ${listed(nodes)}`,
    dag.submit_dir,
    ...(dag.end_reason ? [`ended: ${dag.end_reason}`] : []),
  ];
}

function outputLines({ request, outputs, status }: RequestFacts, look: Look): string[] {
  if (outputs.items.length === 0) return [];
  const more = outputs.more ? " (first ones only)" : "";
  const rows = [...grouped(outputs.items, ({ dataset }) => dataset)].flatMap(([dataset, files]) => {
    const size = bytes(files.reduce((sum, { size_bytes }) => sum + size_bytes, 0));
    const events = thousands(files.reduce((sum, { events }) => sum + (events ?? 0), 0));
    const text = `${dataset}  ${count(files.length, "file")}, ${size}, ${events} events${more}`;
    return [text, look.paint.dim(files[0]?.path ?? "")];
  });
  const owed = status?.outputs.owed ?? 0;
  if (owed) rows.push(`${count(owed, unitWord(request.kind))} finished and not yet registered`);
  return ["", ...labelled("outputs", rows, look)];
}

const SHOWN_MOVES = 10;

function moveLines({ status_transitions: moves }: RequestDetailView, look: Look): string[] {
  const last = moves.slice(-SHOWN_MOVES);
  const lines = last.map(({ from, to, at, reason, actor }) => {
    const path = from === null || from === to ? to : `${from} → ${to}`;
    return `${stamp(at)}  ${padEnd(path, 22)} ${reason} ${look.paint.dim(`(${actor})`)}`;
  });
  const before = moves.length - last.length;
  const all = before > 0 ? [`… ${before} earlier`, ...lines] : lines;
  return ["", ...labelled("moves", all, look)];
}
