import { describeError, WorldError } from "../../core/base/errors.ts";
import { isTerminal, REQUEST_STATUSES } from "../../core/request-status.ts";
import { OPERATIONS } from "../../operations/table.ts";
import { MEANT } from "../../recovery/round/actions.ts";
import { seenIn } from "../../recovery/round/effect.ts";
import { type Client, inBatches, joined } from "../client.ts";
import { requestFacts } from "../requests.ts";
import type { Look } from "../terminal.ts";
import { requestPage } from "../view/request-page.ts";
import type { BulkItem } from "../view/tables.ts";
import { byNeed, type Facts } from "./facts.ts";
import type { ActionWish, PriorityWish, Wish } from "./wish.ts";

/** More than anybody scrolls through; a filter finds among these. */
const MOST_ROWS = 500;
const MOST_ENDED = 100;
const MOVING = REQUEST_STATUSES.filter((status) => !isTerminal(status) && status !== "held");
const ENDED = REQUEST_STATUSES.filter(isTerminal);

/** Those that wait for a person are there however many others are. */
export async function gatherFacts(client: Client, { ended }: { readonly ended: boolean }): Promise<Facts> {
  const at = Date.now();
  const { list } = client.requests;
  const [inNeed, moving, over, causes, alerts, queue] = await Promise.all([
    list({ needs: "person", limit: MOST_ROWS, facets: true }),
    list({ status: MOVING, limit: MOST_ROWS, facets: true }),
    ended ? list({ status: ENDED, limit: MOST_ENDED }) : { items: [] },
    client.desk.causes({ limit: 100 }),
    client.alerts.list({ limit: 200 }),
    client.admission.queue(),
  ]);
  const needy = new Set(inNeed.items.map(({ request_name }) => request_name));
  const others = moving.items.filter(({ request_name }) => !needy.has(request_name));
  return {
    ...{ at, rows: byNeed([...inNeed.items, ...others, ...over.items]), causes: causes.items, queue },
    counts: moving.facets?.status ?? {},
    inNeed: inNeed.facets?.requests ?? inNeed.items.length,
    alerts: alerts.items,
    openAlerts: alerts,
  };
}

/** Everything about one request, then what failed in it. */
export async function gatherDetails(client: Client, name: string, look: Look): Promise<readonly string[]> {
  const facts = await requestFacts(client, name);
  const width = Math.max(60, Math.min(160, look.width));
  const errors = facts.request.workflow ? await client.text(OPERATIONS.attempts.errors, { name, width }) : "";
  return [...requestPage(facts, look).split("\n"), "", ...errors.trimEnd().split("\n")];
}

/** What a wish would do to each request. */
export const preview = (client: Client, wish: Wish): Promise<readonly BulkItem[]> =>
  wish.action === "priority" ? reprioritise(client, wish, {}, true) : bulk(client, wish, true, "…");

/** Just those of which it was shown what would happen, as they were then. */
export async function act(
  client: Client,
  wish: Wish,
  previewed: readonly BulkItem[],
  reason: string,
): Promise<readonly BulkItem[]> {
  const seen = seenIn(previewed);
  return wish.action === "priority" ? reprioritise(client, wish, seen, false) : bulk(client, wish, false, reason, seen);
}

async function bulk(
  client: Client,
  wish: ActionWish,
  dryRun: boolean,
  reason: string,
  seen?: Readonly<Record<string, number>>,
): Promise<BulkItem[]> {
  const { action, names } = wish;
  const chosen = wish.filter ? { filter: wish.filter } : { names: [...names] };
  const which = seen ? { seen } : chosen;
  const body = { action, ...which, ...MEANT[action], reason, dry_run: dryRun };
  return (await joined((cursor) => client.actions.bulk({ ...body, cursor }))).items;
}

/** One by one; once they were shown, only those of which it was shown what would happen. */
function reprioritise(
  client: Client,
  { names, change }: PriorityWish,
  seen: Readonly<Record<string, number>>,
  dryRun: boolean,
): Promise<readonly BulkItem[]> {
  const asked = dryRun ? names : names.filter((name) => seen[name] !== undefined);
  return inBatches(asked, async (name): Promise<BulkItem> => {
    const item = { request_name: name, version: null, effect: null, warnings: [], problems: [] };
    try {
      const told = await client.requests.change({ name, ...change, dry_run: dryRun }, { version: seen[name] });
      const outcome = told.already ? "already" : dryRun ? "would" : "done";
      return { ...item, outcome, version: told.version, status: told.status, message: told.message };
    } catch (error) {
      if (!(error instanceof WorldError) || error.code === "server-unreachable") throw error;
      return { ...item, outcome: "refused", status: null, message: describeError(error) };
    }
  });
}
