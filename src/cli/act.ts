import { createInterface } from "node:readline/promises";
import { WorldError } from "../core/base/errors.ts";
import type { ActedView } from "../operations/actions.ts";
import type { OperatorAction } from "../recovery/round/actions.ts";
import { seenIn } from "../recovery/round/effect.ts";
import { type Client, joined } from "./client.ts";
import { type Answer, type Options, tell, told, type Values } from "./command.ts";
import { filterBody, given } from "./option-values.ts";
import { lookAt, type Paint, paintFor, print, talk } from "./terminal.ts";
import { table } from "./view/table.ts";
import { BULK, type BulkItem, bulkSummary } from "./view/tables.ts";

type Body = Readonly<Record<string, unknown>>;

/** What every action of an operator understands. */
export const ACT_OPTIONS = {
  "--reason <text>": { about: "why; it is kept with the request", required: true },
  "--filter <key=value...>":
    "all requests that match: status=, hold=, campaign=, requestor=, name=, text=, kind=, code=, site=, file=",
  "--dry-run": "only say what would be done",
  "--yes": "do not ask before a --filter is carried out",
  "--json": "as JSON",
} as const satisfies Options;
type ActOptions = Omit<Values<typeof ACT_OPTIONS>, "reason"> & { readonly reason?: string | undefined };

/** One action on one request, on several, or on all that match. */
export async function actOn(
  client: Client,
  action: OperatorAction,
  names: readonly string[],
  options: ActOptions,
  body: Body,
): Promise<Answer | undefined> {
  const said = given({ ...body, reason: options.reason });
  const { filter = [], dryRun } = options;
  if (names.length > 0 && filter.length > 0)
    throw new WorldError("bad-usage", action, "give names or --filter, not both");
  const [name] = names;
  if (filter.length > 0) return actByFilter(client, action, options, said);
  if (name === undefined)
    throw new WorldError("bad-usage", action, `name the request to ${action}`, {
      hint: `wms2 ${action} NAME…, or --filter status=…`,
    });
  if (names.length > 1) {
    const items = await bulk(client, { ...said, action, names, dry_run: dryRun === true });
    return tellBulk(items, action, options);
  }
  const view = await client.actions[action]({ name, ...said, dry_run: dryRun });
  return { json: view, note: actedLines(view, paintFor(process.stderr)).join("\n") };
}

/** What one action on one request came to, for people. */
export function actedLines(view: ActedView, paint: Paint): string[] {
  const { request_name: name, already, dry_run, warnings } = view;
  const lines = [`${name}: ${told(view)}`, ...warnings.map((warning) => `${paint.yellow("warning:")} ${warning}`)];
  const { clone, changed } = view.detail;
  if (Array.isArray(changed)) lines.splice(1, 0, ...changed.map((change) => `  ${change}`));
  if (typeof clone === "string") lines.push(`the new version is ${clone}`);
  if (!already && !dry_run) lines.push(`follow it with: wms2 watch ${typeof clone === "string" ? clone : name}`);
  return lines;
}

/** First what would happen, then a question, then the action. */
async function actByFilter(
  client: Client,
  action: OperatorAction,
  options: ActOptions,
  body: Body,
): Promise<undefined> {
  const wanted = { ...body, action };
  const all = { filter: filterBody(options.filter ?? []) };
  if (options.dryRun || !options.yes) {
    const items = await bulk(client, { ...wanted, ...all, dry_run: true });
    if (options.dryRun || items.length === 0) return tellBulk(items, action, options);
    print(table(BULK, items, lookAt(process.stdout)));
    const number = items.filter(({ outcome }) => outcome === "would").length;
    if (number === 0) {
      talk(`${bulkSummary(items)}; nothing to do`);
      process.exitCode = 3;
      return;
    }
    talk(bulkSummary(items));
    await confirm(`${action} ${number} of these?`);
    // What was shown is what is done: one that moved on since is left alone, and one that came to match is not touched.
    return tellBulk(await bulk(client, { ...wanted, seen: seenIn(items), dry_run: false }), action, options);
  }
  return tellBulk(await bulk(client, { ...wanted, ...all, dry_run: false }), action, options);
}

async function bulk(client: Client, body: Body & { action: OperatorAction }): Promise<BulkItem[]> {
  return (await joined((cursor) => client.actions.bulk({ ...body, cursor }))).items;
}

/** The summary is for people who wrote the JSON to a file, too. */
function tellBulk(items: readonly BulkItem[], action: OperatorAction, { json, dryRun }: ActOptions): undefined {
  tell({ json: { action, dry_run: dryRun === true, items }, page: (look) => table(BULK, items, look) }, json === true);
  talk(bulkSummary(items));
  process.exitCode = items.every(({ outcome }) => ["done", "would", "already"].includes(outcome)) ? 0 : 3;
}

/** Many requests change at once: somebody has to say yes. */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new WorldError("bad-usage", "--yes", "there is no terminal to ask the question", {
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
