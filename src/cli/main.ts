#!/usr/bin/env node
import { CommanderError } from "commander";
import { describeError, ERROR_TABLE, InvariantError, WorldError } from "../core/base/errors.ts";
import { RefusedError } from "./client.ts";
import { makeProgram } from "./program.ts";
import { endQuietlyWithoutReader, guardTerminal, lookAt, talk } from "./terminal.ts";
import { problemList } from "./view/problems.ts";

/**
 * The top of the command line, and one of the three places that catch everything: an error becomes text on
 * stderr and an exit code. Commands that end with an outcome of their own (watch, doctor, demo) set it themselves.
 */
async function runCli(argv: readonly string[]): Promise<number> {
  guardTerminal();
  endQuietlyWithoutReader();
  const program = await makeProgram(argv.slice(2));
  try {
    await program.parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportError(error, Boolean(program.opts().debug));
  }
}

/** Says what happened, to what, and what to try; answers with the exit code. Any other error is a bug. */
function reportError(error: unknown, debug: boolean): number {
  const look = lookAt(process.stderr);
  const { paint } = look;
  const code = error instanceof WorldError || error instanceof InvariantError ? error.code : "bug";
  const { exit, hint } = ERROR_TABLE[code];
  talk(`${paint.red("wms2:")} ${describeError(error).split("\n").join("\n      ")}`);
  if (error instanceof RefusedError && error.problems.length)
    talk(problemList(error.problems, { ...look, width: Math.min(120, look.width) }));
  talk(`${paint.dim("try:")}  ${error instanceof WorldError ? error.hint : hint}`);
  if (debug) talk(causeChain(error));
  else if (code === "bug") talk(paint.dim("      --debug shows where it happened"));
  return exit;
}

function causeChain(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && parts.length < 8; ) {
    parts.push(at instanceof Error ? (at.stack ?? at.message) : String(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join("\ncaused by: ");
}

const code = await runCli(process.argv);
// After an error something half-started may still be open; nothing of it is worth waiting for.
if (code === 0) process.exitCode = 0;
else process.exit(code);
