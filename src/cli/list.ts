import { type Command, InvalidArgumentError, Option } from "commander";
import type { RequestDetailView, RequestRowView, WorkflowPageView } from "../api/client-types.ts";
import { REQUEST_STATUSES } from "../domain/request-status.ts";
import { type Client, part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { collect, optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { type ListedRequest, requestList } from "./view/request-list.ts";

interface ListOptions {
  readonly status?: readonly string[];
  readonly requestor?: string;
  readonly campaign?: string;
  readonly name?: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function addList(program: Command): void {
  program
    .command("list")
    .description("requests, newest first: how far they are, and why they do not move")
    .addOption(
      new Option("--status <status>", "only these; may be repeated")
        .choices(REQUEST_STATUSES)
        .argParser<readonly string[]>(oneOfStatuses),
    )
    .option("--requestor <name>", "only those of this requestor")
    .option("--campaign <name>", "only those of this campaign")
    .option("--name <part>", "only those with this in their name")
    .option("--limit <number>", "at most so many", wholeNumber, 50)
    .option("--all", "every one there is")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 list
  wms2 list --status held --status queued
  wms2 list --campaign Run2026A --all --json`,
    )
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<ListOptions>(command);
      const client = clientFor(options);
      const { status, requestor, campaign, name } = options;
      const most = options.all ? Number.POSITIVE_INFINITY : options.limit;
      const { items, more } = await client.all<RequestRowView>(
        "/requests",
        { status, requestor, campaign, name },
        most,
      );
      const rows = await withWorkflows(client, items);
      if (options.json) {
        printJson({ items: rows.map(({ request, workflow }) => ({ ...request, workflow })), more });
        return;
      }
      if (rows.length === 0) {
        talk(status || requestor || campaign || name ? "no request matches" : "there are no requests yet");
        return;
      }
      print(requestList(rows, { now: new Date(), width: widthOf(process.stdout), paint: paintFor(process.stdout) }));
      if (more) talk(`the newest ${rows.length}; --all shows every one`);
    });
}

function oneOfStatuses(word: string, before: readonly string[] = []): readonly string[] {
  if ((REQUEST_STATUSES as readonly string[]).includes(word)) return collect(word, before);
  throw new InvalidArgumentError(`Allowed choices are ${REQUEST_STATUSES.join(", ")}.`);
}

export function wholeNumber(word: string): number {
  if (/^\d{1,9}$/.test(word) && Number(word) > 0) return Number(word);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

const AT_ONCE = 8;

/** The newest workflows belong to the newest requests: one page has nearly all of them. */
async function withWorkflows(client: Client, rows: readonly RequestRowView[]): Promise<ListedRequest[]> {
  if (rows.length === 0) return [];
  const page = await client.get<WorkflowPageView>("/workflows", { limit: Math.min(1000, rows.length * 2) });
  const known = new Map(page.items.map((workflow) => [workflow.request_name, workflow]));
  const missing = rows.filter(({ request_name, status }) => !known.has(request_name) && status !== "submitted");
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    const details = await Promise.all(
      missing
        .slice(at, at + AT_ONCE)
        .map(({ request_name }) => client.get<RequestDetailView>(`/requests/${part(request_name)}`)),
    );
    for (const { workflow } of details) if (workflow) known.set(workflow.request_name, workflow);
  }
  return rows.map((request) => ({ request, workflow: known.get(request.request_name) ?? null }));
}
