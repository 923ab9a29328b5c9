import { dirname } from "node:path";
import type { Look } from "../../src/cli/terminal.ts";
import { type Columns, grouped, table } from "../../src/cli/view/table.ts";
import { bytes, count, cut, duration, thousands } from "../../src/cli/view/text.ts";
import { progressOf } from "../../src/cli/view/watched.ts";
import type { OutputView } from "../../src/operations/workflows.ts";
import { type DemoResult, failedAttempts, type Proof, type Recovery } from "./check.ts";
import type { Totals } from "./dataset.ts";

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
    table(REQUESTS, results, look),
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

const ratio = ({ done, total }: { done: number; total: number }): string => `${done}/${total}`;

const REQUESTS: Columns<DemoResult> = [
  ["request", ({ watched }) => watched.request.request_name],
  ["status", ({ watched }) => watched.request.status],
  ["units", ({ watched }, { now }) => ratio(progressOf(watched, now).units), "right"],
  ["jobs", ({ watched }, { now }) => ratio(progressOf(watched, now).nodes), "right"],
  ["attempts", ({ attempts }) => String(attempts.length), "right"],
  ["failed", (result) => String(failedAttempts(result)), "right"],
  ["time", ({ watched }, { now }) => duration(progressOf(watched, now).elapsedSec), "right"],
];

function recoveryLines({ watched, recoveries }: DemoResult, { width }: Look): string[] {
  const name = watched.request.request_name;
  if (recoveries.length === 0) return [`  ${name}: nothing failed`];
  return [`  ${name}:`, ...recoveries.map((recovery) => cut(`    ${recoveryText(recovery)}`, width))];
}

function recoveryText({ node, failures, done, attempts }: Recovery): string {
  const same = failures.length > 1 && new Set(failures).size === 1;
  const what = same ? `${failures.length}× ${failures[0]}` : failures.join(", then ");
  const how = done ? `attempt ${attempts} done${done.site ? ` at ${done.site}` : ""}` : "not recovered";
  return `${node} → ${how}  (${what})`;
}

const outputLines = (outputs: readonly OutputView[]): string[] =>
  [...grouped(outputs, ({ dataset }) => dataset)].map(([dataset, files]) => {
    const size = files.reduce((sum, file) => sum + file.size_bytes, 0);
    return `  ${dataset}  ${count(files.length, "file")}, ${bytes(size)}\n    ${dirname(files[0]?.path ?? "")}/`;
  });

function proofLines(proof: Proof | null, { paint }: Look): string[] {
  if (proof === null) return [];
  const row = (name: string, totals: Totals) => {
    const stations = [...totals.values()];
    const warm = stations.reduce((all, { count }) => all + count, 0);
    const sum = stations.reduce((all, { sum }) => all + sum, 0);
    return `  ${name.padEnd(34)} ${thousands(warm).padStart(7)} warm readings, sum ${thousands(sum)}`;
  };
  return [
    paint.bold(`Is it right? ${thousands(proof.readings)} readings, computed twice`),
    row("by the jobs, from the merged files", proof.merged),
    row("directly, from the input", proof.direct),
    `  ${proof.same ? paint.green("✔ the same for every station") : paint.red("✖ different")}`,
    "",
  ];
}
