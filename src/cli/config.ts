import type { Command } from "commander";
import { describeConfig } from "../config/load.ts";
import { environmentName } from "../config/settings.ts";
import { collect, optionsOf, settingsFrom } from "./settings.ts";
import { paintFor, print, printJson, widthOf } from "./terminal.ts";
import { table } from "./view/table.ts";

export function addConfig(program: Command): void {
  const config = program.command("config").description("the settings in force");
  config
    .command("show")
    .description("every setting: its value, where it comes from and what it is for")
    .option("--set <key=value>", "as for serve; may be repeated", collect)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 config show
  wms2 config show --config /etc/wms2.yaml --json

Defaults give way to the file (--config), the file to the environment (listen.port is ${environmentName("listen.port")}),
the environment to the command line (--set listen.port=9000). Secrets are never shown.`,
    )
    .action((_options: unknown, command: Command) => {
      const options = optionsOf<{ set?: readonly string[]; json?: boolean }>(command);
      const rows = describeConfig(settingsFrom(options, { set: options.set }));
      if (options.json) return printJson({ settings: rows });
      const paint = paintFor(process.stdout);
      const columns = [
        { head: "setting" },
        { head: "value" },
        { head: "from" },
        { head: "for", flexible: true },
      ] as const;
      const cells = rows.map(({ key, value, source, about }) => [
        key,
        value === null ? paint.dim("(not set)") : typeof value === "string" ? value : JSON.stringify(value),
        source === "default" ? paint.dim(source) : paint.cyan(source),
        about,
      ]);
      print(table(columns, cells, { width: widthOf(process.stdout), paint }));
    });
}
