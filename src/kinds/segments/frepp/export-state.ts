import type { FileChange, FoundFile, StateLine } from "../../../core/frepp.ts";
import type { StateFacts } from "./import-state.ts";
import { strangeFile } from "./import-state.ts";
import { fileText, isSameWord, readWord, type StateUnit, wordOfRows, wordText } from "./state-file.ts";

interface ExportFacts extends StateFacts {
  /** Files that are newer than our rows, and say something else, are overwritten. */
  readonly ours: boolean;
}
interface ExportPlan {
  readonly lines: readonly StateLine[];
  readonly changes: readonly FileChange[];
}

/** What our rows make of a directory of frepp. A file that means the same already is left as it is. */
export function decideExport(facts: ExportFacts): ExportPlan {
  const files = new Map(facts.files.map((file) => [file.name, file]));
  const strange = facts.files.filter(({ name }) => !facts.units.has(name));
  const lines = strange.map((file) => strangeFile(file, facts.components));
  const changes: FileChange[] = [];
  for (const unit of facts.units.values()) {
    const file = files.get(unit.file);
    const line = lineOf(unit, file, facts);
    if (line === null) continue;
    lines.push(line);
    const word = wordOfRows(unit.nodes, facts.rows);
    if (line.action === "write" || line.action === "remove")
      changes.push({ name: unit.file, seen: file?.text ?? null, text: word && fileText(word) });
  }
  return { lines: lines.sort((a, b) => (a.file < b.file ? -1 : 1)), changes };
}

/** null: there is no file, and there should be none. */
function lineOf({ file: name, nodes }: StateUnit, file: FoundFile | undefined, facts: ExportFacts): StateLine | null {
  const ours = wordOfRows(nodes, facts.rows);
  const theirs = file ? readWord(file.text) : null;
  if (ours === null && theirs === null) return null;
  const line = { file: name, theirs: theirs && wordText(theirs), ours: ours && wordText(ours), nodes: nodes.length };
  if (isSameWord(ours, theirs)) return { ...line, action: "same", reason: "" };
  const rows = nodes.flatMap(({ id }) => facts.rows.get(id) ?? []);
  if (rows.length === 0) return { ...line, action: "keep", reason: "nothing is known of it here: import it first" };
  const newest = Math.max(...rows.map(({ changedAt }) => changedAt.getTime()));
  if (file && file.changedAt.getTime() > newest && !facts.ours)
    return { ...line, action: "conflict", reason: "the file is newer: --ours overwrites it" };
  const reason = ours === null ? "not all of it is done, and nothing else is known" : reasonOf(rows.map(stateOf));
  return { ...line, action: ours === null ? "remove" : "write", reason };
}

const stateOf = ({ state }: { readonly state: string }): string => state;
const reasonOf = (states: readonly string[]): string => [...new Set(states)].sort().join(" and ");
