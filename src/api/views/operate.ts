import type { ActAnswer, ManyAnswer, OperatorAction } from "../../lifecycle/port.ts";
import type { ActedView, BulkAnswerView } from "../schemas/operate.ts";
import { requestView } from "./request.ts";

type Acted = Extract<ActAnswer, { kind: "done" | "would" | "already" }>;

export function actedView(action: OperatorAction, answer: Acted, dryRun: boolean): ActedView {
  const { request } = answer;
  const common = {
    request_name: request.spec.name,
    action,
    dry_run: dryRun,
    status: request.status,
    request: requestView(request),
  };
  if (answer.kind === "already") return { ...common, already: true, message: answer.why, warnings: [], detail: {} };
  const { because, warnings, detail } = answer;
  return { ...common, already: false, message: because, warnings: [...warnings], detail: { ...detail } };
}

export function bulkAnswerView(
  action: OperatorAction,
  dryRun: boolean,
  { results }: ManyAnswer,
  nextCursor: string | null,
): BulkAnswerView {
  const items = results.map(({ name, answer }) => itemView(name, answer));
  const counts: Record<string, number> = {};
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return { action, dry_run: dryRun, items, counts, next_cursor: nextCursor };
}

function itemView(name: string, answer: ActAnswer): BulkAnswerView["items"][number] {
  const item = { request_name: name, status: null, warnings: [], problems: [] };
  switch (answer.kind) {
    case "done":
    case "would": {
      const { kind, because, warnings, request } = answer;
      return { ...item, outcome: kind, status: request.status, message: because, warnings: [...warnings] };
    }
    case "already":
      return { ...item, outcome: "already", status: answer.request.status, message: answer.why };
    case "refused": {
      const message = answer.problems.map(({ path, message }) => (path ? `${path} ${message}` : message));
      const problems = answer.problems.map((problem) => ({ ...problem }));
      return { ...item, outcome: "refused", message: message.join("; "), problems };
    }
    case "unknown-request":
      return { ...item, outcome: "unknown", message: "there is no such request" };
    case "stale":
      return { ...item, outcome: "stale", status: answer.request.status, message: "it moved on meanwhile" };
  }
}
