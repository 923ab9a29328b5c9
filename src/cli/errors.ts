import type { Command } from "commander";
import type { ErrorsBodyView } from "../api/client-types.ts";
import { part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { print, printJson, widthOf } from "./terminal.ts";

export function addErrors(program: Command): void {
  program
    .command("errors")
    .description("what failed in the present round of a request: first, most, where, and what to try")
    .argument("<name>", "the request")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 errors weather-example
  wms2 errors weather-example --json | jq .suggestion
  wms2 attempts weather-example --node mg_000003/proc_000021     the story of one node`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<{ json?: boolean }>(command);
      const client = clientFor(options);
      const path = `/requests/${part(name)}/errors`;
      if (options.json) return printJson(await client.get<ErrorsBodyView>(path));
      print(await client.text(path, { width: Math.min(160, widthOf(process.stdout)) }));
    });
}
