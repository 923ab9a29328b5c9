import { CommanderError } from "commander";
import { makeProgram } from "./program.ts";
import { reportError } from "./report-error.ts";
import { endQuietlyWithoutReader } from "./terminal.ts";

/**
 * The top of the command line, and one of the three places that catch everything: an error becomes words on
 * stderr and an exit code. Commands that end with an outcome of their own (watch, doctor, demo) set it themselves.
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  endQuietlyWithoutReader();
  const program = makeProgram();
  try {
    await program.parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportError(error, Boolean(program.opts().debug));
  }
}
