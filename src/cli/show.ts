import type { Command } from "commander";
import type { DagView, OutputView, RequestDetailView, WorkflowStatusView } from "../api/client-types.ts";
import { type Client, part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, widthOf } from "./terminal.ts";
import { type RequestFacts, requestPage } from "./view/request-page.ts";

export function addShow(program: Command): void {
  program
    .command("show")
    .description("everything about one request: status, why it waits or is held, work, outputs, moves")
    .argument("<name>", "the request")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 show weather-example
  wms2 show weather-example --json | jq .request.status`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<{ json?: boolean }>(command);
      const facts = await gatherRequest(clientFor(options), name);
      if (options.json) return printJson(facts);
      const look = { now: new Date(), width: widthOf(process.stdout), paint: paintFor(process.stdout) };
      print(requestPage(facts, look));
    });
}

const SHOWN_OUTPUTS = 1000;

async function gatherRequest(client: Client, name: string): Promise<RequestFacts> {
  const request = await client.get<RequestDetailView>(`/requests/${part(name)}`);
  const { workflow } = request;
  const [status, dag, outputs] = await Promise.all([
    workflow ? client.get<WorkflowStatusView>(`/workflows/${workflow.id}/status`) : null,
    workflow?.dag_id ? client.get<DagView>(`/dags/${workflow.dag_id}`) : null,
    client.all<OutputView>(`/requests/${part(name)}/outputs`, {}, SHOWN_OUTPUTS),
  ]);
  return { request, status, dag, outputs };
}
