import type { Command } from "commander";
import type { LogsView, TailView } from "../api/client-types.ts";
import { currentDag } from "./nodes.ts";
import { clientFor } from "./reach.ts";
import { optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk } from "./terminal.ts";
import { bytes } from "./view/text.ts";

interface LogsOptions {
  readonly unit?: string;
  readonly node?: string;
  readonly cluster?: string;
  readonly lines: string;
  readonly events?: boolean;
  readonly json?: boolean;
}

export function addLogs(program: Command): void {
  program
    .command("logs")
    .description("where the logs of a request are; with --unit and --node, the end of what that job wrote")
    .argument("<name>", "the request")
    .option("--unit <unit>", "a work unit, like mg_000000")
    .option("--node <node>", "a node in it, like proc_000000 or merge")
    .option("--cluster <id>", "an earlier attempt; the newest when left out")
    .option("--lines <number>", "how much of each file", "40")
    .option("--events", "the engine's job events of the unit too")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 logs weather-example
  wms2 logs weather-example --unit mg_000000 --node proc_000001`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<LogsOptions>(command);
      const client = clientFor(options);
      const { unit, node, cluster, lines } = options;
      const logs = await client.get<LogsView>(`/dags/${await currentDag(client, name)}/logs`, {
        unit,
        node,
        cluster,
        lines,
      });
      if (options.json) return printJson(logs);
      if (node === undefined) return print(fileLines(logs));
      if (logs.clusters.length > 1) talk(`attempts: ${logs.clusters.join(", ")}; shown: ${logs.cluster}`);
      if (logs.tails.length === 0) return talk(`${node} has written nothing yet`);
      print(tailText(logs.tails.filter((tail) => tail.name !== "group.log" || options.events)));
    });
}

const fileLines = (logs: LogsView): string =>
  [logs.submit_dir, ...logs.files.map((file) => `${bytes(file.size_bytes).padStart(8)}  ${file.path}`)].join("\n");

function tailText(tails: readonly TailView[]): string {
  const paint = paintFor(process.stdout);
  return tails
    .map((tail) => {
      const head = `==> ${tail.path} (${bytes(tail.size_bytes)}${tail.truncated ? ", its end" : ""})`;
      return [paint.bold(head), ...tail.lines].join("\n");
    })
    .join("\n\n");
}
