import { InvalidArgumentError } from "commander";
import { WorldError } from "../core/base/errors.ts";
import { MAX_PRIORITY } from "../core/request.ts";
import { isTerminal, REQUEST_STATUSES, type RequestStatus } from "../core/request-status.ts";
import { OPERATIONS } from "../operations/table.ts";
import { allOf, type Client } from "./client.ts";
import { aRequest, command, listing, told } from "./command.ts";
import { filterBody, given, wholeNumber } from "./option-values.ts";
import { widthOf } from "./terminal.ts";
import { hasJobs, type RequestFacts, requestPage } from "./view/request-page.ts";
import { OUTPUTS, REQUESTS } from "./view/tables.ts";
import { bytes, count } from "./view/text.ts";

export const addList = command("list", {
  about: "requests, newest first: their progress, and why one does not move",
  options: {
    "--status <status>": { about: "only these; may be repeated", choices: REQUEST_STATUSES, parse: oneOfStatuses },
    "--requestor <name>": "only those of this requestor",
    "--campaign <name>": "only those of this campaign",
    "--name <part>": "only those with this in their name",
    "--filter <key=value...>": "only those that match: the same keys as for actions and on the web pages",
    "--limit <number>": { about: "at most so many", parse: wholeNumber, fallback: 50 },
    "--all": "every one there is",
  },
  examples: [
    "wms2 list",
    "wms2 list --status held --status queued",
    "wms2 list --campaign Run2026A --all --json",
    "wms2 list --filter hold=no-site site=T2_DE_South",
  ],
  async run({ client, options }) {
    const { status, requestor, campaign, name, all, limit } = options;
    const filter = { ...filterBody(options.filter ?? []), ...given({ status, requestor, campaign, name }) };
    const { items, more } = await allOf(client.requests.list, filter, all ? undefined : limit);
    const nothing = Object.keys(filter).length > 0 ? "no request matches" : "there are no requests yet";
    return {
      ...listing(REQUESTS, items, nothing, more ? `the newest ${items.length}; --all shows every one` : ""),
      json: { items, more },
    };
  },
});

function oneOfStatuses(word: string, before: RequestStatus[] = []): RequestStatus[] {
  const status = REQUEST_STATUSES.find((known) => known === word);
  if (status) return [...before, status];
  throw new InvalidArgumentError(`Allowed choices are ${REQUEST_STATUSES.join(", ")}.`);
}

const SHOWN_OUTPUTS = 1000;

export const addShow = command("show", {
  about: "everything about one request: status, why it waits or is held, progress, outputs, history",
  arguments: { "<name>": aRequest("the request") },
  examples: ["wms2 show weather-example", "wms2 show weather-example --json | jq .request.status"],
  async run({ client }, name: string) {
    const facts = await requestFacts(client, name);
    return { json: facts, page: (look) => requestPage(facts, look) };
  },
});

/** Everything the page of a request shows. */
export async function requestFacts(client: Client, name: string): Promise<RequestFacts> {
  const request = await client.requests.show({ name });
  const { workflow } = request;
  const [status, dag, outputs, jobs, actions] = await Promise.all([
    workflow ? client.workflows.status({ id: workflow.id }) : null,
    workflow?.dag_id ? client.dags.show({ id: workflow.dag_id }) : null,
    allOf(client.requests.outputs, { name }, SHOWN_OUTPUTS),
    hasJobs(request) ? jobFacts(client, name, request) : null,
    request.status === "held" ? client.desk.actions({ name }) : null,
  ]);
  return { request, status, dag, outputs, jobs, choices: actions?.items ?? null };
}

/** Whom failures block is only worked out where a run has ended with some. */
async function jobFacts(
  client: Client,
  name: string,
  { status }: RequestFacts["request"],
): Promise<RequestFacts["jobs"]> {
  const [{ credited }, errors] = await Promise.all([
    client.results.list({ name, limit: 1 }),
    isTerminal(status) || status === "held" ? client.attempts.errors({ name }) : null,
  ]);
  return { credited, blocked: errors?.blocked ?? [] };
}

export const addOutputs = command("outputs", {
  about: "merged files of a request: paths, events and sizes",
  arguments: { "<name>": aRequest("the request") },
  options: { "--paths": "only the paths, one a line" },
  json: "as JSON, with checksums and parents",
  examples: ["wms2 outputs weather-example", "wms2 outputs weather-example --paths | xargs cat"],
  async run({ client, options }, name: string) {
    const { items } = await allOf(client.requests.outputs, { name });
    const size = items.reduce((sum, item) => sum + item.size_bytes, 0);
    if (options.paths && items.length > 0)
      return { json: { items }, page: () => items.map(({ path }) => path).join("\n") };
    return listing(OUTPUTS, items, `${name} has no outputs yet`, `${count(items.length, "file")}, ${bytes(size)}`);
  },
});

export const addErrors = command("errors", {
  about: "what failed in the present round of a request: first, most, where, and what to try",
  arguments: { "<name>": aRequest("the request") },
  examples: [
    "wms2 errors weather-example",
    "wms2 errors weather-example --json | jq .suggestion",
    "wms2 attempts weather-example --node mg_000003/proc_000021     the story of one node",
  ],
  async run({ client, options }, name: string) {
    if (options.json) return { json: await client.attempts.errors({ name }) };
    const text = await client.text(OPERATIONS.attempts.errors, { name, width: Math.min(160, widthOf(process.stdout)) });
    return { json: null, page: () => text };
  },
});

export const addPriority = command("priority", {
  about: "change how soon a request gets its turn",
  arguments: { "<name>": aRequest("the request"), "[number]": "the new priority: a whole number, higher goes first" },
  options: {
    "--urgent": "before everything that is not urgent",
    "--no-urgent": "urgent no more",
    "--reason <text>": "why; the audit keeps it",
    "--dry-run": "only say what would be done",
  },
  json: "print the request as JSON",
  examples: ["wms2 priority weather-example 200000", "wms2 priority weather-example --urgent"],
  async run({ client, options: { urgent, reason, dryRun } }, name: string, number: string | undefined) {
    if (number !== undefined && !(/^\d{1,10}$/.test(number) && Number(number) <= MAX_PRIORITY))
      throw new WorldError("bad-usage", number, `a priority is a whole number, 0…${MAX_PRIORITY}, not "${number}"`);
    if (number === undefined && urgent === undefined)
      throw new WorldError("bad-usage", name, "nothing to change: give a number, --urgent or --no-urgent");
    const change = given({
      priority: number === undefined ? undefined : Number(number),
      urgent,
      reason,
      dry_run: dryRun,
    });
    const changed = await client.requests.change({ name, ...change });
    return { json: changed, note: `${name}: ${told(changed)}` };
  },
});
