import { dirname } from "node:path";
import type { OutputView } from "../../api/client-types.ts";
import type { Paint } from "../terminal.ts";
import { table } from "../view/table.ts";
import { bytes, count, cut, duration, thousands } from "../view/text.ts";
import { progressOf } from "../view/watched.ts";
import type { Totals } from "./dataset.ts";
import type { DemoResult, Proof } from "./judge.ts";
import type { Recovery } from "./ledgers.ts";

interface Look {
  readonly width: number;
  readonly paint: Paint;
}

/** What the demo did, for somebody who did not watch. */
export function demoSummary(
  results: readonly DemoResult[],
  proof: Proof | null,
  problems: readonly string[],
  totalSec: number,
  look: Look,
): string {
  const { paint } = look;
  return [
    "",
    requestTable(results, look),
    "",
    paint.bold("What failed, and how it was recovered"),
    ...results.flatMap((result) => recoveryLines(result, look)),
    "",
    paint.bold("Outputs, merged by work unit and registered"),
    ...results.flatMap(({ outputs }) => outputLines(outputs)),
    "",
    ...proofLines(proof, look),
    ...problems.map((problem) => paint.red(`✖ ${problem}`)),
    `${problems.length ? paint.red("not as it should be") : paint.green("all as it should be")} after ${duration(totalSec)}`,
  ].join("\n");
}

function requestTable(results: readonly DemoResult[], look: Look): string {
  const columns = [
    { head: "request" },
    { head: "status" },
    { head: "units", align: "right" },
    { head: "jobs", align: "right" },
    { head: "attempts", align: "right" },
    { head: "failed", align: "right" },
    { head: "time", align: "right" },
  ] as const;
  const rows = results.map(({ watched, attempts, recoveries }) => {
    const { units, nodes, elapsedSec } = progressOf(watched, new Date());
    const failed = recoveries.reduce((sum, { failures }) => sum + failures.length, 0);
    const { request_name, status } = watched.request;
    const cells = [`${units.done}/${units.total}`, `${nodes.done}/${nodes.total}`, String(attempts.length)];
    return [request_name, status, ...cells, String(failed), duration(elapsedSec)];
  });
  return table(columns, rows, look);
}

function recoveryLines({ watched, recoveries }: DemoResult, { width }: Look): string[] {
  const name = watched.request.request_name;
  if (recoveries.length === 0) return [`  ${name}: nothing failed`];
  return [`  ${name}:`, ...recoveries.map((recovery) => cut(`    ${recoveryWords(recovery)}`, width))];
}

function recoveryWords({ unit, node, failures, done, attempts }: Recovery): string {
  const same = failures.length > 1 && new Set(failures).size === 1;
  const what = same ? `${failures.length}× ${failures[0]}` : failures.join(", then ");
  const how = done ? `attempt ${attempts} done${done.site ? ` at ${done.site}` : ""}` : "not recovered";
  return `${unit}/${node} → ${how}  (${what})`;
}

function outputLines(outputs: readonly OutputView[]): string[] {
  const groups = new Map<string, OutputView[]>();
  for (const output of outputs) groups.set(output.dataset, [...(groups.get(output.dataset) ?? []), output]);
  return [...groups].map(([dataset, files]) => {
    const size = files.reduce((sum, file) => sum + file.size_bytes, 0);
    return `  ${dataset}  ${count(files.length, "file")}, ${bytes(size)}\n    ${dirname(files[0]?.path ?? "")}/`;
  });
}

function proofLines(proof: Proof | null, { paint }: Look): string[] {
  if (proof === null) return [];
  const direct = total(proof.direct);
  const merged = total(proof.merged);
  const row = (name: string, { count, sum }: { count: number; sum: number }) =>
    `  ${name.padEnd(34)} ${thousands(count).padStart(7)} warm readings, sum ${thousands(sum)}`;
  return [
    paint.bold(`Is it right? ${thousands(proof.readings)} readings, computed twice`),
    row("by the jobs, from the merged files", merged),
    row("directly, from the input", direct),
    `  ${proof.same ? paint.green("✔ the same for every station") : paint.red("✖ different")}`,
    "",
  ];
}

const total = (totals: Totals): { count: number; sum: number } =>
  [...totals.values()].reduce((all, { count, sum }) => ({ count: all.count + count, sum: all.sum + sum }), {
    count: 0,
    sum: 0,
  });
