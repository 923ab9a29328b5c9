import { stringify } from "../core/base/json.ts";
import { isRow, keysIn, type Row } from "./reading/values.ts";

/** What ReqMgr2 itself writes while a request goes its way: no change of what was asked for. */
const BOOKKEEPING = new Set(
  keysIn(`
    RequestStatus RequestTransition PriorityTransition _id _rev total_jobs input_lumis input_events input_num_files
    TotalEstimatedJobs TotalInputEvents TotalInputFiles TotalInputLumis AgentDocs ParentageResolved ChainParentageMap
    OutputModulesLFNBases DN
  `),
);
const MOST_LINES = 50;

/** How a document differs from what it was, a line for each key: "Step1.Memory: 2000 → 4000". Empty: not at all. */
export function explainChanges(before: Row, now: Row): readonly string[] {
  const lines = [...changed(before, now, "", BOOKKEEPING)];
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more changes`];
}

function* changed(before: Row, now: Row, path: string, but: ReadonlySet<string>): Generator<string> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((key) => !but.has(key)).sort();
  for (const key of keys) {
    const [old, fresh] = [before[key], now[key]];
    if (isRow(old) && isRow(fresh)) yield* changed(old, fresh, `${path}${key}.`, new Set());
    else if (text(old) !== text(fresh)) yield `${path}${key}: ${shortened(old)} → ${shortened(fresh)}`;
  }
}

/** Keys in any order say the same; so do null and nothing. */
const text = (value: unknown): string => stringify(sorted(value ?? null));
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRow(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function shortened(value: unknown): string {
  const full = value === undefined || value === null ? "nothing" : text(value);
  return full.length > 100 ? `${full.slice(0, 100)}…` : full;
}
