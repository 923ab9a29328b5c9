import type { Command } from "commander";
import { WorldError } from "../base/errors.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { SETTINGS, type SettingKey } from "../config/settings.ts";

/** Options every command understands. */
export interface GlobalOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly debug?: boolean;
}

/** All options of a command, the global ones included. */
export const optionsOf = <T extends object>(command: Command): T & GlobalOptions =>
  command.optsWithGlobals<T & GlobalOptions>();

/** The settings in force: defaults, file, environment, then what the command line said (`set` first, then `flags`). */
export function settingsFrom(
  options: GlobalOptions,
  said: {
    readonly set?: readonly string[] | undefined;
    readonly flags?: Readonly<Partial<Record<SettingKey, unknown>>>;
  } = {},
): LoadedConfig {
  return loadConfig({
    file: options.config,
    environment: process.env,
    flags: { ...readAssignments(said.set ?? []), data_dir: options.dataDir, ...said.flags },
  });
}

/** `key=value` words of --set. The value is JSON where it is JSON (numbers, lists), else the text itself. */
export function readAssignments(words: readonly string[]): Partial<Record<SettingKey, unknown>> {
  const found: Record<string, unknown> = {};
  for (const word of words) {
    const { key, value } = readAssignment(word);
    if (!Object.hasOwn(SETTINGS, key)) {
      throw new WorldError("bad-config", `--set ${word}`, `there is no setting ${key} (--set ${word})`, {
        hint: "see all settings with: wms2 config show",
      });
    }
    found[key] = value;
  }
  return found;
}

export function readAssignment(word: string): { key: string; value: unknown } {
  const at = word.indexOf("=");
  if (at < 1) {
    throw new WorldError("bad-usage", `--set ${word}`, `--set needs key=value, got "${word}"`, {
      hint: "for example: --set priority=200000",
    });
  }
  return { key: word.slice(0, at), value: jsonOrText(word.slice(at + 1)) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** For options that may be repeated. */
export const collect = (word: string, words: readonly string[] = []): readonly string[] => [...words, word];
