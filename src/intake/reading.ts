import type { IntakeRules } from "../domain/submission.ts";
import type { Notes } from "./notes.ts";

/** A command found in the document, by the place it was written at. Its files must travel with the request. */
export interface Command {
  readonly path: string;
  readonly argv: readonly string[];
}

/** What all parts of one reading share. */
export interface Reading {
  readonly notes: Notes;
  readonly rules: IntakeRules;
  readonly commands: Command[];
}
