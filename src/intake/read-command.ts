import { shown } from "./notes.ts";
import type { Reading } from "./reading.ts";
import { listEntries, type Spot } from "./values.ts";
import { splitWords } from "./words.ts";

const FORMS = 'a line of plain words ("./select.sh --cut 3") or a list of words ([sh, -c, "…"])';
const MAX_WORDS = 1000;
const MAX_CHARACTERS = 100_000;

/** A command as words. The list form is taken as it is, whatever is in it: no shell of ours ever reads it. */
export function readCommand(spot: Spot, reading: Reading): readonly string[] {
  const argv = typeof spot.value === "string" ? fromLine(spot, spot.value, reading) : fromList(spot, reading);
  if (argv.length > 0) reading.commands.push({ path: spot.path, argv });
  return argv;
}

function fromLine(spot: Spot, line: string, reading: Reading): readonly string[] {
  if (line.length > MAX_CHARACTERS) {
    reading.notes.problem(spot.path, `is too long: ${line.length} characters, at most ${MAX_CHARACTERS}`);
    return [];
  }
  const split = splitWords(line);
  if (split.ok) return split.words;
  reading.notes.problem(spot.path, split.why);
  return [];
}

function fromList(spot: Spot, reading: Reading): readonly string[] {
  const { notes } = reading;
  if (!Array.isArray(spot.value)) {
    notes.problem(spot.path, `must be a command (got ${shown(spot.value)})`, FORMS);
    return [];
  }
  const argv: string[] = [];
  for (const { path, value } of listEntries(spot, notes, MAX_WORDS)) {
    if (typeof value === "string") argv.push(value);
    else if (typeof value === "number" || typeof value === "bigint") argv.push(String(value));
    else notes.problem(path, `must be text (got ${shown(value)}); put it in quotes`);
  }
  const length = argv.reduce((sum, word) => sum + word.length, 0);
  if (length > MAX_CHARACTERS) notes.problem(spot.path, `is too long: ${length} characters, at most ${MAX_CHARACTERS}`);
  if (spot.value.length === 0 || argv[0]?.trim() === "") notes.problem(spot.path, "names no program", FORMS);
  return argv;
}
