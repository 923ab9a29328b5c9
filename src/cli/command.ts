import { Argument, type Command, Option } from "commander";
import type { Client } from "./client.ts";
import { laterVersion } from "./later-version.ts";
import { clientFor } from "./reach.ts";
import type { GlobalOptions } from "./settings.ts";
import { type Look, lookAt, print, printJson, talk } from "./terminal.ts";
import { type Columns, table } from "./view/table.ts";

/** An argument or an option: what it is for, and more where more is to be said. */
interface Word {
  readonly about: string;
  /** Makes a value of what was typed; the second word is the value so far, of what may be repeated. */
  readonly parse?: (word: string, before?: never) => unknown;
  readonly fallback?: unknown;
  readonly choices?: readonly string[];
  readonly required?: true;
  /** It names a request, or several: who has a later version is told before the command goes on. */
  readonly isRequest?: true;
}

/** An argument that names a request, or several. */
export const aRequest = (about: string): Word => ({ about, isRequest: true });

/** As commander writes them: "--dry-run", "--days <number>", "--sites <sites...>", "-C, --commands <file>", "--no-urgent"; in help's order. */
export type Options = Readonly<Record<string, string | Word>>;

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Bare<F> = F extends `-${string}, ${infer Long}`
  ? Bare<Long>
  : F extends `--no-${infer N}`
    ? N
    : F extends `--${infer N} ${string}`
      ? N
      : F extends `--${infer N}`
        ? N
        : never;
type ValueOf<F, W> = W extends { parse: (...words: never[]) => infer T }
  ? T
  : F extends `${string}...>`
    ? readonly string[]
    : F extends `${string}>`
      ? string
      : boolean;
type AlwaysThere = { readonly fallback: unknown } | { readonly required: true };

/** The values a command gets for its options: `--dry-run` as dryRun?: boolean, `--days <number>` as its parser makes it. */
export type Values<O> = {
  readonly [F in keyof O as Camel<Bare<F>>]?: ValueOf<F, O[F]>;
} & {
  readonly [F in keyof O as O[F] extends AlwaysThere ? Camel<Bare<F>> : never]: ValueOf<F, O[F]>;
};

/** What a command came to: for programs (--json), or for people, who read a page on stdout, then a note on stderr. */
export interface Answer {
  readonly json: unknown;
  readonly page?: (look: Look) => string;
  readonly note?: string;
  readonly exit?: number;
}

interface Call<O> {
  readonly options: Values<O> & GlobalOptions & { readonly json?: boolean };
  /** Of the server the options mean. */
  readonly client: Client;
}

interface Spec<O> {
  readonly about: string;
  readonly arguments?: Readonly<Record<string, string | Word>>;
  readonly options?: O;
  /** What --json is for, the last option unless it is among the others; null: there is none. */
  readonly json?: string | null;
  readonly examples?: readonly string[];
  /** It is meant where its group is called without naming a command. */
  readonly isDefault?: true;
  /** A last paragraph of the help. */
  readonly more?: string;
  /** Gets the arguments after the call. Without an answer it has said everything itself. */
  run(call: Call<O>, ...words: never[]): Answer | undefined | Promise<Answer | undefined>;
}

type AddCommand = (parent: Command) => void;

