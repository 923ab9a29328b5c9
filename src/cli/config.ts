import { describeConfig } from "../config/load.ts";
import { environmentName } from "../config/settings.ts";
import { collect, command, group } from "./command.ts";
import { settingsFrom } from "./settings.ts";
import { type Columns, table } from "./view/table.ts";

const SETTINGS_COLUMNS: Columns<ReturnType<typeof describeConfig>[number]> = [
  ["setting", ({ key }) => key],
  ["value", ({ value }, { paint }) => (value === null ? paint.dim("(not set)") : shown(value))],
  ["from", ({ source }, { paint }) => (source === "default" ? paint.dim(source) : paint.cyan(source))],
  ["for", ({ about }) => about, "flexible"],
];

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const show = command("show", {
  about: "every setting: its value, where it comes from and what it is for",
  options: { "--set <key=value>": { about: "as for serve; may be repeated", parse: collect } },
  examples: ["wms2 config show", "wms2 config show --config /etc/wms2.yaml --json"],
  more: `Defaults give way to the file (--config), the file to the environment (listen.port is ${environmentName("listen.port")}),
the environment to the command line (--set listen.port=9000). Secrets are never shown.`,
  run({ options }) {
    const settings = describeConfig(settingsFrom(options, options.set));
    return { json: { settings }, page: (look) => table(SETTINGS_COLUMNS, settings, look) };
  },
});

export const addConfig = group("config", "the settings in force", [show]);
