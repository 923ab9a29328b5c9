import { join } from "node:path";
import { mayBeRescued } from "../recovery/decision.ts";
import type { AttemptRecord } from "../recovery/ledger-record.ts";
import { adjust, asksOf } from "../submit-dir/include-file.ts";
import { readIfThere, removeIfThere, replace } from "./disk.ts";

/**
 * What follows from a line of the ledger, all of it derived from the line: done again after a crash, it comes to the
 * same. `mayMove`: the node may change its site on its own.
 */
export function applyRecord(dir: string, record: AttemptRecord, mayMove: boolean): void {
  const { node } = record;
  const file = (suffix: string): string => join(dir, `${node}.${suffix}`);
  removeIfThere(file("trouble"));
  if (record.decision === "done") {
    removeIfThere(file("stopped"));
    return;
  }
  const include = readIfThere(join(dir, "group.inc")) ?? "";
  const asked = asksOf(include, node);
  const adjusted = adjust(include, node, {
    memoryMb: changed(record.nextMemoryMb, record.memoryMb) ?? asked.memoryMb,
    wallMinutes: changed(record.nextWallMinutes, record.wallMinutes) ?? asked.wallMinutes,
    avoidHosts: record.avoidHosts,
    avoidSites: mayMove ? record.avoidSites : [],
  });
  if (adjusted !== include) replace(join(dir, "group.inc"), adjusted);
  if (record.notBefore !== null) replace(file("wait"), `${Math.ceil(Date.parse(record.notBefore) / 1000)}\n`);
  else removeIfThere(file("wait"));
  if (!mayBeRescued(record)) replace(file("stopped"), `${record.reason}\n`);
  else removeIfThere(file("stopped"));
  // bin/unit tells the workflow that not only this unit is to end.
  if (record.decision === "abort" && record.why === "row-aborts")
    replace(join(dir, "run.abort"), `${node}: ${record.reason}\n`);
}

const changed = (next: number | null, before: number | null): number | null => (next === before ? null : next);