/** One command: everything it understands as data, and what it does. */
export function command<const O extends Options>(name: string, spec: Spec<O>): AddCommand {
  const { examples = [], more, json = "as JSON" } = spec;
  const options: Options = { ...spec.options, ...(json !== null && !spec.options?.["--json"] && { "--json": json }) };
  const shown = examples.length ? ["Examples:", ...examples.map((line) => `  ${line}`)].join("\n") : "";
  const help = [shown, more ?? ""].filter(Boolean).join("\n\n");
  const namesRequest = Object.values(spec.arguments ?? {}).map((word) => typeof word !== "string" && word.isRequest);
  return (parent) => {
    const made = parent.command(name, { isDefault: spec.isDefault === true }).description(spec.about);
    for (const [flags, word] of Object.entries(spec.arguments ?? {}))
      made.addArgument(described(Argument, flags, word));
    for (const [flags, word] of Object.entries(options)) made.addOption(described(Option, flags, word));
    for (const { flags, is } of FORMER) if (options[is] !== undefined) made.addOption(new Option(flags).hideHelp());
    if (help) made.addHelpText("after", `\n${help}`);
    made.action(async (...given: unknown[]) => {
      const values = inPresentWords((given.at(-1) as Command).optsWithGlobals<Call<O>["options"]>());
      const call: Call<O> = {
        options: values,
        get client() {
          return clientFor(values);
        },
      };
      const words = given.slice(0, -2);
      for (const [at, word] of words.entries()) if (namesRequest[at]) await tellLater(call, word);
      const answer = await spec.run(call, ...(words as never[]));
      if (answer) tell(answer, values.json === true);
    });
  };
}

/**
 * Options that were called otherwise once: they still do what they did, and say the new word. Of all commands, `--reason` says why;
 * `--dry-run` only says what would be done; `--yes` does it without a question where much may change.
 */
const FORMER = [
  { flags: "--apply", is: "--yes" },
  { flags: "--note <text>", is: "--reason <text>" },
] as const;

function inPresentWords<V extends object>(values: V): V {
  const present = { ...values } as Record<string, unknown>;
  for (const { is, flags } of FORMER) {
    const [was, now] = [optionName(flags), optionName(is)];
    if (present[was] === undefined) continue;
    talk(`--${was} is now called --${now}`);
    present[now] ??= present[was];
    delete present[was];
  }
  return present as V;
}

async function tellLater({ client }: Pick<Call<Options>, "client">, words: unknown): Promise<void> {
  const said = await Promise.all([words ?? []].flat().map((word) => laterVersion(client, String(word))));
  for (const line of said) if (line !== null) talk(line);
}

/** The name under which a command gets the value of an option: "--dry-run" as dryRun. */
export const optionName = (flags: string): string => new Option(flags).attributeName();

/** Commands under one name. */
export const group =
  (name: string, about: string, commands: readonly AddCommand[]): AddCommand =>
  (parent) => {
    const made = parent.command(name).description(about);
    for (const add of commands) add(made);
  };

function described<T extends Argument | Option>(
  Kind: new (flags: string, about: string) => T,
  flags: string,
  word: string | Word,
): T {
  const { about, choices, parse, fallback, required } = typeof word === "string" ? ({ about: word } as Word) : word;
  const made = new Kind(flags, about);
  if (choices) made.choices(choices);
  if (parse) made.argParser(parse as (word: string, before: unknown) => unknown);
  if (fallback !== undefined) made.default(fallback);
  if (made instanceof Option) made.makeOptionMandatory(required === true);
  return made;
}

/** What the server says it did, or would do; `apply`: the option that does it. */
export function told(
  { message, dry_run, already = false }: { message: string; dry_run: boolean; already?: boolean },
  apply?: string,
): string {
  if (already) return `${message}; nothing was changed`;
  return dry_run ? `would be done, nothing was changed${apply ? ` (add ${apply})` : ""}: ${message}` : message;
}

/** A table of what was found, and a note below it; another note when nothing was. */
export const listing = <T>(columns: Columns<T>, items: readonly T[], nothing: string, foot = ""): Answer => ({
  json: { items },
  page: (look) => table(columns, items, look),
  note: items.length === 0 ? nothing : foot,
});

export function tell({ json, page, note, exit }: Answer, asJson: boolean): void {
  if (asJson) printJson(json);
  else {
    const text = page?.(lookAt(process.stdout));
    if (text) print(text);
    if (note) talk(note);
  }
  if (exit !== undefined) process.exitCode = exit;
}

/** For options that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
