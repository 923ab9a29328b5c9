import type { Command } from "commander";
import type { CheckedView, SubmittedView } from "../api/client-types.ts";
import { stringify } from "../base/json.ts";
import { clientFor } from "./reach.ts";
import { readRequestFile } from "./request-file.ts";
import { collect, optionsOf } from "./settings.ts";
import { paintFor, print, printJson, talk } from "./terminal.ts";
import { watchAndTell } from "./watch.ts";

interface SubmitOptions {
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly name?: string;
  readonly set?: readonly string[];
  readonly json?: boolean;
}

export function addSubmit(program: Command): void {
  program
    .command("submit")
    .description("hand in a request; all problems of a bad one are listed at once")
    .argument("<file>", "the request as YAML or JSON (ReqMgr2 documents too); - is stdin")
    .option("--dry-run", "only check it: nothing is stored")
    .option("--watch", "stay and watch it; exits with the outcome")
    .option("--name <name>", "another name than the file says")
    .option("--set <key=value>", "change a field: priority=200000, split.files_per_job=2; may be repeated", collect)
    .option("--json", "print the stored request as JSON")
    .addHelpText(
      "after",
      `
Examples:
  wms2 submit examples/process/request.yaml
  wms2 submit request.yaml --dry-run
  wms2 submit request.yaml --name again-2 --set priority=200000 --watch

Scripts the request names with ./ are attached; input paths are relative to the request file.`,
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      const options = optionsOf<SubmitOptions>(command);
      const client = clientFor(options);
      const text = stringify(readRequestFile(file, options));
      if (options.dryRun) {
        const checked = await client.post<CheckedView>("/requests?dry_run=true", text);
        tellWarnings(checked.warnings);
        if (options.json) printJson(checked);
        else talk(`${file} is fine; nothing was stored`);
        return;
      }
      const made = await client.post<SubmittedView>("/requests", text);
      tellWarnings(made.warnings);
      if (options.json) printJson(made);
      else print(made.request_name);
      if (options.watch) {
        return watchAndTell(client, [made.request_name], { interval: "0.5", json: options.json ?? false });
      }
      if (!options.json) talk(`handed in; watch it with: wms2 watch ${made.request_name}`);
    });
}

function tellWarnings(warnings: readonly string[]): void {
  const paint = paintFor(process.stderr);
  for (const warning of warnings) talk(`${paint.yellow("warning:")} ${warning}`);
}
