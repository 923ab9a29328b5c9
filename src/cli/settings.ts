import { jsonOrText, type LoadedConfig, loadConfig } from "../config/load.ts";
import { SETTINGS, type SettingKey } from "../config/settings.ts";
import { WorldError } from "../core/base/errors.ts";
import { given } from "./option-values.ts";

/** Options every command understands. */
export interface GlobalOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly debug?: boolean;
}

/** The settings in force: defaults, file, environment, then what the command line said (`set` first, then `flags`). */
export const settingsFrom = (
  options: GlobalOptions,
  set: readonly string[] = [],
  flags: Readonly<Partial<Record<SettingKey, unknown>>> = {},
): LoadedConfig =>
  loadConfig({
    file: options.config,
    environment: process.env,
    flags: { ...Object.fromEntries(set.map(readSetting)), ...given({ data_dir: options.dataDir, ...flags }) },
  });

function readSetting(word: string): [key: string, value: unknown] {
  const { key, value } = readAssignment(word);
  if (Object.hasOwn(SETTINGS, key)) return [key, value];
  throw new WorldError("bad-config", `--set ${word}`, `there is no setting ${key} (--set ${word})`, {
    hint: "see all settings with: wms2 config show",
  });
}

/** `key=value` of --set. The value is JSON where it is JSON (numbers, lists), else the text itself. */
export function readAssignment(word: string): { key: string; value: unknown } {
  const at = word.indexOf("=");
  if (at < 1) {
    throw new WorldError("bad-usage", `--set ${word}`, `--set needs key=value, got "${word}"`, {
      hint: "for example: --set priority=200000",
    });
  }
  return { key: word.slice(0, at), value: jsonOrText(word.slice(at + 1)) };
}
