/** How two texts differ, line by line: the longest lines they share in order stay, the rest is removed or added. */
interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Beyond it, what lies between the first and the last difference is told as one change. */
const MOST_STEPS = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const rest = Math.min(before.length, after.length) - head;
  while (tail < rest && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (texts: readonly string[]) => texts.map((text): DiffLine => ({ kind: "same", text }));
  const middle = between(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  return [...same(before.slice(0, head)), ...middle, ...same(before.slice(before.length - tail))];
}

function between(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (before.length * after.length > MOST_STEPS) return [...before.map(removed), ...after.map(added)];
  const common = commonTable(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(removed(before[i++]!));
    else lines.push(added(after[j++]!));
  }
  return [...lines, ...before.slice(i).map(removed), ...after.slice(j).map(added)];
}

/** How many lines the ends of both share, from every pair of places on. */
function commonTable(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      table[i]![j] =
        before[i] === after[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
}

/** Only what is near a difference; a number stands for lines that were left out. */
export function folded(lines: readonly DiffLine[], near = 2): readonly (DiffLine | number)[] {
  const isNear = new Uint8Array(lines.length);
  for (const [at, { kind }] of lines.entries())
    if (kind !== "same") isNear.fill(1, Math.max(0, at - near), at + near + 1);
  const shown: (DiffLine | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[at]) shown.push(line);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
