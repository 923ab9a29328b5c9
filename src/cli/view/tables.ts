import { isDagOver } from "../../core/dag.ts";
import { waitText, whyNotMoving } from "../../core/why-not-moving.ts";
import type { BulkAnswerView } from "../../operations/actions.ts";
import type { BlockView } from "../../operations/blocks.ts";
import type { NodeRowView } from "../../operations/dags.ts";
import type { ImportView } from "../../operations/imports.ts";
import type { AlertView, AuditView } from "../../operations/operators.ts";
import type { RequestRowView } from "../../operations/requests.ts";
import type { BanView, SiteView } from "../../operations/sites.ts";
import type { QueueView } from "../../operations/system.ts";
import type { OutputView } from "../../operations/workflows.ts";
import { describeEffects } from "../../recovery/round/effect.ts";
import type { Paint } from "../terminal.ts";
import { type Columns, color, jobStateWord } from "./table.ts";
import { bytes, count, secondsSince, shortAge, stamp, thousands } from "./text.ts";
import { unitsOf } from "./unit-word.ts";

/** What needs a person is red, what moves is cyan, what is done is green. */
const STATUS_COLORS = {
  completed: "green",
  held: "red",
  failed: "red",
  aborted: "yellow",
  stopping: "yellow",
  partial: "yellow",
  active: "cyan",
  planning: "cyan",
  resubmitting: "cyan",
  new: "dim",
  submitted: "dim",
  queued: "dim",
} as const satisfies Record<RequestRowView["status"], string>;
export const statusWord = (status: RequestRowView["status"], paint: Paint): string =>
  color(status, STATUS_COLORS, paint);

export const REQUESTS: Columns<RequestRowView> = [
  ["name", ({ request_name }) => request_name],
  ["status", ({ status }, { paint }) => statusWord(status, paint)],
  ["units", (row) => unitsCell(row), "right"],
  ["%", ({ progress }) => (progress === null ? "-" : String(Math.floor(progress.percent))), "right"],
  ["priority", ({ urgent, priority }) => (urgent ? "urgent" : String(priority)), "right"],
  ["age", ({ created_at }, { now }) => shortAge(secondsSince(created_at, now)), "right"],
  ["why", (request) => whyNotMoving(request), "flexible"],
];

/** The head of the column says units; who calls them otherwise says so. */
function unitsCell({ kind, progress }: RequestRowView): string {
  if (!progress?.total) return "-";
  return unitsOf(kind, progress.done, progress.total).replace(/ units$/, "");
}

export { waitText, whyNotMoving };

export const OUTPUTS: Columns<OutputView> = [
  ["output", ({ output }) => output],
  ["unit", ({ work_unit }) => work_unit],
  ["status", ({ status }) => status],
  ["events", ({ events }) => (events === null ? "-" : thousands(events)), "right"],
  ["size", ({ size_bytes }) => bytes(size_bytes), "right"],
  ["path", ({ path }) => path],
];

export const BLOCKS: Columns<BlockView> = [
  ["block", ({ name }) => name],
  ["status", ({ status }, { paint }) => color(status, BLOCK_COLORS, paint)],
  ["units", ({ units }) => `${units.registered}/${Object.values(units).reduce((sum, n) => sum + n, 0)}`, "right"],
  ["files", ({ files }) => thousands(files), "right"],
  ["size", ({ bytes: size }) => bytes(size), "right"],
  ["steps", ({ receipts }) => Object.keys(receipts).join(" ") || "-"],
  [
    "next try",
    ({ status, tries, next_try_at }) => (status === "open" && tries > 0 ? stamp(next_try_at, "minute") : "-"),
  ],
  [
    "waits for",
    ({ last_error: error, waits_for }) =>
      error ? `${error.step}: ${error.message} (${error.fix})` : (waits_for ?? ""),
    "flexible",
  ],
];
const BLOCK_COLORS = { open: "cyan", done: "green", failed: "red", withdrawing: "yellow", withdrawn: "dim" } as const;

/** A job of a graph has a name of its own; the others are numbered within their units. */
export const nodeColumns = (items: readonly NodeRowView[]): Columns<NodeRowView> =>
  items.every(({ job }) => job !== undefined) ? NODES : [["unit", ({ unit }) => unit ?? "-"], ...NODES];

const NODES: Columns<NodeRowView> = [
  ["job", ({ node, job }) => job ?? node],
  ["state", ({ state }, { paint }) => jobStateWord(state, paint)],
  ["retries", ({ retries }) => (retries ? String(retries) : ""), "right"],
  [
    "detail",
    ({ detail, side }) => [...(detail ? [detail] : []), ...(side ? [again(side)] : [])].join("; "),
    "flexible",
  ],
];

/** The folder of a side run has the first eight digits of its id in its name. */
const again = ({ dag_id, status, by, reason }: NonNullable<NodeRowView["side"]>): string =>
  `${isDagOver(status) ? "ran" : "runs"} again in side run ${dag_id.slice(0, 8)}, by ${by}: ${reason}`;

