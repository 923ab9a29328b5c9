import type { DagView, OutputView, RequestDetailView, WorkflowStatusView } from "../../api/client-types.ts";
import type { Look } from "../terminal.ts";
import { bar } from "./bar.ts";
import { statusWord } from "./tables.ts";
import { bytes, count, cutColoured, duration, padEnd, secondsSince, stamp, thousands, wrap } from "./text.ts";

export interface RequestFacts {
  readonly request: RequestDetailView;
  readonly status: WorkflowStatusView | null;
  readonly dag: DagView | null;
  readonly outputs: { readonly items: readonly OutputView[]; readonly more: boolean };
}

const LABEL = 11;

/** Everything about one request on one screen, the most pressing first. */
export function requestPage(facts: RequestFacts, look: Look): string {
  const { request } = facts;
  const lines = [
    ...headLines(request, look),
    ...troubleLines(request, look),
    ...actionLines(request, look),
    ...workLines(facts, look),
    ...outputLines(facts, look),
    ...moveLines(request, look),
  ];
  return lines.map((line) => cutColoured(line, look.width).trimEnd()).join("\n");
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
  const from = spec.input
    ? `${spec.input.from} ${spec.input.at}`
    : `${thousands(spec.generation?.total_events ?? 0)} events to generate`;
  return [
    `${paint.bold(request.request_name)}  ${statusWord(request.status, paint)} ${ended ? `${since} ago` : `since ${since}`}  ${paint.dim(request.status_meaning)}`,
    ...labelled(
      "",
      [
        `${request.kind} · priority ${request.urgent ? "urgent" : request.priority} · by ${request.requestor || "?"}${request.campaign ? ` · ${request.campaign}` : ""} · handed in ${duration(secondsSince(request.created_at, now))} ago`,
      ],
      look,
    ).map((line) => line.trimStart()),
    ...labelled("input", [from], look),
    ...labelled("steps", [spec.steps.map((step) => step.name).join(" → ")], look),
  ];
}

function troubleLines(request: RequestDetailView, look: Look): string[] {
  const { paint } = look;
  const lines: string[] = [];
  const { hold, error, waiting, wish } = request;
  if (hold) {
    lines.push(...wrapped("held", `${paint.red(hold.code)}: ${hold.message}`, look));
    const evidence = Object.entries(hold.evidence).map(([key, value]) => `${key} = ${shown(value)}`);
    if (evidence.length) lines.push(...labelled("evidence", evidence.slice(0, 8), look));
  }
  if (error) {
    const words = `${paint.red(error.code)} ${error.count}×, since ${duration(secondsSince(error.since, look.now))}: ${error.message}`;
    lines.push(...wrapped("error", words, look), ...wrapped("try", error.hint, look));
  }
  if (wish) lines.push(...wrapped("asked for", `${wish.kind} by ${wish.actor}: ${wish.reason}`, look));
  if (waiting) lines.push(...wrapped("waits", waiting, look));
  return lines.length ? ["", ...lines] : [];
}

/** What a person may do, as it is typed. A held request waits for just that; of others the words are enough. */
function actionLines(request: RequestDetailView, look: Look): string[] {
  const { allowed_actions: allowed, hold, request_name: name, status } = request;
  if (allowed.length === 0) return [];
  if (status !== "held") {
    const words = allowed.map(({ action }) => action).join("|");
    return labelled("you may", [`wms2 ${words} ${name} --reason …`], look);
  }
  const place = (action: string): number => (hold?.actions.includes(action) ? hold.actions.indexOf(action) : 99);
  const sorted = [...allowed].sort((a, b) => place(a.action) - place(b.action));
  const typed = sorted.map(({ action }) => `wms2 ${action} ${name} --reason …${EXTRA[action] ?? ""}`);
  const column = Math.max(...typed.map((text) => text.length));
  const rows = sorted.map(({ meaning }, at) => `${padEnd(typed[at] ?? "", column)}  ${look.paint.dim(meaning)}`);
  return [
    "",
    ...(request.workflow ? labelled("look", [`wms2 errors ${name}`], look) : []),
    ...labelled("you may", rows, look),
  ];
}
const EXTRA: Readonly<Record<string, string>> = { resubmit: " --failed" };

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function workLines({ request, status, dag }: RequestFacts, look: Look): string[] {
  const { paint, now } = look;
  if (!request.workflow || !status) return [];
  const { total, done, running, failed } = status.work_units;
  const words = [
    `${done}/${total} units`,
    running ? `${running} running` : "",
    failed ? paint.red(`${failed} failed`) : "",
  ];
  const eta = status.estimated_completion && -secondsSince(status.estimated_completion, now);
  const lines = [
    "",
    ...labelled(
      "work",
      [
        `${bar({ total, done, running, failed }, 24, paint)} ${words.filter(Boolean).join(", ")}${eta ? `, ready in about ${duration(eta)}` : ""}`,
      ],
      look,
    ),
  ];
  const counters = [
    `round ${status.round}`,
    `${thousands(request.workflow.total_nodes)} nodes planned`,
    `${thousands(request.workflow.events_done)} events`,
    filesWords(status),
  ];
  lines.push(...labelled("", [counters.filter(Boolean).join(" · ")], look));
  if (dag) lines.push(...dagLines(dag, look));
  const blocks = status.blocks.map(
    (block) => `${block.block_index}  ${block.status.padEnd(9)} ${block.work_units} units  ${block.dataset_name}`,
  );
  const shownBlocks = blocks.length > 5 ? [...blocks.slice(0, 5), `… and ${blocks.length - 5} more`] : blocks;
  lines.push(...labelled("blocks", shownBlocks, look));
  return lines;
}

function filesWords({ input_files: files }: WorkflowStatusView): string {
  const words = Object.entries(files).filter(([, number]) => number > 0);
  return words.length ? `files: ${words.map(([state, number]) => `${number} ${state}`).join(", ")}` : "";
}

function dagLines(dag: DagView, look: Look): string[] {
  const nodes = [
    `${dag.nodes_done}/${dag.total_nodes} done`,
    dag.nodes_running ? `${dag.nodes_running} running` : "",
    dag.nodes_held ? `${dag.nodes_held} held` : "",
    dag.nodes_failed ? look.paint.red(`${dag.nodes_failed} failed`) : "",
  ];
  return [
    ...labelled(
      "dag",
      [
        `${dag.status}, ${dag.engine}${dag.engine_id ? ` ${dag.engine_id}` : ""}, nodes: ${nodes.filter(Boolean).join(", ")}`,
        dag.submit_dir,
        ...(dag.end_reason ? [`ended: ${dag.end_reason}`] : []),
      ],
      look,
    ),
  ];
}

function outputLines({ outputs, status }: RequestFacts, look: Look): string[] {
  if (outputs.items.length === 0) return [];
  const byDataset = new Map<string, { files: number; size: number; events: number; first: string }>();
  for (const file of outputs.items) {
    const known = byDataset.get(file.dataset) ?? { files: 0, size: 0, events: 0, first: file.path };
    known.files += 1;
    known.size += file.size_bytes;
    known.events += file.events ?? 0;
    byDataset.set(file.dataset, known);
  }
  const more = outputs.more ? " (first ones only)" : "";
  const rows = [...byDataset].flatMap(([dataset, { files, size, events, first }]) => [
    `${dataset}  ${count(files, "file")}, ${bytes(size)}, ${thousands(events)} events${more}`,
    look.paint.dim(first),
  ]);
  const owed = status?.outputs.owed ?? 0;
  if (owed) rows.push(`${count(owed, "unit")} finished and not yet registered`);
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
