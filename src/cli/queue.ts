import type { Command } from "commander";
import type { AdmissionConfigView, QueueView } from "../api/client-types.ts";
import { WorldError } from "../base/errors.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { type Paint, paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { table } from "./view/table.ts";
import { secondsSince, shortAge } from "./view/text.ts";

export function addQueue(program: Command): void {
  program
    .command("queue")
    .description("who waits for a place, at which position and why")
    .option("--max-active <number>", "requests that may be in the engine at once; kept over restarts")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 queue
  wms2 queue --max-active 50
  wms2 queue --max-active 0          start nothing new; what runs goes on`,
    )
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<{ maxActive?: string; json?: boolean }>(command);
      const client = clientFor(options);
      if (options.maxActive !== undefined) {
        if (!/^\d{1,6}$/.test(options.maxActive)) {
          throw new WorldError("bad-usage", "--max-active", "--max-active is a whole number from 0 to 100000");
        }
        const body = { max_active_dags: Number(options.maxActive) };
        const now = await client.send<AdmissionConfigView>("PATCH", "/admission/config", body);
        talk(`at most ${now.max_active_dags} requests in the engine at once`);
      }
      const queue = await client.get<QueueView>("/admission/queue");
      if (options.json) return printJson(queue);
      talk(`${queue.active_dags} of ${queue.max_active_dags} places taken, ${queue.queued_workflows} waiting`);
      if (queue.entries.length) {
        print(queueTable(queue, new Date(), widthOf(process.stdout), paintFor(process.stdout)));
      }
    });
}

export function queueTable(queue: QueueView, now: Date, width: number, paint: Paint): string {
  const columns = [
    { head: "place", align: "right" },
    { head: "name" },
    { head: "priority", align: "right" },
    { head: "waits", align: "right" },
    { head: "why", flexible: true },
  ] as const;
  const rows = queue.entries.map((entry) => [
    String(entry.place),
    entry.request_name,
    entry.urgent ? "urgent" : String(entry.priority),
    shortAge(secondsSince(entry.queued_since, now)),
    entry.reason,
  ]);
  return table(columns, rows, { width, paint });
}
