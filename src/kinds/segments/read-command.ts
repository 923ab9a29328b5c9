import { shown } from "../../intake/reading/notes.ts";
import { readWords } from "../../intake/reading/read-command.ts";
import type { Spot } from "../../intake/reading/values.ts";
import { faultOf } from "./texts.ts";

/** A command whose words may have these placeholders. A program or script beside the document travels with it. */
export function readOwnCommand(spot: Spot | null, known: readonly string[]): readonly string[] {
  if (spot === null) return [];
  const argv = readWords(spot, "{}");
  for (const word of argv) complain(spot, word, known);
  const [program = "", ...words] = argv;
  const script = words.find((word) => word.startsWith("./") && !word.includes("{"));
  if (program.startsWith("./")) spot.notes.commands.push({ path: spot.path, argv: [program] });
  else if (script) spot.notes.files.push({ path: spot.path, file: script, use: "script" });
  return argv;
}

/** A path with placeholders, from the directory of the work or absolute; "" after a problem. */
export function readOwnPath(spot: Spot | null, known: readonly string[], mayBeFolder = false): string {
  const path = spot?.text() ?? "";
  if (spot && path !== "") complain(spot, path, known);
  const isOther = mayBeFolder ? /(^|\/)\.\.?(\/|$)|^\/$/ : /(^|\/)\.\.(\/|$)|\/$/;
  if (spot && (isOther.test(path.replace(/^\.\//, "")) || spot.value === ""))
    spot.problem(`must be the path of a file, without .. (got ${shown(path)})`);
  return path.startsWith("./") ? path.slice(2) : path;
}

function complain(spot: Spot, text: string, known: readonly string[]): void {
  const fault = faultOf(text, known);
  if (fault !== null) spot.problem(fault);
}