export const QUEUE: Columns<QueueView["entries"][number]> = [
  ["place", ({ place }) => String(place), "right"],
  ["name", ({ request_name }) => request_name],
  ["priority", ({ urgent, priority }) => (urgent ? "urgent" : String(priority)), "right"],
  ["waits", ({ queued_since }, { now }) => shortAge(secondsSince(queued_since, now)), "right"],
  ["why", ({ reason }) => reason, "flexible"],
];

export const AUDIT: Columns<AuditView> = [
  ["when", ({ at }) => stamp(at)],
  ["who", ({ actor }) => actor],
  ["did", ({ action }) => action],
  ["to", ({ subject }) => subject],
  ["outcome", ({ outcome }, { paint }) => color(outcome, { refused: "red", failed: "red" }, paint)],
  ["why", ({ reason }) => reason, "flexible"],
];

const SEVERITIES = { closed: "dim", info: "dim", warning: "yellow", critical: "red" } as const;

const IMPORT_COLORS = { imported: "green", refused: "red", "passed-over": "dim" } as const;

export const IMPORTS: Columns<ImportView> = [
  ["name", ({ name }) => name],
  ["outcome", ({ outcome }, { paint }) => color(outcome, IMPORT_COLORS, paint)],
  ["there", ({ their_status }) => their_status ?? "-"],
  ["age", ({ created_at }, { now }) => shortAge(secondsSince(created_at, now)), "right"],
  ["why", (one) => importTrouble(one).join("; "), "flexible"],
];

/** What people should know of an import. */
export const importTrouble = ({ reasons, changes, last_error, next_try_at }: ImportView): readonly string[] => [
  ...reasons,
  ...changes.map((line) => `changed there: ${line}`),
  ...(last_error ? [`ReqMgr2 not updated: ${last_error}${next_try_at ? `; next try ${stamp(next_try_at)}` : ""}`] : []),
];

export const ALERTS: Columns<AlertView> = [
  ["id", ({ id }) => id, "right"],
  ["severity", ({ closed_at, severity }, { paint }) => color(closed_at ? "closed" : severity, SEVERITIES, paint)],
  ["subject", ({ subject }) => subject],
  ["since", ({ first_at }, { now }) => shortAge(secondsSince(first_at, now)), "right"],
  ["times", ({ count }) => String(count), "right"],
  ["seen by", ({ acknowledged_by }) => acknowledged_by ?? "-"],
  ["message", ({ message }) => message, "flexible"],
];

const SITE_COLORS = { enabled: "green", draining: "yellow", disabled: "red" } as const;

export const SITES: Columns<SiteView> = [
  ["site", ({ name }) => name],
  ["status", ({ status, is_active }, { paint }) => (is_active ? color(status, SITE_COLORS, paint) : "inactive")],
  ["storage", ({ rses }) => (rses === null ? "-" : rses.join(", ") || "none")],
  ["cores", ({ cores }) => (cores === null ? "-" : String(cores)), "right"],
  ["memory", ({ memory_mb }) => (memory_mb === null ? "-" : bytes(memory_mb * 1e6)), "right"],
  [
    "note and bans",
    ({ note, bans }, { now }) => [note, ...bans.map((ban) => banText(ban, now))].filter(Boolean).join("; "),
    "flexible",
  ],
];

const banText = ({ workflow_id, expires_at, reason }: SiteView["bans"][number], now: Date): string =>
  `banned ${workflow_id === null ? "" : "for one workflow "}for ${shortAge(-secondsSince(expires_at, now))} more: ${reason}`;

export const BANS: Columns<BanView> = [
  ["for", ({ workflow_id }) => workflow_id ?? "every request"],
  ["by", ({ created_by }) => created_by ?? "-"],
  ["since", ({ created_at }) => stamp(created_at, "minute")],
  ["until", (ban, { now }) => untilText(ban, now)],
  ["why", ({ reason }) => reason, "flexible"],
];

function untilText({ removed_at, removed_by, expires_at }: BanView, now: Date): string {
  if (removed_at) return `lifted by ${removed_by ?? "?"}`;
  return secondsSince(expires_at, now) >= 0 ? "expired" : stamp(expires_at, "minute");
}

export type BulkItem = BulkAnswerView["items"][number];

/** Outcomes of an action on many requests, in the order they are shown. */
const OUTCOMES = {
  done: "green",
  would: "cyan",
  already: "dim",
  refused: "red",
  unknown: "red",
  stale: "yellow",
} as const satisfies Record<BulkItem["outcome"], string>;

export const BULK: Columns<BulkItem> = [
  ["name", ({ request_name }) => request_name],
  ["status", ({ status }) => status ?? "-"],
  ["outcome", ({ outcome }, { paint }) => color(outcome, OUTCOMES, paint)],
  ["why", ({ message, warnings }) => [message, ...warnings].join("; "), "flexible"],
];

/** "3 done, 1 refused", and what all of them come to. */
export function bulkSummary(items: readonly BulkItem[]): string {
  const counts = Object.keys(OUTCOMES).flatMap((outcome) => {
    const number = items.filter((item) => item.outcome === outcome).length;
    return number > 0 ? [`${number} ${outcome}`] : [];
  });
  const effects = items.flatMap(({ effect }) => effect ?? []);
  const together = effects.length > 1 ? `; together: ${describeEffects(effects)}` : "";
  return `${count(items.length, "request")}: ${counts.join(", ") || "none matches"}${together}`;
}
