import type { Command } from "commander";
import type { RequestView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { printJson, talk } from "./terminal.ts";

export function addPriority(program: Command): void {
  program
    .command("priority")
    .description("change how soon a request gets its turn")
    .argument("<name>", "the request")
    .argument("[number]", "the new priority: a whole number, higher goes first")
    .option("--urgent", "before everything that is not urgent")
    .option("--no-urgent", "urgent no more")
    .option("--json", "print the request as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 priority weather-example 200000
  wms2 priority weather-example --urgent`,
    )
    .action(async (name: string, number: string | undefined, _options: unknown, command: Command) => {
      const options = optionsOf<{ urgent?: boolean; json?: boolean }>(command);
      if (number !== undefined && !/^\d{1,10}$/.test(number)) {
        throw new WorldError("bad-usage", number, `a priority is a whole number from 0, not "${number}"`);
      }
      const { urgent } = options;
      if (number === undefined && urgent === undefined) {
        throw new WorldError("bad-usage", name, "nothing to change: give a number, --urgent or --no-urgent");
      }
      const change = {
        ...(number !== undefined && { priority: Number(number) }),
        ...(urgent !== undefined && { urgent }),
      };
      const client = clientFor(options);
      const changed = await client.send<RequestView>("PATCH", `/requests/${part(name)}`, change);
      if (options.json) return printJson(changed);
      talk(`${name}: priority ${changed.priority}${changed.urgent ? ", urgent" : ""}`);
    });
}
