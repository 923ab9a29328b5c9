import type { RunView } from "../../operations/runs.ts";
import type { Look } from "../terminal.ts";
import { type Columns, grouped, table } from "./table.ts";
import { count, thousands } from "./text.ts";

type Job = RunView["why"][number];

const WHY: Readonly<Record<Job["why"], string>> = {
  new: "new",
  changed: "changed",
  unfinished: "not finished",
  "missing-output": "output is missing",
  output: "output was changed",
  input: "input has changed",
  upstream: "comes after one that runs",
};
const JOBS: Columns<Job> = [
  ["job", ({ job }) => job],
  ["why", ({ why }) => WHY[why]],
  ["about", ({ about }) => about ?? "-", "flexible"],
];
const SHOWN = 50;

/** What runs, or would, and why. */
export function runPage(run: RunView, look: Look): string {
  const { paint } = look;
  const { jobs, why } = run;
  const rest = why.length + run.why_left - Math.min(SHOWN, why.length);
  const head = `${paint.bold(run.request_name)}  ${run.reason}`;
  if (jobs === null) return head;
  const byReason = [...grouped(why, (job) => WHY[job.why])].map(([word, list]) => `${thousands(list.length)} ${word}`);
  const some = run.why_left > 0 ? ` (of the first ${thousands(why.length)})` : "";
  const counts = byReason.length > 0 ? `: ${byReason.join(", ")}${some}` : "";
  return [
    head,
    ...(jobs.to_run === 0 ? ["nothing to run: everything was done before, and still holds"] : []),
    ...(why.length > 0 ? ["", table(JOBS, why.slice(0, SHOWN), look)] : []),
    ...(rest > 0 ? [paint.dim(`… and ${thousands(rest)} more`)] : []),
    ...(why.length > 0 ? [""] : []),
    `${thousands(jobs.to_run)} of ${count(jobs.total, "job")} to run${counts}`,
  ].join("\n");
}
