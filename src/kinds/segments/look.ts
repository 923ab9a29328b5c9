import type { Interval } from "../../core/calendar.ts";
import type { HistoryFact, Look } from "../../core/products.ts";
import type { SegmentsWork } from "../../core/segments.ts";
import type { FileStamp } from "../../core/workflow.ts";
import { historyPath, segmentsOf } from "./nodes.ts";

type Seen = ReadonlyMap<string, FileStamp>;

/** While the model runs, nobody knows how far it came: so many segments after the last that arrived are looked at. */
const SEGMENTS_AHEAD = 24;

/** Asks for files to be looked at, gets those that are there, and answers when it knows enough. */
export function* lookAtHistory(work: SegmentsWork): Generator<readonly string[], Look, Seen> {
  const { start, end, segmentMonths } = work;
  const ahead = SEGMENTS_AHEAD * segmentMonths;
  const history = new Map<number, HistoryFact>();
  let last = start;
  let looked = start;
  while (looked < (end ?? last + ahead)) {
    const to = end ?? last + ahead;
    const segments = segmentsOf(work, to).filter(({ from }) => from >= looked);
    if (segments.length === 0) break;
    const seen = yield segments.flatMap((segment) => filesOf(work, segment));
    for (const segment of segments) {
      const fact = judge(work, segment, seen);
      history.set(segment.from, fact);
      if (fact.state === "present") last = segment.to;
    }
    looked = segments.at(-1)!.to;
  }
  return { history, range: { from: start, to: end ?? last } };
}

function filesOf(work: SegmentsWork, segment: Interval): readonly string[] {
  const path = historyPath(work, segment);
  const { partialSuffix } = work.history;
  return partialSuffix === "" ? [path] : [path, path + partialSuffix];
}

function judge(work: SegmentsWork, segment: Interval, seen: Seen): HistoryFact {
  const [path = "", partial = ""] = filesOf(work, segment);
  const found = seen.get(path);
  const stamp = found ? { sizeBytes: found.sizeBytes, mtime: found.mtime } : null;
  if (seen.has(partial)) return { state: "partial", stamp };
  if (!stamp) return { state: "absent", stamp };
  return { state: stamp.sizeBytes < work.history.minBytes ? "short" : "present", stamp };
}
