import { type Command, CommanderError } from "commander";
import { makeProgram } from "../../src/cli/program.ts";
import { splitArguments } from "../../src/intake/reading/command-line.ts";

/** Why the program does not understand a line as it is printed; null: it does. Nothing is carried out. */
export async function whyNotTyped(line: string): Promise<string | null> {
  const split = splitArguments(line.replaceAll("…", "WORD"), "*?[](){}|$<>!~#;&`");
  if (!split.ok) return split.why;
  const words = split.argv.slice(1);
  const program = await makeProgram(words);
  const each = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
    if (command.commands.length === 0) command.action(() => {});
    for (const sub of command.commands) each(sub);
  };
  each(program);
  try {
    await program.parseAsync(words, { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) return String(error);
    if (error.exitCode === 0) return null;
    // A command that is only named, "…" for what is left out, and a choice that is made when it is printed.
    const isNamed = words.every((word) => /^[a-z][a-z-]*$/.test(word));
    const isMissing = /missing|mandatory|help/i.test(error.code);
    const isChosen = /'(--)?WORD'/.test(error.message);
    return (isMissing && (isNamed || line.includes("…"))) || isChosen ? null : error.message;
  }
}
