import type { Command } from "commander";
import type { RequestView } from "../api/client-types.ts";
import { part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { printJson, talk } from "./terminal.ts";

export function addAbort(program: Command): void {
  program
    .command("abort")
    .description("end requests for good: their jobs are removed, what is registered stays")
    .argument("<names...>", "the requests")
    .requiredOption("--reason <text>", "why; it is kept with the request")
    .option("--json", "print the requests as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 abort weather-example --reason "wrong input"
  wms2 abort test-1 test-2 --reason "only tests"`,
    )
    .action(async (names: string[], _options: unknown, command: Command) => {
      const options = optionsOf<{ reason: string; json?: boolean }>(command);
      const client = clientFor(options);
      const asked: RequestView[] = [];
      for (const name of names) {
        const { reason } = options;
        asked.push(await client.send<RequestView>("POST", `/requests/${part(name)}/abort`, { reason }));
        talk(`${name}: asked for; its jobs are being removed (wms2 watch ${name} sees it through)`);
      }
      if (options.json) printJson({ items: asked });
    });
}
