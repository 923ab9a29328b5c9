import { Argument, type Command } from "commander";
import type { AcknowledgedView, AlertView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { alertTable } from "./view/operator-tables.ts";

export function addAlerts(program: Command): void {
  program
    .command("alerts")
    .description("what people should know: stuck requests, engines that do not answer, …")
    .addArgument(new Argument("[verb]", "what to do").choices(["list", "ack"]).default("list"))
    .argument("[ids...]", "the alerts")
    .option("--all", "closed ones too")
    .option("--reason <text>", "what is done about it; kept with the acknowledgement")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 alerts
  wms2 alerts ack 12 --reason "ticket 4711"`,
    )
    .action(async (verb: string, ids: string[], _options: unknown, command: Command) => {
      const options = optionsOf<{ all?: boolean; reason?: string; json?: boolean }>(command);
      const client = clientFor(options);
      if (verb === "list") {
        const query = { state: options.all ? "all" : "open" };
        const { items } = await client.all<AlertView>("/alerts", query, 1000);
        if (options.json) return printJson({ items });
        if (items.length === 0) return talk("no alerts");
        const look = { now: new Date(), width: widthOf(process.stdout), paint: paintFor(process.stdout) };
        return print(alertTable(items, look));
      }
      if (ids.length === 0)
        throw new WorldError("bad-usage", "alerts", "which alert?", { hint: "see their ids with: wms2 alerts" });
      const seen: AcknowledgedView[] = [];
      for (const id of ids) {
        const body = options.reason === undefined ? {} : { reason: options.reason };
        const alert = await client.send<AcknowledgedView>("POST", `/alerts/${part(id)}/acknowledge`, body);
        seen.push(alert);
        talk(`${id}: ${alert.already ? "was acknowledged before" : "acknowledged"} by ${alert.acknowledged_by}`);
      }
      if (options.json) printJson({ items: seen });
    });
}
