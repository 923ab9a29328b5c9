import { JOB_STATE } from "../../core/job-state.ts";
import type { ErrorsReply } from "../../operations/attempts.ts";
import type { ResultView } from "../../operations/results.ts";
import { outcome } from "../view/attempt-lines.ts";
import { bytes, count, duration, stamp } from "../view/text.ts";
import { type Html, html, when } from "./html.ts";

const TAIL_LINES = 40;
const MOST_ROWS = 300;

type Code = ErrorsReply["codes"][number];
const nameOf = ({ job, unit, node }: Code["example"]): string => job ?? `${unit}/${node}`;

/** What failed first, most, and whom it blocks, with the ends of the logs. Null: nothing did. */
export function failureList(errors: ErrorsReply): Html | null {
  const { first, codes, retrying, blocked = [], nodes_recovered: recovered, suggestion } = errors;
  if (!first && codes.length === 0 && retrying.length === 0 && recovered === 0) return null;
  return html`${first ? html`<p><b>First:</b> ${nameOf(first)} at ${stamp(first.at)} UTC${first.site ? ` on ${first.site}` : ""}: ${first.reason}</p>` : html``}
<p>${count(errors.nodes_failed, "job")} failed, ${recovered} failed at least once and then succeeded, ${errors.nodes_retrying} to be retried.</p>
${codes.map((code) => codeBlock(code, "failed"))}${retrying.map((code) => codeBlock(code, "retrying"))}
${when(errors.more.codes > 0, () => html`<p class="dim">… and ${errors.more.codes} more kinds of failure</p>`)}
${when(blocked.length > 0, () => html`<p><b>Blocked:</b></p><ul>${blocked.map(({ by, units }) => html`<li>${count(units, "job")} by ${by}</li>`)}</ul>`)}
${when(suggestion.action !== "nothing", () => html`<p><b>To try:</b> ${suggestion.reason}</p>${when(suggestion.command, () => html`<pre>${suggestion.command ?? ""}</pre>`)}`)}`;
}

function codeBlock(code: Code, state: "failed" | "retrying"): Html {
  const { example, log_tail: tail, failures, meaning } = code;
  const lines = tail?.split("\n").slice(-TAIL_LINES).join("\n").trimEnd() ?? "";
  return html`<details${when(tail !== null, () => html` open="open"`)}><summary><span class="chip ${state}">${JOB_STATE[state].letter}</span> ${count(failures, "failure")}: exit ${code.exit_code}${code.name === String(code.exit_code) ? "" : ` ${code.name}`}${code.cause && code.cause !== "exit" ? `, ${code.cause}` : ""} (${code.category})${meaning ? `: ${meaning}` : ""}</summary>
<p class="dim">for example ${nameOf(example)}: ${example.reason}</p>${when(lines, () => html`<pre>${lines}</pre>`)}</details>
`;
}

/** Those that went wrong first, then the longest. */
export function jobTable(results: readonly ResultView[]): Html {
  const rank = ({ state }: ResultView): number => ORDER.indexOf(state);
  const rows = [...results].sort((a, b) => rank(a) - rank(b) || (b.wall_sec ?? 0) - (a.wall_sec ?? 0));
  const shown = rows.slice(0, MOST_ROWS).map(
    (row) =>
      html`<tr><td>${row.name}</td><td><span class="chip ${row.state}">${JOB_STATE[row.state].letter}</span> ${row.state}</td><td class="n">${row.attempts}</td><td>${row.exit_code === null ? "-" : outcome(row)}</td><td class="n">${row.wall_sec === null ? "-" : duration(row.wall_sec)}</td><td class="n">${row.cpu_sec === null ? "-" : duration(row.cpu_sec)}</td><td class="n">${memoryText(row)}</td><td>${row.host ?? "-"}</td><td>${row.site ?? "-"}</td></tr>
`,
  );
  return html`<details><summary>${count(shown.length, "job")}${when(rows.length > shown.length, () => html` of ${rows.length}`)}, failed ones first, then the longest</summary>
<table><thead><tr><th>job</th><th>state</th><th class="n">tries</th><th>outcome</th><th class="n">wall</th><th class="n">CPU</th><th class="n">memory, used of asked</th><th>host</th><th>site</th></tr></thead><tbody>${shown}</tbody></table></details>`;
}
const ORDER: readonly ResultView["state"][] = ["failed", "blocked", "held", "retrying", "running", "waiting", "done"];

const memoryText = ({ peak_memory_mb: used, memory_mb: asked }: ResultView): string =>
  used === null
    ? "-"
    : `${bytes(Math.round(used * 1e6))}${asked ? ` of ${bytes(asked * 1e6)} (${Math.round((used / asked) * 100)} %)` : ""}`;
