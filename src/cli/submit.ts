import { existsSync } from "node:fs";
import { requestUrl } from "../core/base/desk-url.ts";
import { actOn } from "./act.ts";
import { collect, command } from "./command.ts";
import { readRequestFile, tellLines } from "./request-file.ts";
import { print, printJson, talk, tellWarnings } from "./terminal.ts";
import { watchAndTell } from "./watch.ts";

export const addSubmit = command("submit", {
  about: "submit a request; all problems of a bad one are listed at once",
  arguments: {
    "<file>":
      "the request as YAML or JSON (ReqMgr2 documents and Torc and WfFormat graphs too); - is stdin; or the name of a draft",
  },
  options: {
    "--draft": "only keep it: it may be written again, and begins with wms2 submit NAME",
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
    "wms2 submit request.yaml --draft && wms2 submit muons",
  ],
  more: "Scripts the request names with ./ are attached; input paths are relative to the request file.",
  async run({ client, options }, file: string) {
    if (isName(file) && !existsSync(file)) return actOn(client, "submit", [file], { dryRun: options.dryRun }, {});
    const body = readRequestFile(file, options);
    const asked = { body, dry_run: options.dryRun === true, draft: options.draft === true };
    const made = await tellLines(file, client.requests.submit(asked));
    tellWarnings(made.warnings);
    if ("dry_run" in made) return { json: made, note: `${file} is fine; nothing was stored` };
    if (options.json) printJson(made);
    else print(made.request_name);
    if (options.watch) await watchAndTell(client, [made.request_name], { interval: "0.5", json: options.json });
    else if (options.draft) talk(`kept as a draft; submit it with: wms2 submit ${made.request_name}`);
    else if (!options.json) talk(handedIn(client.url, made.request_name));
  },
});

const handedIn = (server: string, name: string): string =>
  `submitted; watch it with: wms2 watch ${name}\nits page: ${requestUrl(server, name)}`;

/** Not a file by the look of it. */
const isName = (text: string): boolean => /^\w[\w.-]*$/.test(text) && !/\.(ya?ml|json5?|kdl)$/.test(text);
