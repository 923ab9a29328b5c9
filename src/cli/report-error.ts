import { describeError, ERROR_TABLE, InvariantError, WorldError } from "../base/errors.ts";
import { RefusedError } from "./client.ts";
import { paintFor, talk, widthOf } from "./terminal.ts";
import { problemList } from "./view/problems.ts";

/** Says what happened, to what, and what to try; answers with the exit code. Any other error is a bug. */
export function reportError(error: unknown, debug: boolean): number {
  const paint = paintFor(process.stderr);
  const code = error instanceof WorldError || error instanceof InvariantError ? error.code : "bug";
  const { exit, hint } = ERROR_TABLE[code];
  const lines = describeError(error).split("\n");
  talk(`${paint.red("wms2:")} ${lines.join("\n      ")}`);
  if (error instanceof RefusedError && error.problems.length)
    talk(problemList(error.problems, { width: Math.min(120, widthOf(process.stderr)), paint }));
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
