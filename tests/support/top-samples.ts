import { byNeed, type Facts } from "../../src/cli/top/facts.ts";
import { next } from "../../src/cli/top/next.ts";
import { firstState, type TopState } from "../../src/cli/top/state.ts";
import type { RequestName } from "../../src/core/names.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import type { CauseView } from "../../src/operations/desk.ts";
import type { AlertView } from "../../src/operations/operators.ts";
import type { RequestRowView } from "../../src/operations/requests.ts";
import { at, heldRequest, NOW, sampleRequest, sampleSpec } from "./api-samples.ts";
import { requestRowView } from "./api-views.ts";

const row = (name: string, over: Partial<RequestRecord>, done: number | null, failed = 0): RequestRowView => {
  const running = over.status === undefined ? 4 : 0;
  return {
    ...requestRowView(sampleRequest({ ...over, spec: sampleSpec({ name: name as RequestName }) })),
    progress: done === null ? null : { total: 48, done, failed, running, expected: 48, percent: (100 * done) / 48 },
    failing: running > 0 ? 3 : 0,
    eta:
      running > 0
        ? {
            at: at("12:20").toISOString(),
            earliest: at("12:10").toISOString(),
            latest: null,
            overdue: false,
            text: "in at least 10 min",
          }
        : null,
  };
};

const cause: CauseView = {
  key: "65:north",
  exit_code: 65,
  name: "65",
  cause: "exit",
  rule: null,
  meaning: "input in a wrong format",
  site: "north",
  category: "permanent",
  file: null,
  requests: 2,
  held: 2,
  failures: 7,
  units: 5,
  unclassified: 0,
  retrying: 0,
  first_at: at("11:00").toISOString(),
  last_at: at("11:59").toISOString(),
  request_names: ["taus", "taus-v2"],
  example: {
    request_name: "taus",
    unit: "mg_000000",
    node: "proc_000000",
    reason: "exit 65 in step work",
    cluster: 12,
  },
  suggestion: {
    action: "ban",
    reason: "all failures are at north, and other sites do the same work",
    body: null,
    everybody_command: null,
    command: "wms2 release --filter status=held --ban north --reason …",
  },
  filter: { code: 65, site: "north" },
};

const alert: AlertView = {
  id: "7",
  key: "held:taus",
  severity: "critical",
  subject: "taus",
  message: "held for 3 days; nobody has looked",
  count: 3,
  first_at: at("09:00").toISOString(),
  last_at: at("11:59").toISOString(),
  acknowledged_by: null,
  acknowledged_at: null,
  closed_at: null,
};

const waiting = { code: "admission", reason: "all slots are taken", since: at("11:50"), until: null } as const;

/** Two held for the same reason, one that runs, one that is queued. */
export function topFacts(over: Partial<Facts> = {}): Facts {
  const { status, hold } = heldRequest();
  const rows = byNeed([
    row("queued-late", { status: "queued", waiting: { ...waiting, who: "time", details: [] } }, null),
    row("muons-2026", { waiting: null }, 20),
    row("taus", { status, hold, waiting: null }, 30, 5),
    row("taus-v2", { status, hold, waiting: null }, 47),
  ]);
  const entry = {
    request_name: "queued-late",
    place: 1,
    urgent: false,
    priority: 100_000,
    queued_since: at("11:50").toISOString(),
    verdict: "wait" as const,
    reason: "all slots are taken",
    expected_at: null,
  };
  const queue = { active_dags: 1, max_active_dags: 1, queued_workflows: 1, next_in_queue: entry, entries: [entry] };
  const counts = { queued: 1, active: 1, held: 2 };
  const alerts = { alerts: [alert], openAlerts: { open: 1, critical: 1 } };
  return { at: NOW.getTime() - 400, rows, counts, inNeed: 2, causes: [cause], ...alerts, queue, ...over };
}

/** The desk after these keys; what they ask for is not answered. */
export const afterKeys = (keys: readonly string[], from = seen(80, 24)): TopState =>
  keys.reduce((state, key) => next(state, { kind: "key", key }).state, from);

export const seen = (width: number, height: number, facts = topFacts()): TopState =>
  next(firstState({ width, height }), { kind: "facts", facts }).state;
