import type { Command } from "commander";
import type { NodePageView, NodeRowView, RequestDetailView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { type Client, part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { table } from "./view/table.ts";

interface NodesOptions {
  readonly failed?: boolean;
  readonly unit?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export function addNodes(program: Command): void {
  program
    .command("nodes")
    .description("the jobs of a request's present DAG, live from the engine")
    .argument("<name>", "the request")
    .option("--failed", "only failed ones and those that cannot run because of them")
    .option("--unit <unit>", "only those of this work unit")
    .option("--limit <number>", "at most so many", "200")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 nodes weather-example
  wms2 nodes weather-example --failed
  wms2 logs weather-example --unit mg_000000 --node proc_000000     what one of them wrote`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<NodesOptions>(command);
      const client = clientFor(options);
      const dag = await currentDag(client, name);
      const page = await client.get<NodePageView>(`/dags/${dag}/nodes`, {
        limit: options.limit,
        unit: options.unit,
        ...(options.failed && { state: ["failed", "futile"] }),
      });
      if (options.json) return printJson(page);
      if (page.items.length === 0) return talk(options.failed ? "nothing failed" : "no nodes");
      print(nodeTable(page.items));
      const states = Object.entries(page.by_state).map(([state, number]) => `${number} ${state}`);
      const cut = page.total > page.items.length ? ` (${page.items.length} of ${page.total} shown)` : "";
      talk(`${states.join(", ")}${cut}`);
    });
}

/** The DAG a request is at; there is none before it was planned. */
export async function currentDag(client: Client, name: string): Promise<string> {
  const request = await client.get<RequestDetailView>(`/requests/${part(name)}`);
  const dag = request.workflow?.dag_id;
  if (dag) return dag;
  throw new WorldError("not-found", name, `${name} is ${request.status} and has no DAG yet`, {
    hint: `see why with: wms2 show ${name}`,
  });
}

function nodeTable(nodes: readonly NodeRowView[]): string {
  const paint = paintFor(process.stdout);
  const colour = (state: NodeRowView["state"]): string => {
    if (state === "done") return paint.green(state);
    if (state === "failed" || state === "futile") return paint.red(state);
    return state === "waiting" ? paint.dim(state) : paint.cyan(state);
  };
  const columns = [
    { head: "unit" },
    { head: "node" },
    { head: "state" },
    { head: "retries", align: "right" },
    { head: "detail", flexible: true },
  ] as const;
  const rows = nodes.map((node) => [
    node.unit ?? "-",
    node.node,
    node.held ? paint.yellow("held") : colour(node.state),
    node.retries ? String(node.retries) : "",
    node.detail,
  ]);
  return table(columns, rows, { width: widthOf(process.stdout), paint });
}
