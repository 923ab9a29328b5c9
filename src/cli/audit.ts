import type { Command } from "commander";
import type { AuditView } from "../api/client-types.ts";
import { wholeNumber } from "./list.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk, widthOf } from "./terminal.ts";
import { auditTable } from "./view/operator-tables.ts";

export function addAudit(program: Command): void {
  program
    .command("audit")
    .description("who did what, when and why; newest first")
    .argument("[name]", "only what was done to this request or site")
    .option("--limit <number>", "at most so many", wholeNumber, 50)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 audit
  wms2 audit weather-example --json`,
    )
    .action(async (name: string | undefined, _options: unknown, command: Command) => {
      const options = optionsOf<{ limit: number; json?: boolean }>(command);
      const { items } = await clientFor(options).all<AuditView>("/audit", { subject: name }, options.limit);
      if (options.json) return printJson({ items });
      if (items.length === 0) return talk("nothing is on record");
      print(auditTable(items, { width: widthOf(process.stdout), paint: paintFor(process.stdout) }));
    });
}
