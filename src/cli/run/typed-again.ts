import { given } from "../option-values.ts";
import type { GlobalOptions } from "../settings.ts";
import { typed } from "../view/text.ts";

/** What to type to run the same again; options last, but before a "--". */
export const typedAgain = (
  words: readonly string[],
  { name, ...options }: { readonly name?: string } & GlobalOptions,
  last: readonly string[] = [],
): string => [...words, ...flags({ "--name": name }), ...whereFlags(options), ...last].map(typed).join(" ");

/** What has to follow any other command, so that it goes to the same server; empty: nothing. */
export const typedWhere = (options: GlobalOptions): string =>
  whereFlags(options)
    .map((word) => ` ${typed(word)}`)
    .join("");

const whereFlags = ({ dataDir, server }: GlobalOptions): readonly string[] =>
  flags({ "--data-dir": dataDir, "--server": server });
const flags = (options: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(given(options)).flat().map(String);
