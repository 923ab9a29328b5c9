import { join } from "node:path";
import { mayBeRescued } from "../../recovery/decision.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";
import { adjusted, asksOf } from "../include-file.ts";
import { abortText, reasonText, waitText } from "../markers.ts";
import { nodeFile, UNIT } from "../names.ts";
import { readIfThere, removeIfThere, replace } from "./disk.ts";

/**
 * What follows from a line of the ledger, all of it derived from the line: done again after a crash, it comes to the
 * same. `mayMove`: the node may change its site on its own.
 */
export function applyRecord(dir: string, record: AttemptRecord, mayMove: boolean): void {
  const { node } = record;
  const file = (kind: Parameters<typeof nodeFile>[1]): string => join(dir, nodeFile(node, kind));
  removeIfThere(file("trouble"));
  if (record.decision === "done") {
    removeIfThere(file("stopped"));
    return;
  }
  const path = join(dir, UNIT.include);
  const include = readIfThere(path) ?? "";
  // What stands there and is no number, so that nothing could be submitted, goes.
  const asked = asksOf(include, node);
  const changed = adjusted(include, {
    [node]: {
      memoryMb: changedTo(record.nextMemoryMb, record.memoryMb) ?? asked.memoryMb,
      wallMinutes: changedTo(record.nextWallMinutes, record.wallMinutes) ?? asked.wallMinutes,
      avoidHosts: record.avoidHosts,
      avoidSites: mayMove ? record.avoidSites : [],
    },
  });
  if (changed !== include) replace(path, changed);
  if (record.notBefore !== null) replace(file("wait"), waitText(record.notBefore));
  else removeIfThere(file("wait"));
  if (!mayBeRescued(record)) replace(file("stopped"), reasonText(record.reason));
  else removeIfThere(file("stopped"));
  // bin/unit tells the workflow that not only this unit is to end.
  if (record.decision === "abort" && record.why === "row-aborts")
    replace(join(dir, UNIT.abort), abortText(node, record.reason));
}

const changedTo = (next: number | null, before: number | null): number | null => (next === before ? null : next);
