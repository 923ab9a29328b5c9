import { createInterface } from "node:readline/promises";
import type { ActedView, BulkAnswerView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { type ActOptions, filterBody } from "./act-options.ts";
import { type Client, part, queryText } from "./client.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { actedLines, bulkSummary, bulkTable } from "./view/act-lines.ts";

type Item = BulkAnswerView["items"][number];
type Body = Readonly<Record<string, unknown>>;

/** One action on one request, on several, or on all that match; answers with the exit code. */
export async function actOn(
  client: Client,
  action: string,
  names: readonly string[],
  options: ActOptions,
  body: Body,
): Promise<number> {
  const said = { ...body, reason: options.reason };
  const { filter = [] } = options;
  if (names.length > 0 && filter.length > 0)
    throw new WorldError("bad-usage", action, "give names or --filter, not both");
  const [name] = names;
  if (filter.length > 0) return actByFilter(client, action, options, said);
  if (name === undefined)
    throw new WorldError("bad-usage", action, `which request is to ${action}?`, {
      hint: `wms2 ${action} NAME…, or --filter status=…`,
    });
  if (names.length === 1) return actOnOne(client, action, name, options, said);
  const { items } = await bulk(client, { ...said, action, names, dry_run: options.dryRun === true });
  return tell(items, action, options);
}

async function actOnOne(
  client: Client,
  action: string,
  name: string,
  options: ActOptions,
  body: Body,
): Promise<number> {
  const query = queryText(options.dryRun ? { dry_run: true } : {});
  const view = await client.send<ActedView>("POST", `/requests/${part(name)}/${action}${query}`, body);
  if (options.json) printJson(view);
  else talk(actedLines(view, paintFor(process.stderr)).join("\n"));
  return 0;
}

/** First what would happen, then a question, then the deed. */
async function actByFilter(client: Client, action: string, options: ActOptions, body: Body): Promise<number> {
  const wanted = { ...body, action, filter: filterBody(options.filter ?? []) };
  if (options.dryRun || !options.yes) {
    const { items } = await bulk(client, { ...wanted, dry_run: true });
    if (options.dryRun || items.length === 0) return tell(items, action, options);
    print(tableOf(items));
    if (!items.some(({ outcome }) => outcome === "would")) {
      talk(`${bulkSummary(items)}; nothing to do`);
      return 3;
    }
    await confirm(`${action} ${items.filter(({ outcome }) => outcome === "would").length} of these?`);
  }
  const { items } = await bulk(client, { ...wanted, dry_run: false });
  return tell(items, action, options);
}

async function bulk(client: Client, body: Body): Promise<{ items: Item[] }> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ; ) {
    const asked: Body = { ...body, ...(cursor !== null && { cursor }) };
    const page: BulkAnswerView = await client.send<BulkAnswerView>("POST", "/requests/bulk", asked);
    items.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) return { items };
  }
}

const tableOf = (items: readonly Item[]): string =>
  bulkTable(items, { width: widthOf(process.stdout), paint: paintFor(process.stdout) });

function tell(items: readonly Item[], action: string, options: ActOptions): number {
  if (options.json) printJson({ action, dry_run: options.dryRun === true, items });
  else if (items.length > 0) print(tableOf(items));
  talk(bulkSummary(items));
  return items.every(({ outcome }) => ["done", "would", "already"].includes(outcome)) ? 0 : 3;
}

/** Many requests change at once: somebody has to say yes. */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new WorldError("bad-usage", "--yes", "nobody is there to say yes to this", {
      hint: "give --yes when you mean it, or --dry-run to look only",
    });
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    asking.close();
  }
  throw new WorldError("conflict", "confirm", "nothing was done", { hint: "answer y to go on" });
}
