import { splitArguments } from "./command-line.ts";
import { shown } from "./notes.ts";
import type { Spot } from "./values.ts";

const COMMAND_FORMS = 'a line of plain words ("./select.sh --cut 3") or a list of words ([sh, -c, "…"])';
const MAX_ARGUMENTS = 20_000;
/** Of a line, or of one word: a system starts nothing with a longer one. And of all words together: it takes twice as much. */
const MAX_CHARACTERS = 100_000;
const MAX_TOGETHER = 1_000_000;

/** A command as its arguments. The list form is taken as it is, whatever is in it: no shell of ours ever reads it. */
export function readCommand(spot: Spot | null): readonly string[] {
  const argv = spot === null ? [] : readWords(spot);
  if (spot && argv.length > 0) spot.notes.commands.push({ path: spot.path, argv });
  return argv;
}

/** The same before anybody knows which of its words are files. `plain`: signs of a shell that are ordinary here. */
export const readWords = (spot: Spot, plain = ""): readonly string[] =>
  typeof spot.value === "string" ? fromLine(spot, spot.value, plain) : fromList(spot);

function fromLine(spot: Spot, line: string, plain: string): readonly string[] {
  if (isTooLong(spot, line.length)) return [];
  const split = splitArguments(line, plain);
  if (split.ok) return split.argv;
  spot.problem(split.why);
  return [];
}

function fromList(spot: Spot): readonly string[] {
  if (!Array.isArray(spot.value)) {
    spot.mustBe("a command", COMMAND_FORMS);
    return [];
  }
  const argv: string[] = [];
  for (const word of spot.list(MAX_ARGUMENTS)) {
    if (["string", "number", "bigint"].includes(typeof word.value)) {
      argv.push(String(word.value));
      if (isTooLong(word, argv.at(-1)!.length)) return [];
    } else word.problem(`must be text (got ${shown(word.value)}); put it in quotes`);
  }
  isTooLong(
    spot,
    argv.reduce((sum, word) => sum + word.length, 0),
    MAX_TOGETHER,
  );
  if (spot.value.length === 0 || argv[0]?.trim() === "") spot.problem("names no program", COMMAND_FORMS);
  return argv;
}

function isTooLong(spot: Spot, characters: number, most = MAX_CHARACTERS): boolean {
  if (characters <= most) return false;
  spot.problem(`is too long: ${characters} characters, at most ${most}`);
  return true;
}
