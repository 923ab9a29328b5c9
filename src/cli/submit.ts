import { collect, command } from "./command.ts";
import { readRequestFile } from "./request-file.ts";
import { print, printJson, talk, tellWarnings } from "./terminal.ts";
import { watchAndTell } from "./watch.ts";

export const addSubmit = command("submit", {
  about: "hand in a request; all problems of a bad one are listed at once",
  arguments: { "<file>": "the request as YAML or JSON (ReqMgr2 documents too); - is stdin" },
  options: {
    "--dry-run": "only check it: nothing is stored",
    "--watch": "stay and watch it; exits with the outcome",
    "--name <name>": "another name than the file says",
    "--set <key=value>": {
      about: "change a field: priority=200000, split.files_per_job=2; may be repeated",
      parse: collect,
    },
  },
  json: "print the stored request as JSON",
  examples: [
    "wms2 submit examples/process/request.yaml",
    "wms2 submit request.yaml --dry-run",
    "wms2 submit request.yaml --name again-2 --set priority=200000 --watch",
  ],
  more: "Scripts the request names with ./ are attached; input paths are relative to the request file.",
  async run({ client, options }, file: string) {
    const body = readRequestFile(file, options);
    const made = await client.requests.submit({ body, dry_run: options.dryRun === true });
    tellWarnings(made.warnings);
    if ("dry_run" in made) return { json: made, note: `${file} is fine; nothing was stored` };
    if (options.json) printJson(made);
    else print(made.request_name);
    if (options.watch) await watchAndTell(client, [made.request_name], { interval: "0.5", json: options.json });
    else if (!options.json) talk(`handed in; watch it with: wms2 watch ${made.request_name}`);
  },
});
