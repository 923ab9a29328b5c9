import type { Command } from "commander";
import type { OutputView } from "../api/client-types.ts";
import { part } from "./client.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { table } from "./view/table.ts";
import { bytes, count, thousands } from "./view/text.ts";

export function addOutputs(program: Command): void {
  program
    .command("outputs")
    .description("merged files of a request: where they are, what is in them")
    .argument("<name>", "the request")
    .option("--paths", "only the paths, one a line")
    .option("--json", "as JSON, with checksums and parents")
    .addHelpText(
      "after",
      `
Examples:
  wms2 outputs weather-example
  wms2 outputs weather-example --paths | xargs cat`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<{ paths?: boolean; json?: boolean }>(command);
      const { items } = await clientFor(options).all<OutputView>(`/requests/${part(name)}/outputs`, {});
      if (options.json) return printJson({ items });
      if (items.length === 0) return talk(`${name} has no outputs yet`);
      if (options.paths) return print(items.map((item) => item.path).join("\n"));
      const columns = [
        { head: "output" },
        { head: "unit" },
        { head: "status" },
        { head: "events", align: "right" },
        { head: "size", align: "right" },
        { head: "path" },
      ] as const;
      const rows = items.map((item) => [
        item.output,
        item.work_unit,
        item.status,
        item.events === null ? "-" : thousands(item.events),
        bytes(item.size_bytes),
        item.path,
      ]);
      print(table(columns, rows, { width: widthOf(process.stdout), paint: paintFor(process.stdout) }));
      const size = items.reduce((sum, item) => sum + item.size_bytes, 0);
      talk(`${count(items.length, "file")}, ${bytes(size)}`);
    });
}
