import { WorldError } from "../core/base/errors.ts";
import { countStates } from "../core/job-state.ts";
import type { AttemptPageView } from "../operations/attempts.ts";
import type { LogsView } from "../operations/dags.ts";
import { type Client, joined } from "./client.ts";
import { aRequest, command, listing } from "./command.ts";
import { wholeNumber } from "./option-values.ts";
import { type Paint, talk } from "./terminal.ts";
import { attemptTable } from "./view/attempt-lines.ts";
import { nodeColumns } from "./view/tables.ts";
import { bytes, count } from "./view/text.ts";

export const addNodes = command("nodes", {
  about: "the jobs of a request's present DAG, live from the engine",
  arguments: { "<name>": aRequest("the request") },
  options: {
    "--failed": "only failed ones and those that cannot run because of them",
    "--unit <unit>": "only those of this work unit",
    "--limit <number>": { about: "at most so many", fallback: "200" },
  },
  examples: [
    "wms2 nodes weather-example",
    "wms2 nodes weather-example --failed",
    "wms2 logs weather-example --unit mg_000000 --node proc_000000     what one of them wrote",
  ],
  async run({ client, options: { failed, unit, limit } }, name: string) {
    const state: ("failed" | "blocked")[] | undefined = failed ? ["failed", "blocked"] : undefined;
    const page = await client.dags.nodes({ id: await currentDag(client, name), limit, unit, state });
    const cut = page.total > page.items.length ? ` (${page.items.length} of ${page.total} shown)` : "";
    const nothing = failed ? "nothing failed" : "no jobs";
    return {
      ...listing(nodeColumns(page.items), page.items, nothing, `${countStates(page.by_state)}${cut}`),
      json: page,
    };
  },
});

/** The DAG a request is at; there is none before it was planned. */
async function currentDag(client: Client, name: string): Promise<string> {
  const request = await client.requests.show({ name });
  const dag = request.workflow?.dag_id;
  if (dag) return dag;
  throw new WorldError("not-found", name, `${name} is ${request.status} and has no DAG yet`, {
    hint: `see why with: wms2 show ${name}`,
  });
}

export const addLogs = command("logs", {
  about: "where the logs of a request are; with --unit and --node, the end of what that job wrote",
  arguments: { "<name>": aRequest("the request") },
  options: {
    "--unit <unit>": "a work unit, like mg_000000, or a graph's job by its name",
    "--node <node>": "a node in it, like proc_000000 or merge",
    "--cluster <id>": "an earlier attempt; the newest when left out",
    "--lines <number>": { about: "how much of each file", fallback: "40" },
    "--events": "the engine's job events of the unit too",
  },
  examples: ["wms2 logs weather-example", "wms2 logs weather-example --unit mg_000000 --node proc_000001"],
  async run({ client, options: { unit, node, cluster, lines, events, json } }, name: string) {
    const logs = await client.dags.logs({ id: await currentDag(client, name), unit, node, cluster, lines });
    if (logs.node === null) return { json: logs, page: () => fileLines(logs) };
    if (logs.clusters.length > 1 && !json) talk(`attempts: ${logs.clusters.join(", ")}; shown: ${logs.cluster}`);
    if (logs.tails.length === 0) return { json: logs, note: `${unit ?? node} has written nothing yet` };
    const tails = logs.tails.filter((tail) => tail.name !== "group.log" || events);
    return { json: logs, page: ({ paint }) => tailText(tails, paint) };
  },
});

const fileLines = (logs: LogsView): string =>
  [logs.submit_dir, ...logs.files.map((file) => `${bytes(file.size_bytes).padStart(8)}  ${file.path}`)].join("\n");

const tailText = (tails: LogsView["tails"], paint: Paint): string =>
  tails
    .map(({ path, size_bytes, truncated, lines }) => {
      const head = `==> ${path} (${bytes(size_bytes)}${truncated ? ", its end" : ""})`;
      return [paint.bold(head), ...lines].join("\n");
    })
    .join("\n\n");

export const addAttempts = command("attempts", {
  about: "every attempt of a request's jobs: one line each, newest round first",
  arguments: { "<name>": aRequest("the request") },
  options: {
    "--node <node>": "only of this node, like proc_000021 or mg_000003/merge",
    "--unit <unit>": "only of this work unit",
    "--failed": "leave out nodes that succeeded at the first attempt",
    "--limit <number>": { about: "at most about so many", parse: wholeNumber, fallback: 500 },
  },
  examples: [
    "wms2 attempts weather-example",
    "wms2 attempts weather-example --node mg_000003/proc_000021",
    "wms2 attempts weather-example --unit mg_000003 --json",
  ],
  async run({ client, options: { node, unit, failed, limit } }, name: string) {
    const { next_cursor, ...page } = await attemptsOf(client, name, { node, unit }, limit);
    const items = failed ? ofFailingNodes(page.items) : page.items;
    const notes = [
      ...(items.length === 0 ? ["no attempts are on record"] : []),
      ...page.unreadable.map(({ unit, line, message }) => `${unit}: line ${line} of its ledger: ${message}`),
      ...page.gone.map((dir) => `${dir} was removed`),
      ...(next_cursor !== null ? [`${count(items.length, "attempt")}; --limit shows more`] : []),
    ];
    return {
      json: { ...page, items, next_cursor },
      page: (look) => (items.length > 0 ? attemptTable({ ...page, items }, look) : ""),
      note: notes.join("\n"),
    };
  },
});

/** The whole story of every node that failed once, its success included. */
function ofFailingNodes(items: AttemptPageView["items"]): AttemptPageView["items"] {
  const nodeOf = ({ round, unit, node }: AttemptPageView["items"][number]): string => `${round} ${unit}/${node}`;
  const failing = new Set(items.filter(({ decision }) => decision !== "done").map(nodeOf));
  return items.filter((item) => failing.has(nodeOf(item)));
}

/** Pages until there is enough; each holds whole work units. */
export const attemptsOf = (
  client: Client,
  name: string,
  only: { readonly node?: string; readonly unit?: string } = {},
  most?: number,
): Promise<AttemptPageView> =>
  joined((cursor, left) => client.attempts.list({ name, ...only, limit: Math.min(10_000, left), cursor }), most);
