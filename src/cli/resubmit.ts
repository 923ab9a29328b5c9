import type { Command } from "commander";
import { WorldError } from "../base/errors.ts";
import { actOn } from "./act.ts";
import { type ActOptions, given, megabytes, minutes } from "./act-options.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";

interface ResubmitOptions extends ActOptions {
  readonly nodes?: readonly string[];
  readonly units?: readonly string[];
  readonly failed?: boolean;
  readonly memory?: number;
  readonly time?: number;
  readonly sites?: readonly string[];
}

export function addResubmit(program: Command): void {
  program
    .command("resubmit")
    .description("give chosen nodes or work units a new budget and run them again; their history stays")
    .argument("<name>", "the request")
    .option("--nodes <nodes...>", "these nodes, like mg_000003/proc_000021")
    .option("--units <units...>", "all nodes of these work units, like mg_000003")
    .option("--failed", "everything that failed")
    .option("--memory <size>", 'give them this much, like "3 GB"', megabytes)
    .option("--time <time>", 'let them run so long, like "8 h"', minutes)
    .option("--sites <sites...>", "let them run only there")
    .requiredOption("--reason <text>", "why; it is kept with the request")
    .option("--dry-run", "only say what would be done")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 resubmit muons --failed --reason "network is back"
  wms2 resubmit muons --nodes mg_000003/proc_000021 --memory "4 GB" --reason "needs more"
  wms2 resubmit muons --units mg_000003 mg_000007 --reason "disk was full" --dry-run`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<ResubmitOptions>(command);
      const { nodes, units, failed, memory, time, sites } = options;
      if ((nodes || units) === undefined && !failed)
        throw new WorldError("bad-usage", name, "what is to be resubmitted?", {
          hint: "give --nodes, --units or --failed",
        });
      if (failed && (nodes || units))
        throw new WorldError("bad-usage", name, "--failed goes without --nodes and --units");
      const body = given({ nodes: failed ? "failed" : nodes, units, memory_mb: memory, wall_minutes: time, sites });
      process.exitCode = await actOn(clientFor(options), "resubmit", [name], options, body);
    });
}
