import { WorldError } from "../core/base/errors.ts";
import { IMPORT_OUTCOMES } from "../core/import.ts";
import { allOf } from "./client.ts";
import { collect, command, listing } from "./command.ts";
import { withChanges } from "./request-file.ts";
import { printJson, talk, tellWarnings } from "./terminal.ts";
import { IMPORTS } from "./view/tables.ts";

export const addImport = command("import", {
  about: "import a request from ReqMgr2 by its name; importing it again changes nothing",
  arguments: { "[names...]": "the requests, as ReqMgr2 calls them" },
  options: {
    "--dry-run": "only fetch and check: nothing is stored",
    "--set <key=value>": {
      about: "change a field: priority=200000, urgent=true, recovery.max_rescues=1; may be repeated",
      parse: collect,
    },
    "--list": "what was imported, what was refused, and what ReqMgr2 does not know yet",
    "--outcome <outcome>": { about: "with --list: only these", choices: IMPORT_OUTCOMES },
  },
  examples: [
    "wms2 import pdmv_task_EXO-Run3_250130_123456_99 --dry-run",
    "wms2 import pdmv_task_EXO-Run3_250130_123456_99 --set priority=200000",
    "wms2 import --list --outcome refused",
  ],
  async run({ client, options }, names: readonly string[]) {
    if (options.list) {
      const outcome = options.outcome as (typeof IMPORT_OUTCOMES)[number] | undefined;
      const { items } = await allOf(client.imports.list, { outcome }, 1000);
      return listing(IMPORTS, items, "nothing was imported");
    }
    if (names.length === 0)
      throw new WorldError("bad-usage", "import", "which request?", { hint: "name it, or see: wms2 import --list" });
    for (const name of names) {
      const document = withChanges({ request_name: name, source: "reqmgr2" }, options.set ?? []);
      const made = await client.requests.submit({ body: document, dry_run: options.dryRun === true, draft: false });
      tellWarnings(made.warnings);
      if (options.json) printJson(made);
      else if (made.already) talk(`${name} was imported before`);
      else talk(options.dryRun ? `${name} can be imported; nothing was stored` : `${name} is imported`);
    }
  },
});
